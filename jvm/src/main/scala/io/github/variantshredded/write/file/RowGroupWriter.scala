package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.column.{
  EachStep,
  LeafBloomFilter,
  LeafStore,
  LeafWriter,
  ParquetSettings
}
import io.github.variantshredded.write.shred.{Shredder, ShredderSettings, VariantColumnWriter}
import org.apache.parquet.column.{ColumnDescriptor, ColumnWriter, ColumnWriteStore}
import org.apache.parquet.column.values.bloomfilter.BloomFilterWriteStore
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor
import org.apache.parquet.crypto.InternalFileEncryptor
import org.apache.parquet.hadoop.{ColumnChunkPageWriteStore, ParquetFileWriter}
import org.apache.parquet.io.ColumnIOFactory
import org.apache.parquet.io.api.RecordConsumer

/**
 * Writes one row group: ordinary columns by parquet-java's column writers, and the leaf columns of
 * Variants by those of this project.
 *
 * @param ordinal
 *   index of the row group in its file
 */
private[write] final class RowGroupWriter(
    fileSchema: VariantFileSchema,
    settings: ParquetSettings,
    shredding: ShredderSettings,
    compressor: BytesInputCompressor,
    encryptor: InternalFileEncryptor,
    ordinal: Int
) {
  private val props = settings.properties

  private val pages = new ColumnChunkPageWriteStore(
    compressor,
    fileSchema.file,
    props.getAllocator,
    props.getColumnIndexTruncateLength,
    props.getPageWriteChecksumEnabled,
    encryptor,
    ordinal
  )

  // parquet-java's column writers create no bloom filter if there is no writer for it.
  private val bloomFilters: BloomFilterWriteStore = column =>
    if (mayHaveBloomFilter(column)) pages.getBloomFilterWriter(column) else null

  private val others = props.newColumnWriteStore(fileSchema.others, pages, bloomFilters)

  private val columns: Seq[VariantLeaves] = {
    val descriptors = fileSchema.file.getColumns
    fileSchema.variants.map { variant =>
      val path = variant.path.toArray
      val definition = fileSchema.file.getMaxDefinitionLevel(path: _*)
      val repetition = fileSchema.file.getMaxRepetitionLevel(path: _*)
      val own = RowGroupWriter.below(variant.path, descriptors).map { column =>
        val below = column.getPath.toSeq.drop(variant.path.size)
        val bloomFilter =
          if (mayHaveBloomFilter(column))
            LeafBloomFilter(column, props, variant.bloomFilters(below))
          else null
        new LeafWriter(
          column,
          pages.getPageWriter(column),
          pages.getBloomFilterWriter(column),
          bloomFilter,
          props
        )
      }
      val shredder = new Shredder(
        variant.schema,
        own,
        definition,
        repetition,
        shredding.copy(layout = variant.layout)
      )
      VariantLeaves(variant, own, shredder)
    }
  }

  private val leaves = new LeafStore(
    columns.flatMap(_.leaves).toArray,
    props,
    () => columns.foreach(_.shredder.settle())
  )

  private val writers: Map[Seq[String], VariantColumnWriter] = columns.map { column =>
    val path = column.variant.path
    val isDirect = path.size == 1 && !settings.validates
    path -> new VariantColumnWriter(column.shredder, leaves, column.variant.column, isDirect)
  }.toMap

  private def mayHaveBloomFilter(column: ColumnDescriptor): Boolean =
    !fileSchema.withoutBloomFilter(column.getPath.toIndexedSeq)

  /**
   * Receives rows in which each Variant is a binary; the Variants of [[direct]] are null in them.
   */
  val consumer: RecordConsumer =
    new ColumnIOFactory(settings.validates).getColumnIO(fileSchema.binary).getRecordWriter(Columns)

  /** The top-level Variant columns, by name: they are written directly, not by [[consumer]]. */
  val direct: Map[String, VariantColumnWriter] =
    if (settings.validates) Map.empty
    else writers.collect { case (Seq(name), writer) => name -> writer }

  /** Ends a row that is not passed to [[consumer]]. */
  def endRow(): Unit = leaves.endRow()

  /** Returns the number of bytes that are held in memory. */
  def bufferedSize: Long = others.getBufferedSize + leaves.bufferedSize

  /** Returns the number of bytes of the Variants' values in typed columns, before encoding. */
  def typedBytes: Long = content(_.primitive)

  /** Returns the number of bytes of the Variants' residual values, before encoding. */
  def residualBytes: Long = content(_.value)

  private def content(name: Layout => String): Long = columns.flatMap { column =>
    column.leaves.filter(_.name == name(column.variant.layout)).map(_.content)
  }.sum

  /** Writes the row group, which has at least one row. */
  def writeTo(file: ParquetFileWriter, rows: Long): Unit = {
    consumer.flush()
    file.startBlock(rows)
    others.flush()
    leaves.endChunks()
    pages.flushToFileWriter(file)
    file.endBlock()
  }

  /** Releases the memory of parquet-java's writers, whether the row group was written or not. */
  def close(): Unit = EachStep(() => others.close(), () => pages.close())

  private case class VariantLeaves(
      variant: WrittenVariant,
      leaves: Seq[LeafWriter],
      shredder: Shredder
  )

  /** Provides all columns, as the record consumer requests them. */
  private object Columns extends ColumnWriteStore {
    override def getColumnWriter(column: ColumnDescriptor): ColumnWriter =
      writers.getOrElse(column.getPath.toSeq, others.getColumnWriter(column))

    override def isColumnFlushNeeded: Boolean = others.isColumnFlushNeeded || leaves.isCheckDue

    override def endRecord(): Unit = {
      others.endRecord()
      leaves.endRow()
    }

    override def flush(): Unit = others.flush()

    override def getAllocatedSize: Long = others.getAllocatedSize + leaves.bufferedSize

    override def getBufferedSize: Long = bufferedSize

    override def memUsageString: String = others.memUsageString

    override def close(): Unit = others.close()
  }
}

private object RowGroupWriter {

  private def below(
      path: Seq[String],
      columns: java.util.List[ColumnDescriptor]
  ): Seq[ColumnDescriptor] = {
    val found = Seq.newBuilder[ColumnDescriptor]
    columns.forEach { column =>
      if (column.getPath.startsWith(path)) found += column
    }
    found.result()
  }
}

package io.github.variantshredded.read.inspect

import java.util.Locale

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.{
  FileErrors,
  FooterCache,
  LeafIndex,
  ListedFiles,
  NullCounts
}
import io.github.variantshredded.read.options.{FileContext, ReadMetrics, ReadSettings}
import io.github.variantshredded.read.pages.{BoundedCodecFactory, RowGroups}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, GenericInternalRow, Literal}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Returns the rows about one file: one per leaf column of each row group, mostly from the footer.
 *
 * @param wanted
 *   the requested columns
 * @param sample
 *   number of rows at the beginning of each row group that are read to find the types of residual
 *   values, if a column with them is requested
 */
private[inspect] final class FileInspector(
    file: PartitionedFile,
    conf: Configuration,
    wanted: Array[FilesTableColumn],
    partitionSchema: StructType,
    sample: Int,
    settings: ReadSettings
) extends PartitionReader[InternalRow] {
  import FileInspector._

  private val path = file.toPath
  private val context = new FileContext(settings.variants, new ReadMetrics, path.toString)
  private val codecs = new BoundedCodecFactory(new CodecFactory(conf, 0))
  private val (status, rowGroups) = guard(opened)

  private val leaves: Seq[FileLeaf] =
    try guard(FileLeaves.of(rowGroups.metadata, rowGroups.schema, conf, settings, context))
    catch {
      case e: Throwable =>
        rowGroups.close()
        throw e
    }
  private val leafIndex = new LeafIndex(rowGroups.schema, leaves.map(_.parquetPath).toSet)
  private val residuals =
    new ResidualTypes(rowGroups, status.getLen, codecs, sample)

  private val name = UTF8String.fromString(path.toUri.toString)
  private lazy val partition = partitionValues(file.partitionValues, partitionSchema)

  private val all: Iterator[InternalRow] = for {
    index <- rowGroups.indexes.iterator
    block = rowGroups(index)
    leaf <- leaves.iterator
    chunk <- leafIndex.chunk(block, leaf.parquetPath).iterator
  } yield row(index, block, leaf, chunk)

  private var current: InternalRow = _

  override def next(): Boolean = guard {
    val isMore = all.hasNext
    if (isMore) current = all.next()
    isMore
  }

  override def get(): InternalRow = current

  override def close(): Unit = rowGroups.close()

  /**
   * Opens the file by its listing, which saves a request to the file system, or as it is now if it
   * has changed. Nothing would notice a change if the footer came from the cache.
   */
  private def opened: (FileStatus, RowGroups) = {
    def current = path.getFileSystem(conf).getFileStatus(path)
    def open(status: FileStatus) = status -> RowGroups.open(file, status, conf, codecs)
    ListedFiles
      .status(file)
      .filter(FooterCache.find(_).isEmpty)
      .fold(open(current))(ListedFiles.reading(_, conf)(open))
  }

  private def guard[T](body: => T): T = FileErrors.guard(context.here)(body)

  private def row(
      index: Int,
      block: BlockMetaData,
      leaf: FileLeaf,
      chunk: ColumnChunkMetaData
  ): InternalRow = {
    context.rowGroup = index
    val physical = chunk.getPrimitiveType
    lazy val reason = leaf.skipping.flatMap(_.whyNot(block))
    def value(column: FilesTableColumn): Any = column match {
      case FilesTableColumn.File          => name
      case FilesTableColumn.Partition     => partition
      case FilesTableColumn.RowGroup      => index
      case FilesTableColumn.Column        => text(leaf.column)
      case FilesTableColumn.Path          => text(leaf.variant.map(_.path))
      case FilesTableColumn.Leaf          => text(leaf.variant.map(_.name))
      case FilesTableColumn.ParquetColumn => text(leaf.parquetPath.mkString("."))
      case FilesTableColumn.Layout        => text(leaf.variant.map(_.layout))
      case FilesTableColumn.DataType      => text(leaf.dataType)
      case FilesTableColumn.PhysicalType  => text(physicalType(physical))
      case FilesTableColumn.LogicalType   =>
        text(Option(physical.getLogicalTypeAnnotation).map(_.toString))
      case FilesTableColumn.Rows           => block.getRowCount
      case FilesTableColumn.Values         => chunk.getValueCount
      case FilesTableColumn.Nulls          => orNull(NullCounts.of(chunk))
      case FilesTableColumn.ResidualValues => orNull(residualValues(block, leaf))
      case FilesTableColumn.ResidualTypes  =>
        residualCounts(index, leaf).fold[Any](null)(counts => texts(counts.keys.toSeq.sorted))
      case FilesTableColumn.ResidualCounts  => residualCounts(index, leaf).fold[Any](null)(numbers)
      case FilesTableColumn.Min             => bound(chunk)(_.minAsString)
      case FilesTableColumn.Max             => bound(chunk)(_.maxAsString)
      case FilesTableColumn.CompressedBytes => chunk.getTotalSize
      case FilesTableColumn.UncompressedBytes => chunk.getTotalUncompressedSize
      case FilesTableColumn.Codec             => text(chunk.getCodec.name.toLowerCase(Locale.ROOT))
      case FilesTableColumn.Encodings => texts(chunk.getEncodings.asScala.map(_.name).toSeq.sorted)
      case FilesTableColumn.ColumnIndex     => chunk.getColumnIndexReference != null
      case FilesTableColumn.BloomFilter     => chunk.getBloomFilterOffset >= 0
      case FilesTableColumn.Skippable       => if (leaf.skipping.isEmpty) null else reason.isEmpty
      case FilesTableColumn.WhyNotSkippable => text(reason)
    }
    new GenericInternalRow(wanted.map(value))
  }

  private def residualValues(block: BlockMetaData, leaf: FileLeaf): Option[Long] =
    leaf.residual match {
      case Some(residual) =>
        leafIndex
          .chunk(block, residual.leaf)
          .flatMap(c => NullCounts.of(c).map(c.getValueCount - _))
      case None => Option.when(hasType(leaf))(0L)
    }

  private def residualCounts(index: Int, leaf: FileLeaf): Option[Map[String, Long]] =
    leaf.residual match {
      case Some(residual) => residuals.of(index, residual)
      case None           => Option.when(hasType(leaf))(Map.empty)
    }

  /**
   * Returns true if a leaf column holds values of a Variant: it is neither metadata nor an ordinary
   * column.
   */
  private def hasType(leaf: FileLeaf): Boolean = leaf.variant.isDefined && leaf.skipping.isDefined
}

private object FileInspector {

  /** The maximum length of a bound. Longer bounds are cut off, because strings can be very long. */
  private final val MaxCharacters = 200

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def text(value: Option[String]): UTF8String = value.map(text(_: String)).orNull

  private def texts(values: Seq[String]): ArrayData =
    new GenericArrayData(values.map(value => text(value): Any).toArray)

  private def numbers(values: Map[String, Long]): ArrayBasedMapData = {
    val (names, counts) = values.toSeq.sorted.unzip
    new ArrayBasedMapData(
      texts(names),
      new GenericArrayData(counts.map(count => count: Any).toArray)
    )
  }

  private def orNull(value: Option[Long]): Any = value.fold[Any](null)(identity)

  private def statistics(chunk: ColumnChunkMetaData): Option[Statistics[_]] =
    Option(chunk.getStatistics: Statistics[_])

  private def bound(chunk: ColumnChunkMetaData)(of: Statistics[_] => String): UTF8String =
    statistics(chunk).filter(_.hasNonNullValue).fold[UTF8String](null) { known =>
      val whole = of(known)
      text(if (whole.length <= MaxCharacters) whole else s"${whole.take(MaxCharacters)}...")
    }

  private def physicalType(physical: PrimitiveType): String =
    physical.getPrimitiveTypeName match {
      case FIXED_LEN_BYTE_ARRAY => s"FIXED_LEN_BYTE_ARRAY(${physical.getTypeLength})"
      case other                => other.name
    }

  private def partitionValues(values: InternalRow, schema: StructType): ArrayBasedMapData = {
    val texts = schema.fields.zipWithIndex.map { case (field, i) =>
      val value = values.get(i, field.dataType)
      Cast(Literal(value, field.dataType), StringType, Some("UTC")).eval(): Any
    }
    new ArrayBasedMapData(
      new GenericArrayData(schema.fieldNames.map(name => text(name): Any)),
      new GenericArrayData(texts)
    )
  }
}

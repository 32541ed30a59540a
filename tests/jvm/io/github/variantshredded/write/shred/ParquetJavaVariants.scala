package io.github.variantshredded.write.shred

import java.nio.ByteBuffer
import java.nio.file.Path
import java.util.{Map => JMap}

import scala.collection.mutable

import io.github.variantshredded.testing.{VariantTree, VariantTreeDecoder}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.api.ReadSupport.ReadContext
import org.apache.parquet.io.api.{Converter, GroupConverter, RecordMaterializer}
import org.apache.parquet.schema.MessageType
import org.apache.parquet.variant.{MetadataBuilder, VariantBuilder, VariantConverters}

/**
 * Reads one column of Variants by parquet-java's own converters.
 *
 * They ask for the id of each shredded field before they know whether the row has it, and so need a
 * dictionary that grows (parquet-java's `ImmutableMetadata` refuses names that the row lacks). In
 * 1.17.0 they lose a uuid that is a field of a shredded object.
 */
object ParquetJavaVariants {

  def read(file: Path, column: String): Seq[Option[VariantTree]] = {
    val reader = ParquetReader.builder(new Support(column), new HadoopPath(file.toUri)).build()
    try {
      val rows = mutable.ArrayBuffer.empty[Option[VariantTree]]
      var row = reader.read()
      while (row != null) {
        rows += row
        row = reader.read()
      }
      rows.toSeq
    } finally reader.close()
  }

  private final class Support(column: String) extends ReadSupport[Option[VariantTree]] {
    override def init(context: InitContext): ReadContext = {
      val schema = context.getFileSchema
      new ReadContext(new MessageType("m", schema.getType(Seq(column): _*)))
    }

    override def prepareForRead(
        conf: Configuration,
        metadata: JMap[String, String],
        schema: MessageType,
        context: ReadContext
    ): RecordMaterializer[Option[VariantTree]] =
      new Materializer(context.getRequestedSchema)
  }

  private final class Materializer(schema: MessageType)
      extends RecordMaterializer[Option[VariantTree]] {
    private var builder: VariantBuilder = _
    private var names: MetadataBuilder = _
    private var current: Option[VariantTree] = None

    private val variant: GroupConverter = VariantConverters.newVariantConverter(
      schema.getType(0).asGroupType,
      buffer => {
        names = new MetadataBuilder
        VariantTreeDecoder.names(bytes(buffer)).foreach(names.getOrInsert(_))
        builder = new VariantBuilder(names)
      },
      consumer => consumer.accept(builder)
    )

    // Rows are independent; a row without the group keeps None.
    private val root: GroupConverter = new GroupConverter {
      override def getConverter(index: Int): Converter = new GroupConverter {
        override def getConverter(field: Int): Converter = variant.getConverter(field)

        override def start(): Unit = variant.start()

        override def end(): Unit = {
          variant.end()
          val value = builder.encodedValue()
          current = Some(VariantTree.decode(bytes(names.getEncodedBuffer), bytes(value)))
        }
      }

      override def start(): Unit = current = None

      override def end(): Unit = ()
    }

    override def getCurrentRecord: Option[VariantTree] = current

    override def getRootConverter: GroupConverter = root

    private def bytes(buffer: ByteBuffer): Array[Byte] = {
      val copy = new Array[Byte](buffer.remaining)
      buffer.duplicate().get(copy)
      copy
    }
  }

}

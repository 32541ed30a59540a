package io.github.variantshredded.fuzz.bytes

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.PageEdit
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.WrittenBytes
import org.apache.parquet.bytes.{ByteBufferInputStream, HeapByteBufferAllocator}
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayReader
import org.apache.parquet.format.{Encoding, Type}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** The well-formed files that `FilesTarget` changes: together they have all that the reader knows. */
object SeedFiles {

  val schema: StructType = StructType.fromDDL("n bigint, s string, l array<int>, v variant")

  private val shredding = "id bigint, name string, price decimal(9,2), big decimal(30,3), " +
    "tags array<string>, at timestamp, inner struct<x int, y string>, d double, flag boolean"

  private val Rows = 44

  private def tree(i: Int): Option[VariantTree] = i % 11 match {
    case 3 => None
    case 5 => Some(Null)
    case 7 => Some(if (i > 30) Str(s"text $i") else arr(Int8(1), Str("x")))
    case _ =>
      val fields = Seq(
        "id" -> (if (i % 9 == 4) Str(s"n$i") else Int64(i.toLong)),
        "name" -> Str(s"name ${i % 4}"),
        "price" -> Decimal4(100 * i + 5, 2),
        "big" -> Decimal16(java.math.BigInteger.TEN.pow(20 + i % 5), 3),
        "tags" -> Arr(
          (0 until i % 3).map(t => if (i == 8) Int8(t.toByte) else Str(s"t$t")).toVector
        ),
        "at" -> TimestampMicros(1700000000000000L + i),
        "inner" -> (if (i % 10 == 2) Null else obj("x" -> Int32(i), "z" -> Dbl(i / 2.0))),
        "d" -> Dbl(i * 1.5),
        "flag" -> Bool(i % 2 == 0)
      )
      val rest = if (i % 5 == 0) Seq("rest" -> obj("k" -> Int16(i.toShort))) else Nil
      Some(Obj((fields.filterNot(_ => i % 13 == 6) ++ rest).toVector))
  }

  private val rows: Seq[InternalRow] = (0 until Rows).map { i =>
    val variant = tree(i).map { found =>
      val (metadata, value) = VariantTree.encode(found, i.toLong)
      new VariantVal(value, metadata)
    }
    InternalRow(
      i.toLong,
      if (i % 6 == 1) null else UTF8String.fromString(s"row ${i % 5}"),
      if (i % 8 == 1) null else new GenericArrayData(Array.tabulate(i % 4)(k => i * k)),
      variant.orNull
    )
  }

  /** A file. */
  final case class Seed(what: String, bytes: Array[Byte], hasChecksums: Boolean)

  private def seed(
      what: String,
      layout: Layout,
      codec: CompressionCodecName,
      settings: Map[String, String],
      shredding: String = shredding
  ): Seed = {
    val small = Map(
      "parquet.page.row.count.limit" -> "9",
      "parquet.page.size.row.check.min" -> "1",
      "parquet.block.row.count.limit" -> "25",
      "parquet.page.write-checksum.enabled" -> "false",
      "parquet.bloom.filter.max.bytes" -> "64"
    )
    val blooms = if (shredding == this.shredding) Seq("id", "name") else Nil
    val bytes = WrittenBytes(schema, rows, shredding, layout, codec, blooms, small ++ settings)
    Seed(what, bytes, settings.get("parquet.page.write-checksum.enabled").contains("true"))
  }

  import CompressionCodecName._

  private val v1 = "parquet.writer.version" -> "v1"
  private val v2 = "parquet.writer.version" -> "v2"
  private val plain = "parquet.enable.dictionary" -> "false"
  private val checksums = "parquet.page.write-checksum.enabled" -> "true"
  private val streams = "parquet.enable.bytestreamsplit" -> "true"

  lazy val all: Vector[Seed] = Vector(
    seed("v1, dictionaries", Layout.Spec, UNCOMPRESSED, Map(v1)),
    seed("v2, delta", Layout.Spec, UNCOMPRESSED, Map(v2, plain)),
    seed("v2, snappy", Layout.Spec, SNAPPY, Map(v2)),
    seed("v1, zstd, plain", Layout.Spec, ZSTD, Map(v1, plain)),
    seed("v1, gzip, checksums", Layout.Spec, GZIP, Map(v1, checksums)),
    seed("v2, checksums", Layout.Spec, UNCOMPRESSED, Map(v2, checksums)),
    seed("earlier layout, v1, snappy", Layout.Overview, SNAPPY, Map(v1)),
    seed("earlier layout, v2", Layout.Overview, UNCOMPRESSED, Map(v2, plain)),
    seed("byte streams", Layout.Spec, UNCOMPRESSED, Map(v2, plain, streams)),
    seed("unshredded", Layout.Spec, UNCOMPRESSED, Map(v1), "variant"),
    withLengths(seed("v2, delta lengths", Layout.Spec, UNCOMPRESSED, Map(v2, plain)))
  )

  /**
   * Stores strings in `DELTA_LENGTH_BYTE_ARRAY`, which parquet-java does not choose, in the pages
   * that do not grow by it, so that all offsets stay right.
   */
  private def withLengths(seed: Seed): Seed = {
    val file = new EditedFile(seed.bytes)
    val binaries = file.footer.getRow_groups.asScala
      .flatMap(_.getColumns.asScala)
      .map(_.getMeta_data)
      .filter(_.getType == Type.BYTE_ARRAY)
      .map(_.getPath_in_schema.asScala.mkString("."))
      .toSet
    val changed = file.pages.zip(PageEdit.pages(seed.bytes)).count { case (page, (leaf, _)) =>
      val header = page.header.getData_page_header_v2
      val isBinary = binaries(leaf) && header.getEncoding == Encoding.DELTA_BYTE_ARRAY
      val start = header.getRepetition_levels_byte_length + header.getDefinition_levels_byte_length
      def values = lengths(page.body.drop(start), header.getNum_values - header.getNum_nulls)
      val fits = isBinary && start + values.length <= page.body.length
      if (fits) {
        page.edit(fixesChecksum = true)(body =>
          (body.take(start) ++ values).padTo(body.length, 0.toByte)
        )
        header.setEncoding(Encoding.DELTA_LENGTH_BYTE_ARRAY)
      }
      fits
    }
    require(changed > 10, s"$changed pages")
    seed.copy(bytes = file.assemble().get)
  }

  private def lengths(strings: Array[Byte], count: Int): Array[Byte] = {
    val reader = new DeltaByteArrayReader
    reader.initFromPage(count, ByteBufferInputStream.wrap(ByteBuffer.wrap(strings)))
    val writer =
      new DeltaLengthByteArrayValuesWriter(1024, 1 << 20, HeapByteBufferAllocator.getInstance)
    (0 until count).foreach(_ => writer.writeBytes(reader.readBytes()))
    writer.getBytes.toInputStream.readAllBytes()
  }
}

package io.github.variantshredded.read.file

import java.nio.file.Path

import scala.util.Random

import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.testing.{
  Cell,
  DictionaryEncoder,
  DrawnSchema,
  ShreddedGroup,
  TreeShredder,
  VariantTree
}
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.hadoop.ParquetWriter
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation => Annotation, MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition.{OPTIONAL, REQUIRED}
import org.apache.spark.sql.types.StructType

/** A row's Variants in the slots that a [[Placement]] has for them; None without a container. */
final case class VariantRow(slots: Option[Vector[Option[VariantTree]]])

object VariantRow {

  /**
   * Rows of a column of Variants or, in a third of the cases, of structs with a Variant. In half of
   * the cases, a Variant is SQL NULL only where its struct is, so that it may be required in a file.
   *
   * @param variant
   *   draws a Variant; None for SQL NULL
   */
  def random(rng: Random, count: Int)(
      variant: => Option[VariantTree]
  ): (Placement, Vector[VariantRow]) = {
    val placement = if (rng.nextInt(3) == 0) Placement.InStruct else Placement.Top
    val hasNulls = rng.nextBoolean()
    val rows = Vector.fill(count) {
      if (placement == Placement.InStruct && rng.nextInt(8) == 0) VariantRow(None)
      else VariantRow(Some(Vector(variant.orElse(Option.unless(hasNulls)(VariantTree.Null)))))
    }
    (placement, rows)
  }
}

/**
 * A file of shredded Variants, written by parquet-java, with all that a writer is free to choose
 * drawn from `seed`.
 *
 * Its columns are `id` (the row's number), `column` (the Variants) and `tail` (an ordinary string).
 *
 * @param leftOut
 *   see [[TreeShredder]]
 * @param layout
 *   whether it is in the earlier layout; drawn if it is not said
 */
final class VariantFile(
    placement: Placement,
    schema: ShreddingSchema,
    rows: Vector[VariantRow],
    seed: Long,
    val column: String = "c",
    leftOut: Int = 12,
    layout: Option[Boolean] = None
) {
  private val rng = new Random(seed)
  private val drawn = DrawnSchema.draw(schema, rng)
  private val shredder = new TreeShredder(rng.nextInt(3) == 0, rng, leftOut)

  private val cells: Vector[Option[Vector[Option[Cell]]]] =
    rows.map(_.slots.map(_.map(_.map(shredder.shred(_, drawn)))))

  private val overview = layout.getOrElse(rng.nextInt(3) == 0)

  private val group =
    new ShreddedGroup(drawn, cells.flatMap(_.toSeq.flatten.flatten), rng, overview)

  /** The column of the Variants and, if they are in structs, their field. */
  def variantPath: Seq[String] =
    if (placement == Placement.InStruct) Seq(column, "v") else Seq(column)

  /** What a reader has to find: numbers as wide as their columns. */
  val expected: Vector[VariantRow] =
    cells.map(row => VariantRow(row.map(_.map(_.flatMap(TreeShredder.unshred)))))

  private val encoders: VariantTree => DictionaryEncoder =
    if (rng.nextBoolean()) { tree =>
      new DictionaryEncoder(VariantTree.encode(tree, rng.nextLong())._1, rng.nextLong())
    } else {
      val trees = rows.flatMap(_.slots.toSeq.flatten.flatten)
      val all = VariantTree.encode(VariantTree.Arr(trees), rng.nextLong())._1
      val shared = new DictionaryEncoder(all, rng.nextLong())
      _ => shared
    }

  private val container: Type = {
    val allThere = rows.forall(_.slots.forall(_.forall(_.isDefined)))
    val required = allThere && rng.nextInt(3) == 0
    placement.field(column, group.group(_, if (required) REQUIRED else OPTIONAL))
  }

  val parquetSchema: MessageType = new MessageType(
    "spark_schema",
    rng.shuffle(
      List[Type](
        Types.required(INT64).named("id"),
        container,
        Types.optional(BINARY).as(Annotation.stringType()).named("tail")
      )
    ): _*
  )

  val sparkSchema: StructType =
    StructType.fromDDL(s"tail string, $column ${placement.sparkType}, id bigint")

  def write(path: Path): Unit = {
    val writer = settings(ExampleParquetWriter.builder(new LocalOutputFile(path)))
    try
      rows.indices.foreach { i =>
        val row = new SimpleGroup(parquetSchema)
        row.add("id", i.toLong)
        VariantFile.tail(i).foreach(row.add("tail", _))
        for {
          slots <- rows(i).slots
          inCells <- cells(i)
        } {
          val puts = slots.zip(inCells).map {
            case (Some(tree), Some(cell)) =>
              Some((into: Group) => group.put(into, cell, encoders(tree)))
            case _ => None
          }
          placement.put(row, parquetSchema.getFieldIndex(column), puts)
        }
        writer.write(row)
      }
    finally writer.close()
  }

  private def settings(builder: ExampleParquetWriter.Builder): ParquetWriter[Group] = {
    val v2 = rng.nextBoolean()
    builder
      .withConf(ParquetFixture.plain)
      .withType(parquetSchema)
      .withDictionaryEncoding(rng.nextBoolean())
      .withWriterVersion(if (v2) WriterVersion.PARQUET_2_0 else WriterVersion.PARQUET_1_0)
      .withPageRowCountLimit(1 + rng.nextInt(if (rng.nextBoolean()) 5 else 1000))
      .withMinRowCountForPageSizeCheck(1)
      .withRowGroupRowCountLimit(1 + rng.nextInt(if (rng.nextBoolean()) 10 else 1000))
      .withCompressionCodec(VariantFile.codecs(rng.nextInt(VariantFile.codecs.size)))
      .withPageWriteChecksumEnabled(rng.nextBoolean())
      .build()
  }

  def read(path: Path, options: ReadSettings): Vector[VariantRow] = {
    val rows = FileRows.read(path, sparkSchema, options) { row =>
      val tail = Option(row.getUTF8String(0)).map(_.toString)
      (row.getLong(2), tail, VariantRow(placement.get(row, 1)))
    }
    assert(rows.map(_._1) == rows.indices.map(_.toLong), "ids are not those of the rows")
    assert(rows.map(_._2) == rows.indices.map(VariantFile.tail), "tails are not those of the rows")
    rows.map(_._3)
  }

  override def toString: String =
    s"$placement of $schema, ${rows.size} rows, seed $seed\n$parquetSchema"
}

object VariantFile {
  private val codecs = Vector(
    CompressionCodecName.UNCOMPRESSED,
    CompressionCodecName.SNAPPY,
    CompressionCodecName.GZIP,
    CompressionCodecName.ZSTD
  )

  private def tail(row: Int): Option[String] = Option.when(row % 3 > 0)(s"row $row")

  /** The rows that differ, the objects' fields in any order. */
  def differences(
      actual: Vector[VariantRow],
      expected: Vector[VariantRow]
  ): Vector[(Option[VariantRow], Option[VariantRow])] = {
    def same(a: Option[VariantTree], b: Option[VariantTree]) = (a, b) match {
      case (Some(x), Some(y)) => VariantTree.sameAs(x, y)
      case (x, y)             => x.isEmpty && y.isEmpty
    }
    def sameRow(a: VariantRow, b: VariantRow) = (a.slots, b.slots) match {
      case (Some(x), Some(y)) =>
        x.size == y.size && x.zip(y).forall { case (s, t) => same(s, t) }
      case (x, y) => x.isEmpty && y.isEmpty
    }
    actual.map(Option(_)).zipAll(expected.map(Option(_)), None, None).filterNot {
      case (Some(a), Some(b)) => sameRow(a, b)
      case _                  => false
    }
  }
}

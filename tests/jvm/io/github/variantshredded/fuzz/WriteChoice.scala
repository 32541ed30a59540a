package io.github.variantshredded.fuzz

import scala.util.Try

import io.github.variantshredded.shredding.{
  ShreddedType,
  ShreddingSchema,
  ShreddingText,
  VariantTypes
}
import io.github.variantshredded.testing.RandomShredding
import org.apache.spark.sql.types._

/** How the files of some rows are written. */
sealed trait WriteChoice {

  /** Settings of the session while they are written. */
  def settings: Map[String, String]

  def format: String

  def options: Map[String, String]
}

object WriteChoice {

  /** By this source. */
  final case class Ours(options: Map[String, String]) extends WriteChoice {
    override def settings: Map[String, String] = Map.empty
    override def format: String = "variant-shredded"

    /** Whether the decimal 0 may become the integer 0, as it may in the earlier layout. */
    def mergesNumbers: Boolean = options.get("layout").contains("overview")

    /** Without the options that name paths: not every path can be clustered by or has a column. */
    def withoutPaths: Ours = Ours(options -- OfPaths)

    def hasPaths: Boolean = OfPaths.exists(options.contains)
  }

  private val OfPaths = Seq("clusterBy", "bloomFilter")

  /** By Spark's Parquet source; what it shreds is up to the settings. */
  final case class BySpark(settings: Map[String, String], options: Map[String, String])
      extends WriteChoice {
    override def format: String = "parquet"

    /** Whether Spark may decode other bytes than it has written, see DeltaStringsSuite. */
    def isMisread: Boolean =
      options.get("parquet.writer.version").contains("PARQUET_2_0") &&
        options.get("compression").contains("none")
  }

  /**
   * By DuckDB, from a file of this source, to which the format and the options belong.
   *
   * @param shredding
   *   of the column `v`
   */
  final case class ByDuckDb(shredding: Option[DataType]) extends WriteChoice {
    // DuckDB takes INT96 for timestamps without a time zone.
    override def settings: Map[String, String] =
      Map("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")
    override def format: String = "variant-shredded"
    override def options: Map[String, String] = Map("shredding" -> "none", "compression" -> "none")
  }

  private val Shred = "spark.sql.variant.writeShredding.enabled"
  private val Infer = "spark.sql.variant.inferShreddingSchema"
  private val Force = "spark.sql.variant.forceShreddingSchemaForTest"

  /** Every Variant as it is, in `metadata` and `value`. */
  val unshredded: WriteChoice =
    BySpark(Map(Shred -> "false", Infer -> "false", Force -> ""), Map("compression" -> "none"))

  def random(dice: Dice, table: FuzzTable): WriteChoice = {
    // Spark takes a given schema for no more columns than the group of a Variant has.
    val mayBeForced = table.schema.size - table.partition.size <= 3
    if (isForDuckDb(table) && dice.oneIn(2)) byDuckDb(dice, table)
    else {
      dice.below(10) match {
        case 0                            => unshredded
        case 1 | 2                        => BySpark(inferred, pages(dice))
        case 3 | 4 | 5 | 6 if mayBeForced => forced(dice, table)
        case _                            => Ours(ours(dice, table))
      }
    }
  }

  private def inferred = Map(Shred -> "true", Infer -> "true", Force -> "")

  /** DuckDB writes Variants at the top level only. */
  private def isForDuckDb(table: FuzzTable): Boolean =
    table.partition.isEmpty && table.schema.forall { field =>
      field.dataType == VariantType || !VariantTypes.hasVariant(field.dataType)
    }

  private def byDuckDb(dice: Dice, table: FuzzTable): WriteChoice = {
    val samples = table.variants.filter(_.column == "v").flatMap(_.samples)
    val chosen = Option.when(dice.oneIn(2))(new RandomShredding(dice.rng).schema(samples))
    ByDuckDb(chosen.flatMap(sparkType))
  }

  private def forced(dice: Dice, table: FuzzTable): WriteChoice = {
    val samples = dice.pick(table.variants).samples
    val schema = new RandomShredding(dice.rng).schema(samples)
    val ddl = sparkType(schema).map(_.sql).filter(text => Try(DataType.fromDDL(text)).isSuccess)
    BySpark(
      Map(Shred -> "true", Infer -> "false", Force -> ddl.getOrElse("a int")),
      pages(dice)
    )
  }

  /** What Spark shreds to, if it can. */
  private def sparkType(schema: ShreddingSchema): Option[DataType] = schema match {
    case ShreddingSchema.Unshredded       => Some(VariantType)
    case ShreddingSchema.ArrayOf(inner)   => sparkType(inner).map(ArrayType(_))
    case ShreddingSchema.ObjectOf(fields) =>
      val known = fields.flatMap { case (name, inner) => sparkType(inner).map(name -> _) }
      Option.when(known.nonEmpty)(StructType(known.map { case (n, t) => StructField(n, t) }))
    case ShreddingSchema.Primitive(shredded) =>
      shredded match {
        case ShreddedType.BooleanType        => Some(BooleanType)
        case ShreddedType.Int8               => Some(ByteType)
        case ShreddedType.Int16              => Some(ShortType)
        case ShreddedType.Int32              => Some(IntegerType)
        case ShreddedType.Int64              => Some(LongType)
        case ShreddedType.FloatType          => Some(FloatType)
        case ShreddedType.DoubleType         => Some(DoubleType)
        case ShreddedType.Date               => Some(DateType)
        case ShreddedType.TimestampMicros    => Some(TimestampType)
        case ShreddedType.TimestampNtzMicros => Some(TimestampNTZType)
        case ShreddedType.Binary             => Some(BinaryType)
        case ShreddedType.StringType         => Some(StringType)
        case ShreddedType.DecimalOf(p, s)    => Some(DecimalType(p, s))
        case _                               => None
      }
  }

  /** Small pages and row groups, often. */
  private def pages(dice: Dice): Map[String, String] = {
    def maybe(key: String, values: String*) = Option.when(dice.oneIn(3))(key -> dice.pick(values))
    Seq(
      maybe("parquet.page.row.count.limit", "1", "3", "10"),
      maybe("parquet.page.size", "64", "200"),
      maybe("parquet.block.size", "200", "3000"),
      maybe("parquet.enable.dictionary", "true", "false"),
      maybe("parquet.writer.version", "PARQUET_2_0", "PARQUET_1_0"),
      maybe("compression", "none", "snappy", "zstd", "gzip", "lz4_raw")
    ).flatten.toMap
  }

  private def ours(dice: Dice, table: FuzzTable): Map[String, String] = {
    def maybe(key: String, values: String*) = Option.when(dice.oneIn(5))(key -> dice.pick(values))
    val paths = new RandomPath(dice)
    def somePath(): String =
      paths.shreddingPath(table.variants.filter(_.column == "v").flatMap(_.samples))
    val layout = if (dice.oneIn(3)) Map("layout" -> "overview") else Map.empty
    val others = Seq(
      maybe("inferRows", "1", "5", "40"),
      maybe("maxShreddedColumns", "3", "10"),
      maybe("maxShreddedDepth", "1", "2"),
      maybe("minFrequency", "0", "0.5", "1"),
      maybe("minTypeShare", "0", "0.4", "1"),
      maybe("minObjectShare", "0", "0.4", "1"),
      maybe("maxObjectKeys", "1", "3"),
      maybe("driftRows", "0", "8", "30"),
      maybe("clustering", "shape"),
      maybe("clusterBy", somePath()),
      maybe("clusterBytes", "100", "5000"),
      maybe("bloomFilter", somePath()),
      maybe("maxRecordsPerFile", "25", "40")
    ).flatten.toMap
    // With several columns of Variants these are for the column that is called `v`.
    val forColumn = others.map {
      case (key, path) if OfPaths.contains(key) =>
        key -> s"""{"v": ${quoted(path)}}"""
      case other => other
    }
    pages(dice) ++ layout ++ shredding(dice, table) ++ forColumn
  }

  private def shredding(dice: Dice, table: FuzzTable): Map[String, String] = {
    val columns = table.variants.map(_.column).distinct
    def fromSamples(): String =
      columns
        .map { column =>
          val samples = table.variants.filter(_.column == column).flatMap(_.samples)
          val schema = new RandomShredding(dice.rng).schema(samples)
          s"${quoted(column)}: ${quoted(text(schema))}"
        }
        .mkString("{", ", ", "}")
    dice.below(8) match {
      case 0             => Map("shredding" -> "none")
      case 1 | 2 | 3 | 4 => Map("shredding" -> fromSamples())
      case _             => Map.empty
    }
  }

  private def text(schema: ShreddingSchema): String = schema match {
    case ShreddingSchema.Unshredded => "none"
    case other                      => ShreddingText.render(other)
  }

  private def quoted(text: String): String = {
    val escaped = text.flatMap {
      case '"'                           => "\\\""
      case '\\'                          => "\\\\"
      case c if c < ' ' || c == '\u007f' => f"\\u${c.toInt}%04x"
      case c                             => c.toString
    }
    "\"" + escaped + "\""
  }
}

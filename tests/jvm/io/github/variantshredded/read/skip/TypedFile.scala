package io.github.variantshredded.read.skip

import java.nio.file.Path

import scala.util.Random

import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.testing.{ParquetLeaf, VariantTree}
import org.apache.parquet.column.ParquetProperties.WriterVersion

/**
 * A random file that has the same kinds of values in ordinary columns and in a shredded Variant,
 * most of them growing from row to row, so that there is something to skip.
 */
final class TypedFile(seed: Long) {
  import TypedFile._

  private val rng = new Random(seed)
  private val rowCount = 1 + rng.nextInt(200)
  private val isSorted = rng.nextInt(4) > 0
  private val nulls = Seq(0, 0, 2, 10, 100)(rng.nextInt(5))
  private val spread = 1 + rng.nextInt(40)

  /** Fields of the Variant that have values of other types, or Variant nulls only. */
  private val mixed: Set[String] = names.filter(_ => rng.nextInt(6) == 0).toSet
  private val nulled: Set[String] = names.filter(_ => rng.nextInt(6) == 0).toSet

  val schema: String = {
    val ordinary = leaves.map { case (name, (leaf, _)) => s"optional $leaf;".replace("#", name) }
    val typed = leaves.map { case (name, (leaf, _)) =>
      s"required group $name { optional binary value; optional ${leaf.replace("#", "typed_value")}; }"
    }
    s"""message m {
       |  ${ordinary.mkString("\n  ")}
       |  optional group st { optional int32 x; optional group y { optional binary z (STRING); } }
       |  optional group l (LIST) { repeated group list { optional int64 element; } }
       |  optional group ls (LIST) { repeated group list { optional group element {
       |    optional double p; optional binary q (STRING); } } }
       |  optional group l2 (LIST) { repeated int64 array; }
       |  optional group v {
       |    required binary metadata;
       |    optional binary value;
       |    optional group typed_value {
       |      ${typed.mkString("\n      ")}
       |      required group l { optional binary value; optional group typed_value (LIST) {
       |        repeated group list { required group element {
       |          optional binary value; optional int64 typed_value; } } } }
       |      required group ls { optional binary value; optional group typed_value (LIST) {
       |        repeated group list { required group element { optional binary value;
       |          optional group typed_value {
       |            required group p { optional binary value; optional double typed_value; }
       |            required group q { optional binary value; optional binary typed_value (STRING); }
       |      } } } } }
       |    }
       |  }
       |}""".stripMargin
  }

  private val metadata = {
    val fields = (names ++ Seq("p", "q")).map(_ -> VariantTree.Null)
    VariantTree.encode(VariantTree.obj(fields: _*))._1
  }

  private def sometimes[T](value: => T): Option[T] =
    Option.when(nulls == 0 || rng.nextInt(nulls) > 0)(value)

  private def residual(name: String): Option[Map[String, Any]] =
    if (mixed(name) && rng.nextInt(20) == 0) {
      val other = Seq(
        VariantTree.Str("5"),
        VariantTree.Int64(5),
        VariantTree.Dbl(Double.NaN),
        VariantTree.Bool(true)
      ) ++ Option.when(!name.startsWith("l"))(VariantTree.arr(VariantTree.Int64(7)))
      Some(Map("value" -> VariantTree.encode(other(rng.nextInt(other.size)))._2))
    } else if (nulled(name) && rng.nextInt(5) == 0) Some(Map("value" -> Array[Byte](0)))
    else None

  private def row(i: Int): Map[String, Any] = {
    val base = (if (isSorted) i else rng.nextInt(rowCount)) * 10L / spread
    def next(): Long = base + rng.nextInt(spread)
    val plain = leaves.flatMap { case (name, (_, make)) =>
      sometimes(make(next() - 50, rng)).map(name -> _)
    }
    val typed = leaves.map { case (name, (_, make)) =>
      val cell = residual(name).orElse(
        sometimes(make(next() - 50, rng)).map(value => Map("typed_value" -> value))
      )
      name -> cell.getOrElse(Map.empty[String, Any])
    }
    def some[T](make: => T): Seq[T] = Seq.fill(rng.nextInt(4))(make)
    def cell(name: String, value: => Any): Map[String, Any] =
      residual(name).orElse(sometimes(Map("typed_value" -> value))).getOrElse(Map.empty)
    val own = Seq[Option[(String, Any)]](
      sometimes(
        "st" -> (sometimes[(String, Any)]("x" -> next().toInt).toMap ++
          sometimes("y" -> sometimes("z" -> s"z${next()}").toMap))
      ),
      sometimes("l" -> Map("list" -> some(sometimes("element" -> next()).toMap))),
      sometimes(
        "ls" -> Map(
          "list" -> some(
            sometimes(
              "element" -> (sometimes("p" -> next().toDouble) ++ sometimes(
                "q" -> s"q${next()}"
              )).toMap
            ).toMap
          )
        )
      ),
      sometimes("l2" -> Map("array" -> some(next())))
    ).flatten.toMap
    val lists = Map(
      "l" -> residual("l").getOrElse(
        Map("typed_value" -> Map("list" -> some(Map("element" -> cell("t", next())))))
      ),
      "ls" -> residual("ls").getOrElse(
        Map("typed_value" -> Map("list" -> some {
          val fields = Map("p" -> cell("d", next().toDouble), "q" -> cell("s", s"q${next()}"))
          Map("element" -> residual("n").getOrElse(Map("typed_value" -> fields)))
        }))
      )
    )
    val variant = Map[String, Any]("metadata" -> metadata, "typed_value" -> (typed ++ lists))
    plain ++ own ++ sometimes("v" -> variant)
  }

  val rows: Vector[Map[String, Any]] = Vector.tabulate(rowCount)(row)

  def write(path: Path): Unit = ParquetFixture.write(
    path,
    schema,
    rows,
    _.withRowGroupRowCountLimit(10 + rng.nextInt(100))
      .withPageRowCountLimit(1 + rng.nextInt(30))
      .withMinRowCountForPageSizeCheck(1)
      .withDictionaryEncoding(rng.nextBoolean())
      .withBloomFilterEnabled(rng.nextBoolean())
      .withMaxBloomFilterBytes(1024)
      .withColumnIndexTruncateLength(1 + rng.nextInt(8))
      .withStatisticsTruncateLength(1 + rng.nextInt(8))
      .withWriterVersion(
        if (rng.nextBoolean()) WriterVersion.PARQUET_1_0 else WriterVersion.PARQUET_2_0
      )
  )
}

object TypedFile {

  private def bytesOf(number: Long, size: Int): Array[Byte] =
    ParquetLeaf.bigEndian(java.math.BigInteger.valueOf(number), size)

  private def floating(number: Long, rng: Random): Double = rng.nextInt(25) match {
    case 0 => -0.0
    case 1 => 0.0
    case 2 => if (number % 7 == 0) Double.NaN else number.toDouble
    case _ => number + 0.25 * rng.nextInt(4)
  }

  /** Parquet's text for a leaf by the name `#`, and its value for a number. */
  val leaves: Map[String, (String, (Long, Random) => Any)] = Map(
    "b" -> ("boolean #" -> ((n, _) => n > 20)),
    "tiny" -> ("int32 # (INTEGER(8,true))" -> ((n, _) => (n % 120).toInt)),
    "small" -> ("int32 # (INTEGER(16,true))" -> ((n, _) => (n % 300 * 100).toInt)),
    "i" -> ("int32 #" -> ((n, _) => (n * 1000000).toInt)),
    "n" -> ("int64 #" -> ((n, _) => if (n > 40) n << 40 else n)),
    "f" -> ("float #" -> ((n, rng) => floating(n, rng).toFloat)),
    "d" -> ("double #" -> ((n, rng) => floating(n, rng))),
    "day" -> ("int32 # (DATE)" -> ((n, _) => n.toInt)),
    "t" -> ("int64 # (TIMESTAMP(MICROS,true))" -> ((n, _) => n * 1000003)),
    "ntz" -> ("int64 # (TIMESTAMP(MICROS,false))" -> ((n, _) => n * 1000003)),
    "s" -> ("binary # (STRING)" -> ((n, _) =>
      f"text ${n + 50}%03d ${"\u20ac" * (n % 3).toInt.abs}"
    )),
    "raw" -> ("binary #" -> ((n, rng) => bytesOf(n, 8).take(6 + rng.nextInt(3)))),
    "dec4" -> ("int32 # (DECIMAL(9,2))" -> ((n, _) => (n * 33).toInt)),
    "dec8" -> ("int64 # (DECIMAL(18,3))" -> ((n, _) => n * 1234567)),
    "dec16" -> ("fixed_len_byte_array(9) # (DECIMAL(20,4))" -> ((n, _) => bytesOf(n * 777, 9))),
    "decb" -> ("binary # (DECIMAL(20,4))" -> ((n, _) => bytesOf(n * 777, 3 + (n % 3).toInt.abs)))
  )

  val names: Seq[String] = leaves.keys.toSeq ++ Seq("l", "ls")

  /** Types that an ordinary column can be read as. */
  val columnTypes: Map[String, Seq[String]] = Map(
    "b" -> Seq("boolean"),
    "tiny" -> Seq("tinyint", "int", "bigint"),
    "small" -> Seq("smallint", "int", "bigint"),
    "i" -> Seq("int", "bigint", "double"),
    "n" -> Seq("bigint"),
    "f" -> Seq("float", "double"),
    "d" -> Seq("double"),
    "day" -> Seq("date"),
    "t" -> Seq("timestamp"),
    "ntz" -> Seq("timestamp_ntz"),
    "s" -> Seq("string"),
    "raw" -> Seq("binary", "string"),
    "dec4" -> Seq("decimal(9,2)", "decimal(12,2)", "decimal(12,4)"),
    "dec8" -> Seq("decimal(18,3)"),
    "dec16" -> Seq("decimal(20,4)"),
    "decb" -> Seq("decimal(20,4)"),
    "st" -> Seq("struct<x: int, y: struct<z: string>>", "struct<y: struct<z: string, none: int>>"),
    "l" -> Seq("array<bigint>"),
    "ls" -> Seq("array<struct<p: double, q: string>>", "array<struct<q: string, none: int>>"),
    "l2" -> Seq("array<bigint>"),
    "none" -> Seq("int")
  )

  /** Types that fields of the Variant are asked as, the own one first. */
  val variantTypes: Map[String, Seq[String]] = {
    val numbers = Seq(
      "int",
      "bigint",
      "double",
      "float",
      "decimal(20,4)",
      "smallint",
      "tinyint",
      "decimal(3,1)",
      "string",
      "boolean",
      "timestamp"
    )
    Map(
      "b" -> Seq("boolean", "int", "string"),
      "tiny" -> ("tinyint" +: numbers),
      "small" -> ("smallint" +: numbers),
      "i" -> ("int" +: numbers),
      "n" -> ("bigint" +: numbers),
      "f" -> ("float" +: numbers),
      "d" -> ("double" +: numbers),
      "day" -> Seq("date", "timestamp", "string"),
      "t" -> Seq("timestamp", "date", "string", "bigint", "timestamp_ntz"),
      "ntz" -> Seq("timestamp_ntz", "timestamp", "date"),
      "s" -> Seq("string", "bigint", "binary"),
      "raw" -> Seq("binary", "string"),
      "dec4" -> ("decimal(9,2)" +: numbers),
      "dec8" -> ("decimal(18,3)" +: numbers),
      "dec16" -> ("decimal(20,4)" +: numbers),
      "decb" -> ("decimal(20,4)" +: numbers),
      "l" -> Seq("array<bigint>", "array<int>", "array<string>", "bigint"),
      "ls" -> Seq(
        "array<struct<p: double>>",
        "array<struct<p: double, q: string>>",
        "array<struct<q: string, p: int, none: int>>",
        "array<struct<q: bigint, p: double>>"
      ),
      "none" -> Seq("int", "string")
    )
  }
}

package io.github.variantshredded.read.file

import java.math.BigInteger
import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.parquet.hadoop.ParquetFileWriter.Mode
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  EqualTo,
  Expression,
  GreaterThanOrEqual,
  LessThan,
  Literal
}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/**
 * Decimals of up to 18 digits in ordinary columns that are stored as bytes: Spark's decoder reads
 * other numbers from more than eight bytes, and fails on bytes of variable length.
 */
class DecimalBytesSuite extends AnyFunSuite with TemporaryFolder {

  private val Rows = 400

  /** The unscaled number of a row; None for null. */
  private def number(i: Int, digits: Int): Option[Long] = {
    val large = if (digits == 9) 300000000L else 3000000000L
    Option.when(i % 5 != 4)(Seq(300L, -300L, large + i % 3, -large, 0L)(i / 5 % 5))
  }

  private def list(i: Int, digits: Int): Seq[Option[Long]] =
    Seq.tabulate(i % 4)(j => number(i + j, digits))

  /** The number in so many bytes; in as few as possible if the type has no length. */
  private def bytes(number: BigInteger, length: Int): Array[Byte] = {
    val shortest = number.toByteArray
    val sign: Byte = if (number.signum < 0) -1 else 0
    Array.fill(math.max(0, length - shortest.length))(sign) ++ shortest
  }

  private def schema(physical: String, digits: Int): String = {
    def leaf(name: String) = s"$physical $name (DECIMAL($digits,2));"
    s"message m { required int64 n; optional ${leaf("d")} required ${leaf("r")} " +
      s"optional group l (LIST) { repeated group list { optional ${leaf("element")} } } " +
      s"optional group s { optional ${leaf("x")} } }"
  }

  private def row(i: Int, digits: Int, length: Int): ParquetFixture.Row = {
    def stored(number: Long) = bytes(BigInteger.valueOf(number), length)
    def field(name: String, number: Option[Long]) = number.map(name -> stored(_)).toMap
    val elements = list(i, digits).map(field("element", _))
    Map[String, Any](
      "n" -> i.toLong,
      "r" -> stored(number(i, digits).getOrElse(7L)),
      "l" -> Map("list" -> elements),
      "s" -> field("x", number(i, digits))
    ) ++ field("d", number(i, digits))
  }

  private val writers = Seq[(String, ExampleParquetWriter.Builder => ExampleParquetWriter.Builder)](
    "plain" -> (_.withDictionaryEncoding(false)),
    "dictionary" -> (_.withDictionaryEncoding(true)),
    "dictionary of few bytes" -> (_.withDictionaryEncoding(true).withDictionaryPageSize(10)),
    "plain, v2" -> (_.withDictionaryEncoding(false)
      .withWriterVersion(MalformedParquet.version(true))),
    "dictionary, v2" -> (_.withDictionaryEncoding(true)
      .withWriterVersion(MalformedParquet.version(true)))
  )

  private def write(
      path: Path,
      physical: String,
      digits: Int,
      length: Int,
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder
  ): Unit = ParquetFixture.write(
    path,
    schema(physical, digits),
    (0 until Rows).map(row(_, digits, length)),
    builder => settings(builder.withPageRowCountLimit(50).withMinRowCountForPageSizeCheck(1))
  )

  private type Values = (Option[Long], Long, Seq[Option[Long]], Option[Long])

  private def values(row: InternalRow, decimal: DecimalType): Values = {
    def unscaled(one: Decimal) = one.toJavaBigDecimal.setScale(2).unscaledValue.longValueExact
    def of(row: InternalRow, i: Int) =
      Option.unless(row.isNullAt(i))(
        unscaled(row.getDecimal(i, decimal.precision, decimal.scale))
      )
    val elements = row.getArray(3)
    val found = Seq.tabulate(elements.numElements()) { i =>
      Option.unless(elements.isNullAt(i))(
        unscaled(elements.getDecimal(i, decimal.precision, decimal.scale))
      )
    }
    (of(row, 1), of(row, 2).get, found, of(row.getStruct(4, 1), 0))
  }

  private def expected(i: Int, digits: Int): Values = {
    val own = number(i, digits)
    (own, own.getOrElse(7L), list(i, digits), own)
  }

  private def columns(decimal: DecimalType): StructType = {
    val sql = decimal.sql
    StructType.fromDDL(s"n bigint, d $sql, r $sql, l array<$sql>, s struct<x: $sql>")
  }

  for {
    (physical, length, digits) <- Seq(
      ("fixed_len_byte_array(9)", 9, 18),
      ("fixed_len_byte_array(12)", 12, 18),
      ("fixed_len_byte_array(15)", 15, 9),
      ("fixed_len_byte_array(8)", 8, 18),
      ("binary", 0, 18),
      ("binary", 0, 9),
      ("binary", 11, 18)
    )
    (pages, settings) <- writers
  } test(s"DECIMAL($digits,2) in $physical, $length bytes, $pages: the numbers that were written") {
    val path = Files.createTempDirectory(folder, "decimals").resolve("file.parquet")
    write(path, physical, digits, length, settings)
    for {
      decimal <- Seq(DecimalType(digits, 2), DecimalType(18, 2), DecimalType(18, 4)) ++
        Seq(DecimalType(21, 2), DecimalType(22, 3))
      if decimal.precision - decimal.scale >= digits - 2
      (offHeap, batch) <- Seq((false, 4096), (true, 7))
    } {
      val wanted = columns(decimal)
      val options = FileRows.readSettings(strict = true, offHeap, batch)
      def read(conditions: Expression*) = {
        val pushed = Conjuncts.of(conditions, wanted).pushed
        FileRows.read(path, wanted, options, conjuncts = pushed)(values(_, decimal))
      }
      val clue = s"$decimal, off heap $offHeap"
      assert(read() === (0 until Rows).map(expected(_, digits)), clue)
      val n = AttributeReference("n", LongType)()
      val range = And(GreaterThanOrEqual(n, Literal(61L)), LessThan(n, Literal(340L)))
      assert(read(range) === (61 until 340).map(expected(_, digits)), clue)
      val d = AttributeReference("d", decimal)()
      val three = Literal(
        Decimal(new java.math.BigDecimal("-3.00"), decimal.precision, decimal.scale),
        decimal
      )
      assert(
        read(EqualTo(d, three)) === (0 until Rows)
          .filter(number(_, digits).contains(-300L))
          .map(expected(_, digits)),
        clue
      )
    }
  }

  for {
    physical <- Seq("binary", "fixed_len_byte_array(9)")
    dictionary <- Seq(false, true)
  } test(s"numbers in $physical that do not fit are refused, dictionary $dictionary") {
    val path = folder.resolve(s"large$physical$dictionary.parquet")
    def reason(digits: Int, number: BigInteger) = {
      ParquetFixture.write(
        path,
        s"message m { optional $physical d (DECIMAL($digits,2)); }",
        Seq(Map("d" -> bytes(BigInteger.ONE, 9)), Map("d" -> bytes(number, 9))),
        _.withDictionaryEncoding(dictionary)
          .withWriteMode(Mode.OVERWRITE)
      )
      val wanted = StructType.fromDDL(s"d decimal($digits,2)")
      val error = intercept[VariantShreddedException] {
        FileRows.read(path, wanted)(_.getDecimal(0, digits, 2))
      }
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      assert(error.location.column === Some("d"))
      error.reason
    }
    def expected(digits: Int) =
      s"The decimal 1 of a page does not fit into the $digits digits of its column."
    assert(reason(18, BigInteger.ONE.shiftLeft(63)) === expected(18))
    assert(
      reason(18, BigInteger.ONE.shiftLeft(63).negate.subtract(BigInteger.ONE)) === expected(18)
    )
    assert(reason(9, BigInteger.ONE.shiftLeft(31)) === expected(9))
  }

  test("a decimal of no bytes is refused") {
    val path = folder.resolve("empty.parquet")
    ParquetFixture.write(
      path,
      "message m { optional binary d (DECIMAL(18,2)); }",
      Seq(Map("d" -> Array.emptyByteArray), Map("d" -> Array[Byte](1, 2))),
      _.withDictionaryEncoding(false)
    )
    val error = intercept[VariantShreddedException] {
      FileRows.read(path, StructType.fromDDL("d decimal(18,2)"))(_.getDecimal(0, 18, 2))
    }
    assert(error.condition === "CORRUPT_PARQUET_FILE")
    assert(error.reason === "The decimal 0 of a page claims 0 bytes.")
  }

  for (dictionary <- Seq(false, true))
    test(s"numbers are read as a given schema says, dictionary $dictionary") {
      val path = folder.resolve(s"given$dictionary.parquet")
      ParquetFixture.write(
        path,
        "message m { required int64 u64 (INTEGER(64,false)); " +
          "optional int32 u32 (INTEGER(32,false)); optional int64 d (DECIMAL(9,2)); }",
        (0 until 100).map { i =>
          Map("u64" -> (1L << 40) * (i % 7 - 3), "u32" -> (i % 7 - 3), "d" -> (i % 7 - 3L) * 101)
        },
        _.withDictionaryEncoding(dictionary)
      )
      val wanted = StructType.fromDDL("u64 bigint, u32 int, d decimal(18,2)")
      val found = FileRows.read(path, wanted) { row =>
        (row.getLong(0), row.getInt(1), row.getDecimal(2, 18, 2).toUnscaledLong)
      }
      assert(found === (0 until 100).map { i =>
        ((1L << 40) * (i % 7 - 3), i % 7 - 3, (i % 7 - 3L) * 101)
      })
      val own = StructType.fromDDL("u64 decimal(20,0), u32 bigint, d decimal(9,2)")
      val unsigned = FileRows.read(path, own) { row =>
        (row.getDecimal(0, 20, 0).toString, row.getLong(1), row.getDecimal(2, 9, 2).toUnscaledLong)
      }
      assert(unsigned === (0 until 100).map { i =>
        (
          java.lang.Long.toUnsignedString((1L << 40) * (i % 7 - 3)),
          Integer.toUnsignedLong(i % 7 - 3),
          (i % 7 - 3L) * 101
        )
      })
    }
}

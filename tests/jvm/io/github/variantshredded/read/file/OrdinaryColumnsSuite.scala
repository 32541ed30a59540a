package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.util.Random

import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.testing.{Clue, DataFiles, SparkSuite, TemporaryFolder}
import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Ordinary columns of files that Spark wrote: our reader's answers are those of Spark's. */
class OrdinaryColumnsSuite extends SparkSuite with TemporaryFolder {

  private val rowCount = 300

  private val modes: Seq[ReadSettings] = for {
    batchSize <- Seq(1, 7, 4096)
    offHeap <- Seq(false, true)
  } yield FileRows.readSettings(strict = true, offHeap, batchSize)

  /** Random rows in one file, in small pages and row groups. */
  private def written(schema: StructType, seed: Long, options: (String, String)*): Path = {
    info(s"seed $seed")
    val random = new RandomRows(new Random(seed))
    val rows = Seq.fill(rowCount)(random.row(schema))
    val path = Files.createTempDirectory(folder, "rows")
    spark
      .createDataFrame(spark.sparkContext.parallelize(rows, 1), schema)
      .write
      .mode("overwrite")
      .option("parquet.page.row.count.limit", "41")
      .option("parquet.block.row.count.limit", "130")
      .options(options.toMap)
      .parquet(path.toString)
    assert(DataFiles.below(path).size === 1)
    path
  }

  private def assertSame(
      path: Path,
      schema: StructType,
      options: ReadSettings => ReadSettings = identity
  ): Unit = {
    val wanted = SparkAnswers.bySpark(spark, path, schema)
    assert(wanted.size === rowCount)
    modes.map(options).foreach { mode =>
      val found = SparkAnswers.byUs(path, schema, mode)
      assert(found.size === wanted.size)
      found.zip(wanted).zipWithIndex.foreach { case ((ours, theirs), i) =>
        assert(ours === theirs, Clue(s"row $i of ${schema.catalogString} with $mode"))
      }
    }
  }

  private def ddl(text: String): StructType = StructType.fromDDL(text)

  private val flat = StructType(
    Seq[DataType](
      BooleanType,
      ByteType,
      ShortType,
      IntegerType,
      LongType,
      FloatType,
      DoubleType,
      DecimalType(5, 2),
      DecimalType(9, 9),
      DecimalType(18, 3),
      DecimalType(19, 0),
      DecimalType(38, 18),
      StringType,
      BinaryType,
      DateType,
      TimestampType,
      TimestampNTZType,
      YearMonthIntervalType(),
      DayTimeIntervalType()
    ).zipWithIndex.map { case (dataType, i) => StructField(s"c$i", dataType) }
  )

  private val nested = ddl(
    "i int, aa array<array<int>>, asx array<struct<x: string, y: array<bigint>>>, " +
      "m map<string, struct<a: int, b: struct<c: double, d: binary>>>, " +
      "ss struct<s: struct<t: struct<u: string, v: date>, w: decimal(20, 3)>, b: boolean>, " +
      "am array<map<int, array<string>>>, ma map<int, map<string, timestamp>>, s string"
  )

  Seq("1.0" -> "PARQUET_1_0", "2.0" -> "PARQUET_2_0").foreach { case (name, version) =>
    test(s"all flat types, pages of version $name") {
      assertSame(written(flat, 11, "parquet.writer.version" -> version), flat)
    }

    test(s"nested types, pages of version $name") {
      assertSame(written(nested, 12, "parquet.writer.version" -> version), nested)
    }
  }

  test("all flat types without nulls and without dictionaries") {
    val required = StructType(flat.map(_.copy(nullable = false)))
    assertSame(written(required, 13, "parquet.enable.dictionary" -> "false"), flat)
  }

  test("random nested schemas") {
    val seed = 14L
    val rng = new Random(seed)
    (1 to 15).foreach { i =>
      val schema = StructType((0 to rng.nextInt(4)).map { c =>
        StructField(s"c$c", randomType(rng, 4))
      })
      withClue(s"schema ${schema.catalogString}: ")(assertSame(written(schema, seed + i), schema))
    }
  }

  private def randomType(rng: Random, depth: Int): DataType =
    rng.nextInt(if (depth > 0) 8 else 3) match {
      case 3 | 4 => ArrayType(randomType(rng, depth - 1))
      case 5     => MapType(StringType, randomType(rng, depth - 1))
      case 6 | 7 =>
        StructType((0 to rng.nextInt(3)).map(f => StructField(s"f$f", randomType(rng, depth - 1))))
      case _ => flat.fields(rng.nextInt(flat.size)).dataType
    }

  test("a part of the columns, in another order, in other letters") {
    val path = written(nested, 15)
    assertSame(path, ddl("S string, I int"))
    assertSame(path, ddl("SS struct<B: boolean, S: struct<T: struct<U: string>>>"))
    assertSame(
      path,
      ddl("m map<string, struct<B: struct<D: binary>>>, asx array<struct<Y: array<bigint>>>")
    )
  }

  test("columns and fields that the file lacks") {
    val path = written(nested, 16)
    assertSame(path, ddl("none int, i int, never array<int>"))
    assertSame(path, ddl("ss struct<none: int, b: boolean>"))
    assertSame(path, ddl("ss struct<s: struct<t: struct<none: string>, w: decimal(20, 3)>>"))
    assertSame(
      path,
      ddl("asx array<struct<z: int, x: string>>, m map<string, struct<a: int, z: int>>")
    )
  }

  test("structs of which the file has no field at all") {
    val path = written(nested, 17)
    assertSame(path, ddl("i int, ss struct<none: int>"))
    assertSame(path, ddl("asx array<struct<none: int>>"))
    assertSame(path, ddl("m map<string, struct<none: struct<x: int>>>"))
  }

  test("defaults of columns that the file lacks") {
    val path = written(ddl("i int"), 18)
    def withDefault(name: String, dataType: DataType, sql: String) = StructField(
      name,
      dataType,
      nullable = true,
      new MetadataBuilder()
        .putString("CURRENT_DEFAULT", sql)
        .putString("EXISTS_DEFAULT", sql)
        .build()
    )
    assertSame(
      path,
      StructType(
        Seq(
          StructField("i", IntegerType),
          withDefault("n", LongType, "42"),
          withDefault("s", StringType, "'x'"),
          withDefault("d", DecimalType(5, 2), "1.25"),
          withDefault("a", ArrayType(IntegerType), "array(1, 2)"),
          withDefault("st", ddl("x int, y string"), "named_struct('x', 1, 'y', 'z')")
        )
      )
    )
  }

  test("wider types than those of the file") {
    val path = written(
      ddl("b byte, s short, i int, f float, d5 decimal(5,2), d12 decimal(12,2), d date, l long"),
      19
    )
    assertSame(path, ddl("b int, s int, i long, f double, d5 decimal(12,2), d12 decimal(25,4)"))
    assertSame(path, ddl("b long, s double, i double, d timestamp_ntz, d5 decimal(20,5)"))
    assertSame(path, ddl("i decimal(10,0), l decimal(20,0), b decimal(12,2)"))
  }

  test("types that do not fit are an error, as they are for Spark") {
    val path = written(ddl("s string, l long, a array<int>, st struct<x: int>"), 20)
    Seq(
      "s int",
      "l string",
      "l boolean",
      "a array<string>",
      "st struct<x: string>",
      "a int",
      "st int",
      "s struct<x: int>"
    )
      .foreach { column =>
        withClue(s"$column: ") {
          intercept[Exception](SparkAnswers.bySpark(spark, path, ddl(column)))
          modes.foreach(mode => intercept[Exception](SparkAnswers.byUs(path, ddl(column), mode)))
        }
      }
  }

  test("files in Spark's legacy format") {
    withConf(SQLConf.PARQUET_WRITE_LEGACY_FORMAT.key -> "true") {
      assertSame(written(flat, 21), flat)
      assertSame(written(nested, 22), nested)
    }
  }

  Seq("INT96", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS").foreach { stored =>
    test(s"timestamps as $stored") {
      val schema = ddl("t timestamp, a array<timestamp>, n timestamp_ntz")
      withConf(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> stored) {
        assertSame(written(schema, 23), schema)
      }
    }
  }

  test("dates and times of the hybrid calendar") {
    val schema = ddl("d date, t timestamp, a array<date>, s struct<t: timestamp>")
    Seq("INT96", "TIMESTAMP_MICROS").foreach { stored =>
      withConf(
        SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> stored,
        SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key -> "LEGACY",
        SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key -> "LEGACY",
        SQLConf.SESSION_LOCAL_TIMEZONE.key -> "America/Los_Angeles"
      ) {
        val path = Files.createTempDirectory(folder, "hybrid")
        val rows = (0 until rowCount).map { i =>
          val day = java.time.LocalDate.of(1 + i * 6, 1 + i % 12, 1 + i % 28)
          val moment = day.atTime(1, 2, 3).toInstant(java.time.ZoneOffset.UTC)
          Row(day, moment, Seq(day, null), Row(moment))
        }
        spark
          .createDataFrame(spark.sparkContext.parallelize(rows, 1), schema)
          .write
          .mode("overwrite")
          .parquet(path.toString)
        assertSame(path, schema)
      }
    }
  }

  test("no column at all") {
    val path = written(nested, 24)
    modes.foreach(mode => assert(SparkAnswers.byUs(path, new StructType, mode).size === rowCount))
  }
}

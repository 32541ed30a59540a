package io.github.variantshredded.read.cast

import scala.util.{Failure, Success, Try}

import io.github.variantshredded.optimizer.ExtractionFixture
import io.github.variantshredded.read.file.{Placement, VariantFile, VariantRow}
import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import io.github.variantshredded.shredding.ShreddingSchema.{
  ArrayOf,
  ObjectOf,
  Primitive,
  Unshredded
}
import io.github.variantshredded.testing.{Clue, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.SparkThrowable

/**
 * `try_cast` of whole Variants that hold values of types that Spark does not know, such as TIME:
 * Spark's cast raises an error for them, and the result of `try_cast` is SQL NULL as a whole.
 */
class TryCastSuite extends ExtractionFixture {

  private val values: Vector[Option[VariantTree]] = Vector.tabulate(40) { i =>
    val number = Int64(i.toLong)
    val foreign = Vector(
      Time(i * 1000L),
      TimestampNanos(i * 999L),
      TimestampNtzNanos(i * 777L)
    )(i % 3)
    i % 8 match {
      case 0 => Some(obj("id" -> number, "at" -> Str(s"no. $i"), "l" -> arr(number, Int64(7))))
      case 1 => Some(obj("id" -> number, "at" -> foreign))
      case 2 => Some(obj("id" -> number, "at" -> Str("x"), "l" -> arr(number, foreign)))
      case 3 => None
      case 4 => Some(foreign)
      case 5 => Some(arr(number, Str("1"), number))
      case 6 => Some(arr(number, foreign))
      case _ => Some(if (i % 3 == 0) number else obj("id" -> Str("no"), "other" -> foreign))
    }
  }

  private val id = "id" -> Primitive(ShreddedType.Int64)

  // Spark's own source reads the file that is not shredded. Of the others it gets rebuilt Variants.
  private val schemas: Seq[(String, ShreddingSchema)] = Seq(
    "not shredded" -> Unshredded,
    "texts" -> ObjectOf(
      Vector(
        id,
        "at" -> Primitive(ShreddedType.StringType),
        "l" -> ArrayOf(Primitive(ShreddedType.Int64))
      )
    ),
    "times" -> ObjectOf(Vector(id, "at" -> Primitive(ShreddedType.Time))),
    "nanoseconds" -> ObjectOf(
      Vector(id, "at" -> Primitive(ShreddedType.TimestampNanos), "l" -> ArrayOf(Unshredded))
    ),
    "arrays" -> ArrayOf(Primitive(ShreddedType.Int64)),
    "arrays of times" -> ArrayOf(Primitive(ShreddedType.Time)),
    "numbers" -> Primitive(ShreddedType.Int64),
    "only times" -> Primitive(ShreddedType.Time)
  )

  private val pushed = Seq(
    "try_cast(v AS STRUCT<id: BIGINT, at: STRING>)",
    "try_cast(v AS STRUCT<at: STRING>)",
    "try_cast(v AS STRUCT<id: INT, l: ARRAY<BIGINT>>)",
    "try_cast(v AS STRUCT<l: ARRAY<STRING>>).l[0]",
    "try_cast(v AS ARRAY<STRING>)",
    "try_cast(v AS ARRAY<BIGINT>)",
    "try_cast(v AS MAP<STRING, STRING>)",
    "try_cast(v AS STRING)",
    "try_cast(v AS BIGINT)",
    "try_cast(v AS BOOLEAN)"
  ).map(cast => s"SELECT id, $cast FROM times") ++ Seq(
    "SELECT id FROM times WHERE try_cast(v AS STRUCT<id: BIGINT, at: STRING>).id >= 8",
    "SELECT id FROM times WHERE try_cast(v AS STRING) IS NULL",
    "SELECT count(try_cast(v AS STRUCT<at: STRING>)), max(try_cast(v AS BIGINT)) FROM times",
    "SELECT id, try_cast(w AS STRUCT<at: STRING>) FROM (SELECT id, v AS w FROM times LIMIT 50)",
    "SELECT id, try_cast(v AS STRUCT<at: STRING>) FROM (SELECT id, v FROM times UNION ALL " +
      "SELECT id, to_variant_object(named_struct('at', id)) FROM range(3))",
    "SELECT id, try_cast(v AS STRING) FROM (SELECT id, v FROM times UNION ALL " +
      "SELECT max(id), max_by(v, id) FROM times GROUP BY id % 11)"
  )

  private val above = Seq(
    "SELECT id, try_cast(max_by(v, id) AS STRING) FROM times GROUP BY id",
    "SELECT id, try_cast(max_by(v, id) AS STRUCT<id: BIGINT, at: STRING>) FROM times GROUP BY id"
  )

  private val raising = Seq(
    "SELECT id, try_variant_get(v, '$', 'string') FROM times",
    "SELECT id, try_variant_get(v, '$', 'struct<at: string>') FROM times",
    "SELECT id, try_cast(v:at AS STRING) FROM times",
    "SELECT id, try_cast(x AS STRING) FROM (SELECT id, v:at AS x FROM times LIMIT 50)"
  )

  private val modes = Seq(
    "spark.sql.codegen.wholeStage" -> "true",
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
  )

  private def answer(sql: String): Seq[String] = Try(rows(spark.sql(sql))) match {
    case Success(answer)                                      => answer
    case Failure(e: SparkThrowable) if e.getCondition != null => Seq(e.getCondition)
    case Failure(e)                                           => throw e
  }

  private def view(path: String, format: String): Unit =
    spark.read
      .schema("id bigint, v variant")
      .format(format)
      .load(path)
      .createOrReplaceTempView("times")

  schemas.foreach { case (name, schema) =>
    test(s"try_cast of whole Variants is Spark's: $name") {
      val rows = values.map(value => VariantRow(Some(Vector(value))))
      val file = new VariantFile(Placement.Top, schema, rows, 7L, "v", layout = Some(false))
      val path = folder.resolve(s"$name.parquet")
      file.write(path)
      val other = if (schema == Unshredded) "parquet" else "variant-shredded"
      val inModes = if (schema == Unshredded) modes else modes.take(1)
      for (sql <- pushed ++ above ++ raising; mode <- inModes) withConf(mode) {
        val wanted = withConf("spark.sql.variantShredded.pushDownExtractions" -> "false") {
          view(path.toString, other)
          answer(sql)
        }
        view(path.toString, "variant-shredded")
        assert(answer(sql) === wanted, Clue(s"$sql, $mode\n${spark.sql(sql).queryExecution}"))
        val isError = wanted == Seq("UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")
        assert(isError === raising.contains(sql), Clue(s"$sql: $wanted"))
        if (pushed.contains(sql)) {
          assert(scans(spark.sql(sql)).flatMap(_.pushed.extractions).nonEmpty, sql)
        }
      }
    }
  }

  private val ofOtherKind = Seq(
    "variant_get(v, '$.at', 'struct<x: int>')" -> true,
    "try_variant_get(v, '$.at', 'struct<x: int>')" -> true,
    "try_variant_get(v, '$.at', 'array<int>')" -> true,
    "try_variant_get(v, '$.l', 'array<struct<x: int>>')" -> true,
    "try_variant_get(v, '$.l[1]', 'array<int>')" -> true,
    "try_variant_get(v, '$', 'struct<id: int, at: array<int>>')" -> true,
    "try_cast(v:at AS ARRAY<INT>)" -> true,
    "try_cast(v:at AS STRUCT<x: INT>)" -> true,
    "try_cast(v AS STRUCT<id: INT, at: STRUCT<x: INT>>)" -> false,
    "try_cast(v AS STRUCT<l: ARRAY<ARRAY<INT>>>)" -> false,
    "try_variant_get(v, '$.id', 'struct<x: int>')" -> false
  )

  Seq[(ShreddedType, Long => VariantTree)](
    ShreddedType.Time -> Time.apply,
    ShreddedType.TimestampNanos -> TimestampNanos.apply,
    ShreddedType.TimestampNtzNanos -> TimestampNtzNanos.apply
  ).foreach { case (stored, value) =>
    test(s"casts to structs and arrays of typed values are Spark's: $stored") {
      val trees = Vector.tabulate(20) { i =>
        val at = value(i * 1001L)
        obj("id" -> Int64(i.toLong), "at" -> at, "l" -> arr(at, at))
      }
      val schema =
        ObjectOf(Vector(id, "at" -> Primitive(stored), "l" -> ArrayOf(Primitive(stored))))
      val rows = trees.map(tree => VariantRow(Some(Vector(Some(tree)))))
      val path = folder.resolve(s"typed-$stored.parquet")
      val allTyped = Int.MaxValue
      new VariantFile(Placement.Top, schema, rows, 7L, "v", allTyped, Some(false)).write(path)
      ofOtherKind.foreach { case (cast, isRaising) =>
        val sql = s"SELECT id, $cast FROM times"
        val wanted = withConf("spark.sql.variantShredded.pushDownExtractions" -> "false") {
          view(path.toString, "variant-shredded")
          answer(sql)
        }
        view(path.toString, "variant-shredded")
        assert(answer(sql) === wanted, sql)
        assert((wanted == Seq("UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")) === isRaising, sql)
        assert(scans(spark.sql(sql)).flatMap(_.pushed.extractions).nonEmpty, sql)
      }
    }
  }
}

package io.github.variantshredded.optimizer

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.Row
import org.apache.spark.sql.internal.SQLConf

/**
 * Structs of which a scan reads fewer fields than the query names, because it delivers extractions
 * from their Variants or evaluates a predicate first.
 */
class NarrowedStructsSuite extends PathSuite {

  override protected def sessionSettings: Map[String, String] =
    super.sessionSettings + (ReadOptions.LateMaterializationMinBytes.name -> "0")

  private val legacy = SQLConf.LEGACY_PARQUET_RETURN_NULL_STRUCT_IF_ALL_FIELDS_MISSING.key

  /** Compares the answers of Spark's source and of this one. */
  private def same(path: String, schema: String, query: String): Unit = {
    def answer(format: String) = {
      spark.read.format(format).schema(schema).load(path).createOrReplaceTempView("t")
      spark.sql(s"$query ORDER BY id").collect().toSeq
    }
    val wanted = answer("parquet")
    assert(answer("variant-shredded") === wanted, query)
    assert(wanted.nonEmpty || query.contains("IS NULL"), query)
  }

  private val a = """parse_json(concat('{"a":', id, '}'))"""

  private def parquet(query: String): String = {
    val path = newPath()
    spark.sql(query).write.parquet(path)
    path
  }

  // No file has the field u.
  private def flat = parquet(s"SELECT id, named_struct('q', $a) AS s FROM range(3)")

  private def nested = parquet(
    s"SELECT id, named_struct('t', IF(id = 1, NULL, named_struct('q', $a))) AS s FROM range(3)"
  )

  private def plain = parquet("SELECT id, named_struct('k', id) AS s FROM range(3)")

  private val ofFlat = Seq(
    "SELECT id, s IS NULL, s.u, s.q:a::int FROM t",
    "SELECT id, s.u, s.q:a::int FROM t WHERE s IS NOT NULL",
    "SELECT id, s.u, s.q:a::int FROM t WHERE s IS NULL",
    "SELECT id, to_json(s.q), s.u FROM t WHERE s IS NOT NULL OR s.u = 1",
    "SELECT id, s.q:a::int FROM t WHERE s IS NOT NULL AND (s.u IS NULL OR id > 100)"
  )

  private val ofNested = Seq(
    "SELECT id, s.t IS NULL, s.t.u, s.t.q:a::int FROM t",
    "SELECT id, s.t.u, s.t.q:a::int FROM t WHERE s.t IS NULL",
    "SELECT id, s.t.q:a::int FROM t WHERE s.t.u IS NULL"
  )

  for (isLegacy <- Seq("false", "true")) {
    test(s"fields that no file has are null, and structs as in Spark ($legacy=$isLegacy)") {
      withConf(legacy -> isLegacy) {
        val withVariants = flat
        ofFlat.foreach(same(withVariants, "id bigint, s struct<q: variant, u: int>", _))
        val deep = nested
        ofNested.foreach(same(deep, "id bigint, s struct<t: struct<q: variant, u: int>>", _))
        val ordinary = plain
        Seq(
          "SELECT id, s FROM t WHERE s IS NOT NULL OR s.u = 1",
          "SELECT id, s FROM t WHERE s IS NOT NULL AND (s.u IS NULL OR id > 100)"
        ).foreach(same(ordinary, "id bigint, s struct<k: bigint, u: int>", _))
      }
    }
  }

  test("a query writes the name of a struct column in several cases") {
    val path = parquet(
      s"SELECT id, named_struct('x', id, 'v', $a, 'y', id + 1000) AS s FROM range(3)"
    )
    Seq(
      "SELECT max(s.y) AS id, max(S.x), max(s.v:a::int) FROM t",
      "SELECT max(S.x) AS id, max(s.y), max(s.v:a::int) FROM t",
      "SELECT max(S.Y) AS id, max(S.v:a::int) FROM t",
      "SELECT S.y AS id, s.Y, S.v:a::int FROM t WHERE S.V:a::int > 0 AND s.v:a::int < 9",
      "SELECT T.id, T.S.y, T.S.v:a::int FROM t T JOIN (SELECT id AS i FROM range(2)) ON T.id = i",
      "SELECT id, to_json(S), s.v:a::int FROM t WHERE S.Y > 1000"
    ).foreach(same(path, "id bigint, s struct<x: bigint, v: variant, y: bigint>", _))
  }

  for (isLegacy <- Seq("false", "true")) {
    // The predicate alone would read all fields of the struct, and the query reads one.
    test(s"null tests of structs whose other fields the query reads ($legacy=$isLegacy)") {
      withConf(legacy -> isLegacy) {
        val path = parquet(
          "SELECT id, named_struct('k', id) AS s, repeat(cast(id AS string), 100) AS pad FROM range(3)"
        )
        Seq(
          "SELECT id, s.u, pad FROM t WHERE s IS NULL",
          "SELECT id, s.u, pad FROM t WHERE s IS NOT NULL OR id = 1",
          "SELECT id, s.u, pad FROM t WHERE NOT (s IS NOT NULL AND id < 2)"
        ).foreach(same(path, "id bigint, s struct<k: bigint, u: int>, pad string", _))
        val lists = parquet(
          "SELECT id, array(named_struct('k', id)) AS l, repeat(cast(id AS string), 100) AS pad, " +
            "map('a', named_struct('k', id)) AS m, " +
            "named_struct('l', array(named_struct('k', id))) AS s FROM range(3)"
        )
        Seq(
          "SELECT id, pad FROM t WHERE l.u IS NULL",
          "SELECT id, pad FROM t WHERE size(l.u) = 1 OR l.u IS NULL",
          "SELECT id, pad FROM t WHERE map_values(m).u IS NULL",
          "SELECT id, pad FROM t WHERE s.l.u IS NULL"
        ).foreach(
          same(
            lists,
            "id bigint, l array<struct<k: bigint, u: int>>, pad string, " +
              "m map<string, struct<k: bigint, u: int>>, " +
              "s struct<l: array<struct<k: bigint, u: int>>>",
            _
          )
        )
      }
    }
  }

  test("a null test of a struct does not read fields that the query does not read") {
    val path = parquet("SELECT id, named_struct('u', id, 'w', 'text') AS s FROM range(3)")
    same(
      path,
      "id bigint, s struct<u: bigint, w: struct<x: int>>",
      "SELECT id FROM t WHERE s IS NOT NULL AND s.u = 1"
    )
  }

  test("only fields that no file has, in a struct with a Variant") {
    val path = nested
    val schema = "id bigint, s struct<t: struct<u: int, w: string>>"
    spark.read.format("variant-shredded").schema(schema).load(path).createOrReplaceTempView("t")
    val found = spark.sql("SELECT id, s.t IS NULL, s.t.u FROM t ORDER BY id").collect().toSeq
    assert(found === Seq(Row(0, false, null), Row(1, true, null), Row(2, false, null)))
  }

  test("a later file has a field more, in structs, arrays and maps") {
    val path = newPath()
    def append(from: Int, fields: String): Unit =
      spark
        .sql(s"""SELECT id, named_struct($fields) AS s, array(named_struct($fields)) AS l,
                |map('k', named_struct($fields)) AS m FROM range($from, ${from + 2})""".stripMargin)
        .write
        .mode("append")
        .parquet(path)
    append(0, s"'q', $a")
    append(2, s"'q', $a, 'u', id")
    val struct = "struct<q: variant, u: bigint>"
    val schema = s"id bigint, s $struct, l array<$struct>, m map<string, $struct>"
    Seq(
      "SELECT id, s.u, s.q:a::int FROM t",
      "SELECT id, s.q:a::int FROM t WHERE s.u = 2",
      "SELECT id, s.u, s IS NULL, l[0].u, l[0] IS NULL, s.q:a::int FROM t",
      "SELECT id, transform(l, x -> x.u), s.q:a::int FROM t",
      "SELECT id, m['k'].u, m['k'] IS NULL, s.q:a::int FROM t"
    ).foreach(same(path, schema, _))
  }

  test("columns that have the names of extractions") {
    val path = parquet(
      s"""SELECT id, $a AS v, named_struct('n', id, 'q', $a) AS s, string(id) AS `v:a::int`,
         |int(id) AS __extraction_errors, int(id) AS `is_present(v:a)` FROM range(3)""".stripMargin
    )
    val schema = spark.read.parquet(path).schema.toDDL
    Seq(
      "SELECT id, `v:a::int`, v:a::int, s.n FROM t",
      "SELECT id, __extraction_errors, v:a::int, s.n, s.q:a::int FROM t",
      "SELECT id, `is_present(v:a)`, v:a IS NOT NULL, s.n FROM t",
      "SELECT id, s.n FROM t WHERE `v:a::int` = '1' AND v:a::int = 1 AND s.q:a::int = 1"
    ).foreach(same(path, schema, _))
  }

  test("only fields that an older file lacks, beside a Variant without annotation") {
    // Spark's converter refuses nanoseconds, so it must not read this leaf for the struct.
    val (path, variant) = (newPath(), """parse_json('{"t": 1}')""")
    val struct = s"IF(id = 1, NULL, named_struct('v', $variant))"
    spark
      .sql(s"SELECT id, $struct AS s, array($struct) AS l, map('k', $struct) AS m FROM range(3)")
      .write
      .format("variant-shredded")
      .option("layout", "overview")
      .option(
        "shredding",
        """{"s.v": "t timestamp_ns", "l.element.v": "t timestamp_ns", "m.value.v": "t timestamp_ns"}"""
      )
      .save(path)
    val fields = "struct<v: variant, x: int>"
    val schema = s"id bigint, s $fields, l array<$fields>, m map<string, $fields>"
    spark.read.format("variant-shredded").schema(schema).load(path).createOrReplaceTempView("t")
    val found =
      spark.sql("SELECT id, s.x, s IS NULL, l.x, l[0] IS NULL, m['k'].x, m['k'] IS NULL FROM t")
    assert(
      found.orderBy("id").collect().toSeq === (0 until 3).map { id =>
        Row(id.toLong, null, id == 1, Seq(null), id == 1, null, id == 1)
      }
    )
  }
}

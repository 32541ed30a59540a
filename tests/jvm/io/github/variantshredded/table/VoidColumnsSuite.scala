package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.SparkException
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Columns of the type VOID: read and written as by Spark's Parquet source. */
class VoidColumnsSuite extends PathSuite {

  private val Queries = Seq(
    "SELECT 1 AS a, NULL AS n",
    "SELECT NULL AS n FROM range(3)",
    "SELECT named_struct('x', NULL, 'y', id) AS s, id FROM range(5)",
    "SELECT named_struct('y', id, 'x', NULL) AS s FROM range(5)",
    "SELECT if(id % 2 = 0, NULL, named_struct('x', NULL)) AS s, id FROM range(5)",
    "SELECT array(NULL, NULL) AS l, array() AS e, id FROM range(3)",
    "SELECT if(id = 1, NULL, if(id = 2, array(), array(NULL))) AS l FROM range(4)",
    "SELECT map('k', NULL) AS m, map() AS e FROM range(3)",
    "SELECT array(named_struct('x', NULL, 'y', id), NULL) AS l FROM range(3)",
    "SELECT array(named_struct('x', NULL)) AS l, array(array(NULL)) AS ll FROM range(3)"
  )

  private def sorted(df: DataFrame): Seq[String] = df.collect().map(_.toString).sorted.toSeq

  private def parquet(df: DataFrame): String = {
    val path = newPath()
    df.write.parquet(path)
    path
  }

  test("files with VOID that Spark wrote are read without a schema, as Spark reads them") {
    Queries.foreach { query =>
      val path = parquet(spark.sql(query))
      val expected = spark.read.parquet(path)
      val found = reader.load(path)
      assert(found.schema === expected.schema, query)
      assert(sorted(found) === sorted(expected), query)
      assert(found.count() === expected.count(), query)
      assert(sorted(reader.schema(expected.schema).load(path)) === sorted(expected), query)
    }
  }

  test("VOID beside Variants is written and read, by Spark too") {
    Queries.foreach { query =>
      val rows = spark.sql(s"SELECT *, parse_json('{\"n\": [1, null]}') AS v FROM ($query)")
      val path = written(rows)
      assert(reader.load(path).schema === spark.read.parquet(path).schema, query)
      assert(sorted(reader.load(path)) === sorted(rows), query)
      assert(sorted(spark.read.parquet(path)) === sorted(rows), query)
    }
  }

  test("VOID beside Variants in structs, arrays and maps, over many batches and row groups") {
    val rows = spark
      .range(0, 20000, 1, 1)
      .selectExpr(
        "id",
        "named_struct('v', parse_json(concat('{\"n\": ', id, '}')), 'x', NULL) AS s",
        "array(named_struct('x', NULL, 'v', to_variant_object(named_struct('i', id)))) AS l",
        "map('k', named_struct('x', NULL, 'y', id)) AS m",
        "NULL AS n",
        "if(id % 3 = 0, array(NULL, NULL), array()) AS a"
      )
    val path = newPath()
    writer(rows).option("parquet.block.row.count.limit", "7000").save(path)
    Seq(true, false).foreach { offHeap =>
      spark.conf.set("spark.sql.columnVector.offheap.enabled", offHeap.toString)
      try {
        val found = reader.load(path)
        assert(found.schema === spark.read.parquet(path).schema)
        val values = Seq("id", "s.v:n::int", "s.x", "l[0].v:i::int", "l[0].x", "m['k']", "n", "a")
        assert(sorted(found.selectExpr(values: _*)) === sorted(rows.selectExpr(values: _*)))
        assert(
          found.where("s.v:n::int = 19999").selectExpr("l[0].v:i::int").head().getInt(0) === 19999
        )
        assert(found.where("n IS NULL AND id < 10").count() === 10)
        assert(found.where("n IS NOT NULL OR s.v:n::int = 3").count() === 1)
        assert(found.where("coalesce(n, id) = 4").count() === 1)
        assert(found.where("n <=> NULL AND s.x IS NULL AND id % 2 = 0").count() === 10000)
      } finally spark.conf.unset("spark.sql.columnVector.offheap.enabled")
    }
  }

  test("rows with VOID are skipped, also where it is null at several levels") {
    withConf("spark.sql.variantShredded.lateMaterializationMinBytes" -> "0") {
      Seq(20000, 5).foreach { count =>
        val rows = spark
          .range(0, count.toLong, 1, 1)
          .selectExpr(
            "id",
            "if(id % 2 = 0, NULL, named_struct('x', NULL)) AS s",
            "if(id % 3 = 0, array(NULL, NULL), array()) AS a",
            "if(id % 3 = 0, array(named_struct('x', NULL), NULL), NULL) AS l",
            "NULL AS n",
            "concat('text ', id) AS t"
          )
        Seq(parquet(rows), written(rows)).foreach { path =>
          Seq("id = 3", "id = 12345", "id % 4 = 1", "id % 7 = 2 OR id = 4").foreach { condition =>
            val found = reader.load(path).where(condition)
            assert(sorted(found) === sorted(rows.where(condition)), condition)
          }
        }
      }
    }
  }

  test("a given schema with VOID where the file has values is refused, as by Spark") {
    val path = parquet(spark.sql("SELECT 1 AS a, NULL AS n"))
    def condition(load: => DataFrame): String =
      intercept[SparkException](load.collect()).getCondition
    Seq("a void", "n int", "n string").foreach { schema =>
      assert(
        condition(reader.schema(schema).load(path)) ===
          condition(spark.read.schema(schema).parquet(path)),
        schema
      )
    }
    assert(reader.schema("missing void").load(path).head().isNullAt(0))
    // A Variant is a group.
    val error = intercept[VariantShreddedException] {
      reader.schema("n variant").load(path).collect()
    }
    assert(error.condition === "INVALID_VARIANT_SHREDDING_SCHEMA")
  }

  test("tables by name, INSERT, CREATE TABLE AS SELECT, mergeSchema") {
    try {
      spark.sql("CREATE TABLE voids (a INT, n VOID, v VARIANT) USING `variant-shredded`")
      spark.sql("INSERT INTO voids VALUES (1, NULL, parse_json('2'))")
      assert(sorted(spark.sql("SELECT a, n, v::int FROM voids")) === Seq("[1,null,2]"))
      spark.sql(
        "CREATE TABLE more_voids USING `variant-shredded` AS SELECT *, NULL AS m FROM voids"
      )
      assert(sorted(spark.sql("SELECT a, n, m FROM more_voids")) === Seq("[1,null,null]"))
    } finally {
      spark.sql("DROP TABLE IF EXISTS voids")
      val _ = spark.sql("DROP TABLE IF EXISTS more_voids")
    }
    val path = written(spark.sql("SELECT 1 AS a, NULL AS n"))
    writer(spark.sql("SELECT 2 AS a, NULL AS m")).mode("append").save(path)
    val merged = reader.option("mergeSchema", "true").load(path)
    assert(sorted(merged.selectExpr("a", "n", "m")) === Seq("[1,null,null]", "[2,null,null]"))
  }

  test("VOID as a partition column is Spark's error") {
    def condition(format: String) = intercept[AnalysisException] {
      spark.sql("SELECT 1 AS a, NULL AS p").write.format(format).partitionBy("p").save(newPath())
    }.getCondition
    assert(condition("variant-shredded") === condition("parquet"))
  }
}

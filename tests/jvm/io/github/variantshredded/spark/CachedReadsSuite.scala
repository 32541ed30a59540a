package io.github.variantshredded.spark

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/** What is cached follows every write to the directory that it reads, whatever names the directory. */
class CachedReadsSuite extends PathSuite {

  private def count(df: DataFrame): Long = df.count()

  /** A directory with the numbers 0 and 1, the table `cached_t` there; dropped in the end. */
  private def withTable(partitionBy: String*)(body: String => Unit): Unit = {
    val path = written(rows(0, 2), partitionBy: _*)
    spark.sql(s"CREATE TABLE cached_t USING `variant-shredded` LOCATION '$path'")
    try body(path)
    finally {
      spark.catalog.clearCache()
      spark.sql("DROP TABLE cached_t")
      ()
    }
  }

  /** Ways to cache what is at the path. */
  private val ways: Seq[(String, String => DataFrame)] = Seq(
    "a table by name" -> (_ => spark.table("cached_t")),
    "a query of a table" -> (_ => spark.sql("SELECT n, v FROM cached_t WHERE n >= 0")),
    "a path in SQL" -> (path => spark.sql(s"SELECT * FROM variant_shredded.`$path`")),
    "a view of a table" -> { _ =>
      // Replaced, it would not be cached any more.
      if (!spark.catalog.tableExists("cached_view"))
        spark.sql("CREATE TEMP VIEW cached_view AS SELECT * FROM cached_t")
      spark.table("cached_view")
    },
    "a join with another table" -> { _ =>
      spark.table("cached_t").join(rows(0, 10).select("n"), "n")
    },
    "a subquery of another table" -> { _ =>
      rows(0, 10).createOrReplaceTempView("ten")
      spark.sql("SELECT * FROM ten WHERE n IN (SELECT n FROM cached_t)")
    }
  )

  ways.foreach { case (what, df) =>
    test(s"$what follows writes by path") {
      withTable() { path =>
        val cached = df(path).cache()
        assert(count(cached) === 2)
        writer(rows(2, 4)).mode("append").save(path)
        assert(count(cached) === 4)
        assert(count(df(path)) === 4)
        assert(df(path).queryExecution.executedPlan.toString.contains("InMemoryTableScan"))
        writer(rows(5, 6)).mode("overwrite").save(path)
        assert(count(cached) === 1)
        spark.sql(s"INSERT INTO variant_shredded.`$path` SELECT n, p, v FROM cached_t")
        assert(count(spark.table("cached_t")) === 2)
      }
    }
  }

  test("CACHE TABLE follows writes by path") {
    withTable() { path =>
      spark.sql("CACHE TABLE cached_t")
      writer(rows(2, 4)).mode("append").save(path)
      assert(numbers(spark.table("cached_t")) === (0 until 4))
      assert(spark.catalog.isCached("cached_t"))
    }
  }

  test("a table by name follows writes to one of its partitions, and by another name") {
    withTable("p") { path =>
      val cached = spark.table("cached_t").cache()
      assert(count(cached) === 2)
      writer(rows(4, 5).select("n", "v")).mode("append").save(s"$path/p=1")
      assert(numbers(cached) === Seq(0, 1, 4))
      spark.sql(s"CREATE TABLE cached_other USING `variant-shredded` LOCATION '$path'")
      try {
        spark.sql("INSERT INTO cached_other SELECT 7, parse_json('{\"n\": 7}'), 1")
        assert(numbers(cached) === Seq(0, 1, 4, 7))
        spark.sql("DELETE FROM cached_other")
        assert(count(cached) === 0)
      } finally spark.sql("DROP TABLE cached_other")
    }
  }

  test(
    "a cached table is emptied by DELETE without a condition; one on a data column is refused"
  ) {
    withTable() { path =>
      def refused =
        intercept[VariantShreddedException](spark.sql("DELETE FROM cached_t WHERE n = 1"))
      val uncached = refused.getMessage
      spark.sql("CACHE TABLE cached_t")
      assert(refused.getMessage === uncached)
      assert(numbers(spark.table("cached_t")) === (0 until 2))
      spark.sql("DELETE FROM cached_t")
      assert(count(spark.table("cached_t")) === 0)
      assert(spark.catalog.isCached("cached_t"))
      writer(rows(2, 4)).mode("append").save(path)
      assert(numbers(spark.table("cached_t")) === Seq(2, 3))
    }
  }

  test("a cached read does not answer reads of other columns with the same types, in any session") {
    val path = written(rows(0, 2).selectExpr("n", "'a' AS a", "'b' AS b"))
    Seq(spark, spark.newSession()).foreach { session =>
      Seq("a" -> "b", "b" -> "a", "a" -> "c", "c" -> "b").foreach { case (first, second) =>
        count(reader.load(path).cache())
        writer(rows(0, 2).selectExpr("n", s"'$first' AS $first", s"'$second' AS $second"))
          .mode("overwrite")
          .save(path)
        val now = session.read.format("variant-shredded").load(path)
        assert(now.columns === Seq("n", first, second))
        assert(now.select(first, second).distinct().collect() === Seq(Row(first, second)))
      }
      spark.catalog.clearCache()
    }
  }

  test(
    "a cached read of a pattern does not answer reads for which it matches more, in any session"
  ) {
    val path = written(rows(0, 2), "p")
    def read(session: SparkSession) =
      session.read.format("variant-shredded").option("basePath", path).load(s"$path/p=*")
    assert(count(read(spark).cache()) === 2)
    writer(rows(2, 3)).partitionBy("p").mode("append").save(path)
    Seq(spark, spark.newSession()).foreach(session =>
      assert(numbers(read(session)) === Seq(0, 1, 2))
    )
    spark.catalog.clearCache()
  }

  test("a cached read by path is found in another session, as with parquet") {
    val path = written(rows(0, 2))
    val json = newPath()
    rows(0, 2).selectExpr("to_json(v) AS value").write.text(json)
    Seq("parquet" -> path, "variant-shredded" -> path, "variant-shredded-json" -> json).foreach {
      case (format, from) =>
        def read(session: SparkSession) = session.read.format(format).load(from)
        def isCached(session: SparkSession) =
          read(session).queryExecution.executedPlan.toString.contains("InMemoryTableScan")
        val other = spark.newSession()
        assert(count(read(spark).cache()) === 2)
        assert(isCached(other), format)
        assert(count(read(other)) === 2)
        read(other).unpersist()
        assert(!isCached(spark) && !isCached(other), format)
    }
  }

  test("a cached read by path is not that of other options, paths or columns") {
    val path = written(rows(0, 2))
    val other = spark.newSession().read.format("variant-shredded")
    val cached = reader.load(path).cache()
    try {
      Seq(
        other.load(written(rows(0, 3))),
        other.option("pathGlobFilter", "*.none").schema("n INT, p INT, v VARIANT").load(path),
        other.schema("n INT, p INT, v VARIANT, x INT").load(path)
      ).foreach { df =>
        val plan = df.queryExecution.executedPlan.toString
        assert(!plan.contains("InMemoryTableScan"), plan)
      }
    } finally cached.unpersist(): Unit
  }

  test("a cached table elsewhere keeps its rows in memory") {
    withTable() { _ =>
      val cached = spark.table("cached_t").cache()
      assert(count(cached) === 2)
      val storage = spark.sparkContext.getRDDStorageInfo.map(_.numCachedPartitions).sum
      assert(storage > 0)
      written(rows(0, 2))
      assert(spark.sparkContext.getRDDStorageInfo.map(_.numCachedPartitions).sum === storage)
    }
  }
}

package io.github.variantshredded.table

import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.storage.StorageLevel

/** Spark's Parquet source overwrites files of which some are read through this source. */
class OverwrittenFilesSuite extends TableSuite {

  private val columns = "(n INT, v VARIANT, p INT)"

  private def refused(condition: String)(write: => Any): Unit = {
    val error = intercept[AnalysisException](write)
    assert(error.getCondition === s"UNSUPPORTED_OVERWRITE.$condition")
  }

  private def all(path: String): Seq[Int] = numbers(reader.load(path))

  private def saved(df: DataFrame, path: String): Unit = df.write.mode("overwrite").parquet(path)

  test("a directory that the query reads is not overwritten, and keeps its rows") {
    val path = written(rows(0, 6))
    withTable { pq =>
      spark.sql(s"CREATE TABLE $pq (n INT, p INT, v VARIANT) USING parquet LOCATION '$path'")
      withTable { ours =>
        spark.sql(
          s"CREATE TABLE $ours (n INT, p INT, v VARIANT) USING variant_shredded LOCATION '$path'"
        )
        Seq(s"variant_shredded.`$path`", ours).foreach { from =>
          val query = s"SELECT n, p, v FROM $from WHERE n > 3"
          refused("TABLE")(spark.sql(s"INSERT OVERWRITE $pq $query"))
          refused("PATH")(spark.sql(s"INSERT OVERWRITE DIRECTORY '$path' USING parquet $query"))
          refused("PATH")(saved(spark.sql(query), path))
          val inSubquery = s"SELECT 1 AS n, 1 AS p, v FROM (SELECT parse_json('1') AS v) " +
            s"WHERE (SELECT max(v:n::int) FROM $from) > 3"
          refused("TABLE")(spark.sql(s"INSERT OVERWRITE $pq $inSubquery"))
        }
        refused("PATH")(saved(reader.load(path), path))
        // Directories above and below.
        refused("PATH")(saved(reader.load(path), path.stripSuffix("/table")))
        refused("PATH")(saved(reader.load(onlyFile(path).toString), path))
        refused("PATH")(saved(reader.load(path), onlyFile(path).toString))
        assert(all(path) === (0 until 6))
        // Others.
        saved(reader.load(path), s"$path-2")
        assert(all(s"$path-2") === (0 until 6))
        saved(reader.load(s"$path-2").where("n > 3"), path)
        assert(all(path) === Seq(4, 5))
        reader.load(path).write.mode("append").parquet(path)
        assert(all(path) === Seq(4, 4, 5, 5))
      }
    }
  }

  test("nor in a session that knows the query by a global temporary view") {
    val path = written(rows(0, 6))
    reader.load(path).createGlobalTempView("rows_of_another_session")
    try {
      val other = spark.newSession()
      val view = other.table("global_temp.rows_of_another_session")
      refused("PATH")(saved(view, path))
      assert(all(path) === (0 until 6))
      val plan = view.selectExpr("v:n::int").queryExecution.executedPlan.toString
      assert(plan.contains("PushedExtractions: ["), plan)
    } finally { val _ = spark.catalog.dropGlobalTempView("rows_of_another_session") }
  }

  test("a cached query that has not run reads the files when they are overwritten") {
    val path = written(rows(0, 6))
    withTable { pq =>
      spark.sql(s"CREATE TABLE $pq (n INT, p INT, v VARIANT) USING parquet LOCATION '$path'")
      val query = s"SELECT n, p, v FROM variant_shredded.`$path`"
      val cached = spark.sql(query).cache()
      try {
        refused("TABLE")(spark.sql(s"INSERT OVERWRITE $pq $query"))
        refused("PATH")(saved(cached, path))
        assert(all(path) === (0 until 6))
        cached.count()
        refused("TABLE")(cached.write.format("parquet").mode("overwrite").saveAsTable(pq))
        val further = cached.where("n > 3").cache()
        try saved(further, path)
        finally { val _ = further.unpersist(true) }
        assert(all(path) === Seq(4, 5))
      } finally { val _ = cached.unpersist(true) }
    }
    val inMemory = reader.load(path).persist(StorageLevel.MEMORY_ONLY)
    try {
      inMemory.count()
      refused("PATH")(saved(inMemory, path))
    } finally { val _ = inMemory.unpersist(true) }
    val partitioned = written(rows(0, 6), "p")
    val other = reader.load(partitioned).where("p = 2").select("n", "v").cache()
    try saved(other, s"$partitioned/p=1")
    finally { val _ = other.unpersist(true) }
    assert(all(partitioned) === Seq(0, 2, 2, 3, 5, 5))
  }

  test("a partition can be overwritten by rows of others, and dynamically by its own") {
    val path = written(rows(0, 6), "p")
    withTable { pq =>
      spark.sql(
        s"CREATE TABLE $pq $columns USING parquet PARTITIONED BY (p) LOCATION '$path'"
      )
      spark.sql(s"MSCK REPAIR TABLE $pq")
      def insert(into: String, query: String): Unit =
        spark.sql(s"INSERT OVERWRITE $pq $into SELECT $query"): Unit
      val from = s"FROM variant_shredded.`$path`"
      refused("TABLE")(insert("PARTITION (p = 1)", s"n, v $from"))
      refused("TABLE")(insert("PARTITION (p = 1)", s"n, v $from WHERE p = 1"))
      refused("TABLE")(insert("", s"n, v, p $from WHERE p = 1"))
      refused("PATH")(saved(spark.sql(s"SELECT n, v $from WHERE p > 0"), s"$path/p=1"))
      assert(all(path) === (0 until 6))
      insert("PARTITION (p = 1)", s"n, v $from WHERE p = 2")
      assert(all(path) === Seq(0, 2, 2, 3, 5, 5))
      saved(spark.sql(s"SELECT n, v $from WHERE p = 0"), s"$path/p=1")
      assert(all(path) === Seq(0, 0, 2, 3, 3, 5))
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        insert("", s"n, v, p $from WHERE n = 5")
      }
      assert(all(path) === Seq(0, 0, 3, 3, 5))
    }
  }
}

package io.github.variantshredded.table

import io.github.variantshredded.read.file.CountedFiles
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.Row

/** How often the files of a table are listed. */
class QueryListingsSuite extends PathSuite {

  override protected def sessionSettings: Map[String, String] =
    CountedFiles.settings.map { case (key, value) => s"spark.hadoop.$key" -> value }

  private val numbered = "parse_json('{\"n\": ' || id || '}') AS v"

  private def listed(path: String, query: String, expected: Row): Int = {
    val listings = CountedFiles.listedDuring {
      val _ = assert(spark.sql(query).head() === expected)
    }
    listings.count(_.toUri.getPath == path)
  }

  private def withTable(test: (String, String) => Unit): Unit = {
    val path = newPath()
    spark.sql(
      s"CREATE TABLE listed (v VARIANT) USING `variant-shredded` LOCATION 'counted://$path'"
    )
    try {
      spark.range(3).selectExpr(numbered).write.insertInto("listed")
      test(path, "listed")
    } finally {
      val _ = spark.sql("DROP TABLE listed")
    }
  }

  test("the scans of one query share one listing") {
    withTable { (path, t) =>
      val sum = s"SELECT sum(v:n::int) AS s FROM $t"
      assert(listed(path, sum, Row(3)) === 1)
      assert(
        listed(
          path,
          s"SELECT count(*) FROM $t a JOIN $t b ON a.v:n::int = b.v:n::int",
          Row(3)
        ) === 1
      )
      assert(listed(path, s"SELECT count(*) FROM $t WHERE v:n::int < ($sum)", Row(3)) === 1)
      assert(listed(path, s"SELECT sum(s) FROM ($sum UNION ALL $sum)", Row(6)) === 1)
    }
  }

  test("each query lists the files again") {
    withTable { (path, t) =>
      val sum = s"SELECT sum(v:n::int) FROM $t"
      val table = spark.table(t)
      assert(table.count() === 3)
      assert(listed(path, sum, Row(3)) === 1)
      spark.range(3, 5).selectExpr(numbered).write.insertInto(t)
      assert(listed(path, sum, Row(10)) === 1)
      assert(table.count() === 5)
    }
  }
}

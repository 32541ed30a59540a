package io.github.variantshredded.table

import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.DataFrame

/** The values of partition columns, which are in the names of directories. */
class PartitionValuesSuite extends TableSuite {

  private def create(table: String, partitionType: String): Unit = {
    val _ = spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p $partitionType) " +
        "USING `variant-shredded` PARTITIONED BY (p)"
    )
  }

  test("binary values are read as they were written, and written again as they are") {
    val texts = Seq("a/b", "50%", "a=b", "a%2Fb", "plain")
    withTable { t =>
      create(t, "BINARY")
      texts.zipWithIndex.foreach { case (text, n) =>
        spark.sql(s"INSERT INTO $t VALUES ($n, parse_json('$n'), CAST('$text' AS BINARY))")
      }
      def found = spark.table(t).selectExpr("CAST(p AS STRING)").collect().map(_.getString(0)).toSet
      assert(found === texts.toSet)
      spark.sql(s"INSERT INTO $t SELECT * FROM $t")
      assert(found === texts.toSet)
      texts.zipWithIndex.foreach { case (text, n) =>
        val rows = spark.sql(s"SELECT n FROM $t WHERE p = CAST('$text' AS BINARY)")
        assert(rows.collect().map(_.getInt(0)).toSeq === Seq(n, n))
      }
    }
  }

  test("a VARCHAR partition column is inserted into a table with the same type") {
    withTable { t =>
      withTable { copy =>
        create(t, "VARCHAR(3)")
        spark.sql(s"CREATE TABLE $copy (n INT, p VARCHAR(3)) USING `variant-shredded`")
        spark.sql(s"INSERT INTO $t VALUES (1, parse_json('1'), 'a'), (2, NULL, 'b')")
        def numbers(of: DataFrame) = of.select("n").collect().map(_.getInt(0)).toSeq.sorted
        spark.sql(s"INSERT INTO $t SELECT n, v, p FROM $t")
        spark.sql(s"INSERT INTO $copy SELECT n, p FROM $t")
        assert(numbers(spark.table(t)) === Seq(1, 1, 2, 2))
        assert(numbers(spark.table(copy)) === Seq(1, 1, 2, 2))
        spark.sql(s"INSERT OVERWRITE $t PARTITION (p) SELECT n + 10, v, p FROM $t WHERE p = 'a'")
        assert(numbers(spark.table(t).where("p = 'a'")) === Seq(11, 11))
      }
    }
  }
}

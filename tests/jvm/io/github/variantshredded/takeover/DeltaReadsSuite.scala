package io.github.variantshredded.takeover

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

/** Writes to this source of rows of Delta tables with deletion vectors. */
class DeltaReadsSuite extends DeltaTables {

  private def withDeletedRows(test: String => Unit): Unit =
    withTable("'delta.enableDeletionVectors' = 'true'") { table =>
      spark.sql(s"DELETE FROM $table WHERE id % 10 = 0")
      test(table)
    }

  private def rows(frame: DataFrame): Seq[String] =
    answer(frame.selectExpr("id", "p", "to_json(v)"))

  private def assertSame(table: String, written: DataFrame): Unit = {
    val wanted = rows(spark.table(table))
    assert(wanted.size == 180 && rows(written) == wanted)
  }

  // Without the extension of this source, its optimizer rules are those of a session whose setting
  // is off.
  Seq("this source" -> Nil, "Delta Lake" -> off).foreach { case (reader, settings) =>
    test(s"a save, an INSERT and an overwrite, whose rows $reader reads") {
      withConf(settings: _*)(withDeletedRows { table =>
        val path = newPath()
        spark.table(table).write.format("variant-shredded").save(path)
        assertSame(table, spark.read.format("variant-shredded").load(path))
        val (inserted, overwritten) = (newPath(), newPath())
        for (target <- Seq(inserted, overwritten)) {
          values.limit(0).write.format("variant-shredded").save(target)
        }
        spark.sql(s"INSERT INTO variant_shredded.`$inserted` SELECT * FROM $table")
        assertSame(table, spark.read.format("variant-shredded").load(inserted))
        values.write.format("variant-shredded").mode("append").save(overwritten)
        spark.sql(s"INSERT OVERWRITE variant_shredded.`$overwritten` SELECT * FROM $table")
        assertSame(table, spark.read.format("variant-shredded").load(overwritten))
      })
    }

    test(s"subqueries, joins and counts in a save, whose rows $reader reads") {
      withConf(settings: _*)(withDeletedRows { table =>
        Seq(
          s"SELECT id, v:a::int AS a FROM $table WHERE id > (SELECT avg(v:a::int) FROM $table) " +
            s"AND EXISTS (SELECT 1 FROM $table y WHERE y.v:a::int = 3)",
          s"SELECT x.id, y.v:b::string AS b FROM $table x JOIN $table y " +
            "ON x.v:a::int = y.id + 1 WHERE y.p = 2",
          s"SELECT id FROM VALUES (3L), (10L), (11L) AS t(id) WHERE id IN (SELECT id FROM $table)",
          s"SELECT count(*) AS n FROM $table",
          s"SELECT p, count(v:a) AS n FROM $table GROUP BY p"
        ).foreach { query =>
          val path = newPath()
          spark.sql(query).write.format("variant-shredded").save(path)
          val written = spark.read.format("variant-shredded").load(path)
          assert(answer(written) == answer(spark.sql(query)), query)
        }
      })
    }

    test(s"a stream that is joined with the table, which $reader reads") {
      withConf(settings: _*)(withDeletedRows { table =>
        val (source, path) = (newPath(), newPath())
        spark.range(200).write.parquet(source)
        spark.readStream
          .schema("id BIGINT")
          .parquet(source)
          .join(spark.table(table), "id")
          .writeStream
          .format("variant-shredded")
          .option("checkpointLocation", newPath())
          .trigger(Trigger.AvailableNow())
          .start(path)
          .awaitTermination()
        assertSame(table, spark.read.format("variant-shredded").load(path))
      })
    }
  }

  test("EXPLAIN of an INSERT shows who reads the rows") {
    withDeletedRows { table =>
      val target = newPath()
      spark.range(1).write.format("variant-shredded").save(target)
      def plan = spark
        .sql(
          s"EXPLAIN INSERT INTO variant_shredded.`$target` SELECT v:a::int FROM $table WHERE p = 1"
        )
        .head()
        .getString(0)
      assert(plan.contains("TakenOverFrom: delta"), plan)
      withConf(off: _*)(assert(plan.contains("PreparedDeltaFileIndex"), plan))
    }
  }
}

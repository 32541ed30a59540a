package io.github.variantshredded.table

import java.nio.file.Files

import io.github.variantshredded.testing.{BucketFileSystem, TableSuite}

/** Paths that are spelled in another way than the file system spells them in its listings. */
class SpelledPathSuite extends TableSuite {

  private def spelled(path: String): String = s"FILE:$path"

  private def inTable(t: String, partitionBy: Seq[String])(body: String => Unit): Unit = {
    val path = written(rows(0, 6), partitionBy: _*)
    val partitioned =
      if (partitionBy.isEmpty) "" else partitionBy.mkString("PARTITIONED BY (", ",", ")")
    spark.sql(
      s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded $partitioned " +
        s"LOCATION '${spelled(path)}'"
    )
    body(path)
  }

  test("an overwrite of a path with its scheme in capitals replaces the rows") {
    val path = newPath()
    Seq(Nil, Seq("p")).foreach { columns =>
      (0 to 1).foreach { _ =>
        writer(rows(0, 6)).mode("overwrite").partitionBy(columns: _*).save(spelled(path))
        assert(numbers(reader.load(spelled(path))) === (0 until 6))
      }
    }
    withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      writer(rows(6, 9)).mode("overwrite").partitionBy("p").save(spelled(path))
    }
    assert(numbers(reader.load(path)) === Seq(6, 7, 8))
  }

  test("TRUNCATE, DELETE and INSERT OVERWRITE in a location with its scheme in capitals") {
    withTable { t =>
      inTable(t, Nil) { path =>
        spark.sql(s"INSERT OVERWRITE $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
        assert(numbers(reader.load(path)) === Seq(9))
        spark.sql(s"DELETE FROM $t")
        assert(numbers(spark.table(t)) === Nil)
        assert(dataFiles(path) === Nil)
      }
    }
    withTable { t =>
      inTable(t, Seq("p")) { path =>
        spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 1) VALUES (9, parse_json('{\"n\": 9}'))")
        assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5, 9))
        spark.sql(s"DELETE FROM $t WHERE p = 2")
        assert(numbers(spark.table(t)) === Seq(0, 3, 9))
        val name = spelled(path)
        spark.sql(s"DELETE FROM variant_shredded.`$name`")
        assert(dataFiles(path) === Nil)
      }
    }
  }

  test("RENAME TO PARTITION in a location with its scheme in capitals moves the rows") {
    withTable { t =>
      inTable(t, Seq("p")) { path =>
        spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
        assert(numbers(spark.table(t)) === (0 until 6))
        assert(numbers(spark.table(t).where("p = 7")) === Seq(1, 4))
        assert(Files.notExists(java.nio.file.Path.of(path, "p=1")))
      }
    }
  }

  test(
    "the root of a bucket, with and without a slash, is written, read, overwritten and truncated"
  ) {
    BucketFileSystem.register(spark.sparkContext.hadoopConfiguration, folder)
    Seq("bucket://one", "bucket://two/").foreach { root =>
      writer(rows(0, 6)).mode("overwrite").partitionBy("p").save(root)
      writer(rows(6, 9)).mode("append").save(root)
      assert(numbers(reader.load(root)) === (0 until 9), root)
      assert(numbers(spark.sql(s"SELECT * FROM variant_shredded.`$root`")) === (0 until 9))
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
            s"LOCATION '$root'"
        )
        spark.sql(s"INSERT OVERWRITE $t PARTITION (p = 1) VALUES (9, parse_json('{\"n\": 9}'))")
        assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5, 6, 8, 9), root)
        spark.sql(s"DELETE FROM $t WHERE p = 2")
        assert(numbers(spark.table(t)) === Seq(0, 3, 6, 9), root)
        spark.sql(s"TRUNCATE TABLE variant_shredded.`$root`")
        assert(numbers(spark.table(t)) === Nil, root)
      }
      writer(rows(0, 3)).mode("overwrite").save(root)
      assert(numbers(reader.load(root)) === (0 until 3), root)
      val stream = spark.readStream.format("variant-shredded").schema(rows(0, 1).schema).load(root)
      val target = if (root.endsWith("/")) "bucket://three/" else "bucket://four"
      writeStream(stream, target, newPath())
      assert(numbers(reader.load(target)) === (0 until 3), root)
    }
  }
}

package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.testing.TableSuite
import io.github.variantshredded.write.{FailingCommitProtocol, TestKeys}

/** Statements on tables whose files are encrypted, with the keys in files of their own. */
class EncryptedTableSuite extends TableSuite {

  private val options = TestKeys.options("all") ++ Seq(
    "parquet.encryption.uniform.key" -> "all",
    "parquet.encryption.key.material.store.internally" -> "false"
  )

  private def created(table: String): Unit = {
    val texts = options.map { case (name, value) => s"'$name' '$value'" }.mkString(", ")
    spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p INT) USING variant_shredded " +
        s"OPTIONS ($texts) PARTITIONED BY (p)"
    )
    rows(0, 6).select("n", "v", "p").write.insertInto(table)
  }

  /** Files that hold keys, relative to the table. */
  private def keys(root: Path): Seq[String] =
    Using.resource(Files.walk(root)) { all =>
      all.iterator.asScala
        .map(root.relativize(_).toString)
        .filter(name => name.contains("_KEY_MATERIAL_FOR_") && name.endsWith(".json"))
        .filterNot(_.contains(".crc"))
        .toSeq
        .sorted
    }

  /** The names that the files with the keys of the data files have to have. */
  private def keysOfData(root: Path): Seq[String] = dataFiles(root.toString).map { name =>
    val file = Path.of(name)
    file.resolveSibling(s"_KEY_MATERIAL_FOR_${file.getFileName}.json").toString
  }.sorted

  private def assertKeysOfData(root: Path): Unit = assert(keys(root) === keysOfData(root))

  private def shownPartitions(table: String): Seq[String] =
    spark.sql(s"SHOW PARTITIONS $table").collect().map(_.getString(0)).toSeq

  test("a renamed partition of encrypted files keeps the files with their keys") {
    withTable { t =>
      created(t)
      assert(numbers(spark.table(t)) === (0 until 6))
      assertKeysOfData(directory(t))
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
      assert(numbers(spark.table(t).where("p = 7")) === Seq(1, 4))
      assert(numbers(spark.table(t)) === (0 until 6))
      assert(shownPartitions(t) === Seq("p=0", "p=2", "p=7"))
      assertKeysOfData(directory(t))
    }
  }

  test("files with keys are deleted together with the encrypted files") {
    withTable { t =>
      created(t)
      spark.sql(s"ALTER TABLE $t DROP PARTITION (p = 0)")
      spark.sql(s"DELETE FROM $t WHERE p = 1")
      assert(shownPartitions(t) === Seq("p=2"))
      assertKeysOfData(directory(t))
      spark.sql(s"ALTER TABLE $t ADD PARTITION (p = 0)")
      spark.sql(s"INSERT OVERWRITE $t VALUES (9, parse_json('{\"n\": 9}'), 2)")
      assert(numbers(spark.table(t)) === Seq(9))
      assertKeysOfData(directory(t))
      spark.sql(s"TRUNCATE TABLE $t")
      assert(keys(directory(t)) === Nil)
    }
  }

  test("a commit that fails leaves no files with keys") {
    withTable { t =>
      created(t)
      val before = keys(directory(t))
      // By this algorithm, the files are in their places before the job commits.
      withConf(
        "mapreduce.fileoutputcommitter.algorithm.version" -> "2",
        "spark.sql.sources.commitProtocolClass" -> classOf[FailingCommitProtocol].getName
      )(intercept[Exception](rows(6, 9).select("n", "v", "p").write.insertInto(t)))
      assert(keys(directory(t)) === before)
      assertKeysOfData(directory(t))
    }
  }
}

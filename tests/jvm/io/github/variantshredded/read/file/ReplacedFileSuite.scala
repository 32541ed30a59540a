package io.github.variantshredded.read.file

import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.attribute.FileTime

import io.github.variantshredded.fault.{Counting, FaultFileSystem, Faults}
import io.github.variantshredded.testing.{ObjectFiles, PathSuite}
import org.apache.spark.sql.DataFrame

/**
 * A file without an ETag is replaced after a query has listed it: parts of it are not read, because
 * other splits may have read the old one.
 */
class ReplacedFileSuite extends PathSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    ObjectFiles.register(spark.sparkContext.hadoopConfiguration)
  }

  /** A directory with one file; its footer is not cached as long as the file is new. */
  private def fileOf(from: Int, until: Int, isNew: Boolean): Path = {
    val file = onlyFile(written(rows(from, until)))
    val age = if (isNew) 0 else 60000
    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis - age))
  }

  private def replace(file: Path): Unit = {
    val other = fileOf(500, 900, isNew = false)
    val time = FileTime.fromMillis(System.currentTimeMillis - 20000)
    Files.move(Files.setLastModifiedTime(other, time), file, StandardCopyOption.REPLACE_EXISTING)
    ()
  }

  private def load(file: Path, options: (String, String)*): DataFrame =
    reader.options(options.toMap).load(s"${FaultFileSystem.Scheme}://${file.getParent}")

  private def inParts(body: => Unit): Unit = withConf(
    "spark.sql.files.maxPartitionBytes" -> "2000",
    "spark.sql.files.openCostInBytes" -> "0"
  )(body)

  Seq(true, false).foreach { isNew =>
    val footer = if (isNew) "a footer that is not cached" else "a cached footer"

    test(s"a file that was replaced is not read in parts, with $footer") {
      inParts {
        val file = fileOf(0, 400, isNew)
        val tolerant = Seq("ignoreCorruptFiles" -> "true", "ignoreMissingFiles" -> "true")
        val queries = Seq(load(file), load(file, tolerant: _*))
        assert(queries.head.rdd.getNumPartitions > 1)
        if (!isNew) assert(numbers(queries.head) === (0 until 400))
        replace(file)
        queries.foreach { df =>
          val error = intercept[Exception](df.selectExpr("n", "v:n::int").collect())
          val cause = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
          assert(cause.exists(_.getMessage.contains("[FILE_SYSTEM_ERROR] The file was replaced")))
        }
        assert(numbers(load(file)) === (500 until 900))
      }
    }

    test(s"a file that was replaced is read as it is now as a whole, with $footer") {
      val file = fileOf(0, 400, isNew)
      val df = load(file)
      if (!isNew) assert(numbers(df) === (0 until 400))
      replace(file)
      assert(numbers(df) === (500 until 900))
    }
  }

  Seq("a given schema" -> true, "the schema of the file" -> false).foreach { case (name, isGiven) =>
    test(s"an object is read as it is now although the client remembers a former one, with $name") {
      ObjectFiles.remembering {
        val file = fileOf(0, 400, isNew = false)
        val reads = if (isGiven) reader.schema("n INT, p INT, v VARIANT") else reader
        def load = reads.load(s"${ObjectFiles.Scheme}://${file.getParent}")
        assert(numbers(load) === (0 until 400))
        replace(file)
        assert(numbers(load) === (500 until 900))
        val tolerant = reads.option("ignoreCorruptFiles", "true")
        assert(numbers(tolerant.load(s"${ObjectFiles.Scheme}://${file.getParent}")).size === 400)
      }
    }
  }

  test("another time than in the log of a stream does not matter: the files may have been copied") {
    inParts {
      val (path, checkpoint) = (newPath(), newPath())
      val df = spark.readStream
        .format("variant-shredded")
        .schema("n INT, p INT, v VARIANT")
        .load(written(rows(0, 400)))
      writeStream(df, s"${FaultFileSystem.Scheme}://$path", checkpoint)
      val file = onlyFile(path)
      Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis - 60000))
      val read = load(file)
      assert(read.rdd.getNumPartitions > 1)
      assert(numbers(read) === (0 until 400))
    }
  }

  test("a file in one split is not asked for its status, one in parts once for each part") {
    def asked(df: DataFrame): Int = {
      val counting = new Counting
      Faults.watched(folder.toString, counting)(numbers(df))
      def of(kind: String) = counting.operations.count { operation =>
        operation.kind == kind && operation.path.getName.endsWith(".parquet")
      }
      // This file system itself asks for the status of a file that it opens.
      of("status") - of("open")
    }
    assert(asked(load(fileOf(0, 400, isNew = true))) === 0)
    inParts {
      val df = load(fileOf(0, 400, isNew = true))
      val parts = df.rdd.getNumPartitions
      assert(parts > 1)
      assert(asked(df) === parts)
    }
  }
}

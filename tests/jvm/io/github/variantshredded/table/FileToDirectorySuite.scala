package io.github.variantshredded.table

import java.io.IOException
import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{FaultFileSystem, Faults, Operation, Watcher}
import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.functions.{col, concat, lit, substring, udf}

/** `mode("overwrite")` on a path that is a file. */
class FileToDirectorySuite extends PathSuite {

  /** A single file with the numbers 0 and 1. */
  private def file(): String = {
    val file = Path.of(newPath())
    Files.move(onlyFile(written(rows(0, 2))), file)
    file.toString
  }

  private def beside(path: String): Set[String] =
    Path.of(path).getParent.toFile.list().toSet.filterNot(_.endsWith(".crc"))

  test("a directory takes its place, as with Spark's Parquet source") {
    val (ours, spark) = (file(), file())
    rows(4, 6).write.mode("overwrite").parquet(spark)
    writer(rows(4, 6)).mode("overwrite").save(ours)
    Seq(ours, spark).foreach { path =>
      assert(Files.isDirectory(Path.of(path)))
      assert(numbers(reader.load(path)) === Seq(4, 5))
      assert(beside(path) === Set("table"))
    }
    val partitioned = file()
    writer(rows(0, 4)).mode("overwrite").partitionBy("p").save(partitioned)
    assert(partitions(partitioned) === Seq("p=0", "p=1", "p=2"))
  }

  test("the file is there again when the job fails") {
    val path = file()
    val failing = rows(4, 6).selectExpr("n", "if(n = 5, raise_error('boom'), v) as v")
    intercept[Exception](writer(failing).mode("overwrite").save(path))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  test("the job may read the file, which is there until the job has ended") {
    val path = file()
    val kept = reader.load(path).where("n = 1")
    // Each row looks for the file when the job has begun.
    val isThere = udf((name: String) => Files.isRegularFile(Path.of(name)))
    val checked = kept.withColumn("there", isThere(concat(lit(path), substring(col("n"), 1, 0))))
    writer(checked).mode("overwrite").save(path)
    val saved = reader.load(path)
    assert(numbers(saved) === Seq(1))
    assert(saved.where("there").count() === 1)
    assert(beside(path) === Set("table"))
  }

  test("a file that a process has put aside when it died gets its name back from the next save") {
    Seq("append", "errorifexists", "ignore", "overwrite").foreach { mode =>
      val path = file()
      aside(path)
      val refused = Set("append", "errorifexists")(mode)
      val saved = Try(writer(rows(4, 6)).mode(mode).save(path))
      assert(saved.isFailure === refused, mode)
      assert(numbers(reader.load(path)) === (if (mode == "overwrite") Seq(4, 5) else Seq(0, 1)))
    }
  }

  /** Puts the file aside, as a job does that replaces it by a directory. */
  private def aside(path: String): Path = {
    Files.createDirectories(Path.of(path).resolveSibling(".table_replacing_1"))
    Files.move(Path.of(path), Path.of(path).resolveSibling(".table.replaced"))
  }

  test(
    "a job that has made directories and files without rows when it died does not keep the name"
  ) {
    val path = file()
    aside(path)
    Files.createDirectories(Path.of(path, "p=1", "q=2"))
    Files.createFile(Path.of(path, "_metadata"))
    Files.createFile(Path.of(path, "_SUCCESS"))
    intercept[Exception](writer(rows(4, 6)).mode("append").save(path))
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("a directory with rows of somebody else keeps the name, and the file stays aside") {
    val path = file()
    val old = aside(path)
    rows(4, 6).write.parquet(path)
    Seq(6, 7).foreach(n => writer(rows(n, n + 1)).mode("append").save(path))
    assert(numbers(reader.load(path)) === Seq(4, 5, 6, 7))
    assert(Files.exists(old))
  }

  test(
    "a file that a committed job has replaced does not come back when its directory is emptied"
  ) {
    val path = written(rows(4, 6))
    val old = Path.of(path).resolveSibling(".table.replaced")
    Files.move(Path.of(file()), old)
    Files.createDirectories(Path.of(path).resolveSibling(".table_replacing_1"))
    spark.sql(s"DELETE FROM variant_shredded.`$path`")
    writer(rows(6, 7)).mode("append").save(path)
    assert(numbers(reader.load(path)) === Seq(6))
    assert(Files.exists(old))
  }

  test("a file whose directory was committed before the process died is deleted by the next save") {
    val path = written(rows(4, 6))
    val old = Path.of(path).resolveSibling(".table.replaced")
    Files.move(Path.of(file()), old)
    val staging = Path.of(path).resolveSibling(".table_replacing_1")
    Files.createDirectories(staging)
    val notes = "_variant_shredded_commits"
    Files.createDirectories(staging.resolve(notes))
    Path.of(path, notes).toFile.list().filter(_.endsWith(".last")).foreach { mark =>
      Files.createFile(staging.resolve(notes).resolve(mark))
    }
    writer(rows(6, 7)).mode("append").save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5, 6))
    assert(beside(path) === Set("table"))
  }

  test("two overwrites at once: if the one fails that has put the file aside, the rows are there") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = file()
    val together = new TwoOverwrites(path)
    def overwrite(from: Int) = Try {
      writer(rows(from, from + 2)).mode("overwrite").save(s"${FaultFileSystem.Scheme}://$path")
    }
    val (first, second) = Faults.watched(Path.of(path).getParent.toString, together) {
      var ofSecond = Try(())
      val thread = new Thread(
        () => {
          ofSecond = overwrite(4)
          together.secondHasEnded.countDown()
        },
        TwoOverwrites.Second
      )
      thread.start()
      TwoOverwrites.await(together.secondIsHeld)
      val ofFirst = overwrite(6)
      thread.join()
      (ofFirst, ofSecond)
    }
    assert(first.failed.get.getMessage.contains(TwoOverwrites.Injected))
    val error = second.failed.get.asInstanceOf[VariantShreddedException]
    assert(error.condition === "CONCURRENT_WRITE")
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  private def overwriteWatched(
      path: String,
      watcher: Watcher,
      partitionBy: String*
  ): Throwable = {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    Faults.watched(Path.of(path).getParent.toString, watcher) {
      val saved = Try {
        writer(rows(4, 6))
          .mode("overwrite")
          .partitionBy(partitionBy: _*)
          .save(s"${FaultFileSystem.Scheme}://$path")
      }
      saved.failed.get
    }
  }

  test("a rename that copies the file and fails to delete it leaves nothing behind") {
    val path = file()
    val failed = overwriteWatched(
      path,
      new WatchedRename(
        path,
        _ => {
          Files.copy(Path.of(path), Path.of(path).resolveSibling(".table.replaced"))
          throw new IOException("injected: the file stays")
        }
      )
    )
    assert(failed.getMessage.contains("injected: the file stays"))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  /** Writes other rows in the place of the file when it has been put aside. */
  private def replacing(path: String): Watcher = new WatchedRename(
    path,
    rename => {
      rename()
      rows(6, 7).write.parquet(path)
    }
  )

  test("an overwrite that finds the rows of another one in the place of the file is refused") {
    val path = file()
    val failed = overwriteWatched(path, replacing(path))
    assert(failed.asInstanceOf[VariantShreddedException].condition === "CONCURRENT_WRITE")
    assert(failed.getMessage.contains(".table.replaced"))
    assert(numbers(reader.load(path)) === Seq(6))
    assert(beside(path) === Set("table", ".table.replaced"))
  }

  test("an overwrite that finds rows partitioned in another way in the place of the file") {
    val path = file()
    val failed = overwriteWatched(path, replacing(path), "p")
    assert(failed.asInstanceOf[VariantShreddedException].condition === "CONCURRENT_WRITE")
    assert(numbers(reader.load(path)) === Seq(6))
    assert(beside(path) === Set("table", ".table.replaced"))
  }

  test("an overwrite fails clearly if another save gives the file back that it has put aside") {
    val path = file()
    val failed = overwriteWatched(
      path,
      new WatchedRename(
        path,
        rename => {
          rename()
          intercept[Exception](writer(rows(6, 7)).save(path))
        }
      )
    )
    assert(failed.asInstanceOf[VariantShreddedException].condition === "CONCURRENT_WRITE")
    assert(numbers(reader.load(path)) === Seq(0, 1))
    assert(beside(path) === Set("table"))
  }

  test("a save does not give a file back whose overwrite has made the directory meanwhile") {
    val path = file()
    val old = aside(path)
    val committed = new WatchedRename(
      old.toString,
      rename => {
        rows(4, 6).write.parquet(path)
        rename()
      }
    )
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    Faults.watched(Path.of(path).getParent.toString, committed) {
      writer(rows(6, 7)).mode("append").save(s"${FaultFileSystem.Scheme}://$path")
    }
    assert(numbers(reader.load(path)) === Seq(4, 5, 6))
    assert(Files.isRegularFile(old))
    assert(!Files.exists(Path.of(path, old.getFileName.toString)))
  }

  test("an overwrite is refused before its job runs while another one has put the file aside") {
    val path = file()
    val old = aside(path)
    Files.copy(old, Path.of(path))
    val failing = rows(4, 6).selectExpr("n", "if(n = 5, raise_error('boom'), v) as v")
    val e = intercept[VariantShreddedException](writer(failing).mode("overwrite").save(path))
    assert(e.condition === "CONCURRENT_WRITE")
    assert(numbers(reader.load(path)) === Seq(0, 1))
    Files.delete(old)
    writer(rows(4, 6)).mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5))
  }

  test("a file that an earlier replacement has left beside a file is removed") {
    val path = file()
    Files.move(Path.of(file()), Path.of(path).resolveSibling(".table.replaced"))
    writer(rows(4, 6)).mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5))
    assert(beside(path) === Set("table"))
  }

  test("readers are refused while the rows are neither in the file nor in the directory") {
    val path = file()
    aside(path)
    Files.createDirectories(Path.of(path))
    def read() = reader.schema("n INT, p INT, v VARIANT").load(path).count()
    val e = intercept[VariantShreddedException](read())
    assert(e.condition === "CONCURRENT_WRITE")
    assert(e.getMessage.contains("a job is replacing the file of this name by a directory"))
    writer(rows(4, 6)).mode("ignore").save(path)
    assert(read() === 2)
  }

  test("names with a colon") {
    val path = newPath() + ":10:00"
    val directory = writer(rows(0, 2))
    directory.save(path)
    directory.mode("append").save(path)
    directory.mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("the root of a file system has no file to restore") {
    val root = new HadoopPath("file:///")
    val conf = spark.sessionState.newHadoopConf()
    assert(!FileToDirectory.restore(root.getFileSystem(conf), conf, root))
  }

  test("a file that was left beside its new directory is not taken for the data") {
    val path = file()
    Files.move(Path.of(path), Path.of(path).resolveSibling(".table.replaced"))
    writer(rows(4, 6)).save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5))
  }

  test("the other modes refuse or leave it") {
    val path = file()
    intercept[Exception](writer(rows(4, 6)).mode("append").save(path))
    intercept[Exception](writer(rows(4, 6)).save(path))
    writer(rows(4, 6)).mode("ignore").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }
}

/** Carries out the rename of the file `path` in another way. */
private final class WatchedRename(path: String, change: (() => Unit) => Unit) extends Watcher {
  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
    if (operation.kind == "rename" && operation.path.toUri.getPath == path) {
      var done = refused
      change(() => done = Some(carryOut))
      done.get
    } else carryOut
}

/**
 * Holds the second of two overwrites of the file `path`, after it has seen that there is a file,
 * until the first one has put the file aside. The first one fails when the second one has ended.
 */
private final class TwoOverwrites(path: String) extends Watcher {
  import TwoOverwrites._

  val secondIsHeld = new CountDownLatch(1)
  val secondHasEnded = new CountDownLatch(1)
  private val firstIsAside = new CountDownLatch(1)

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    val isSecond = Thread.currentThread.getName == Second
    val on = operation.path.toUri.getPath
    val isInStaging = on.contains("_replacing_")
    if (operation.kind == "status" && on == path && isSecond && hasStaged) {
      val found = carryOut
      secondIsHeld.countDown()
      await(firstIsAside)
      found
    } else if (operation.kind == "rename" && !isSecond && on == path) {
      val done = carryOut
      firstIsAside.countDown()
      done
    } else if (
      operation.kind == "rename" && !isSecond && isInStaging && firstIsAside.getCount == 0
    ) {
      await(secondHasEnded)
      throw new IOException(Injected)
    } else carryOut
  }

  /** Returns whether a job has written its rows beside the file. */
  private def hasStaged: Boolean =
    Path.of(path).getParent.toFile.listFiles.exists { file =>
      file.getName.contains("_replacing_") && file.list.contains("_SUCCESS")
    }
}

private object TwoOverwrites {
  final val Second = "second"
  final val Injected = "injected: the first move fails"

  def await(latch: CountDownLatch): Unit =
    require(latch.await(60, TimeUnit.SECONDS), "the other job does not go on")
}

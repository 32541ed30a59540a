package io.github.variantshredded.directory

import java.nio.file.{Files, Path => LocalPath}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import io.github.variantshredded.fault.{FaultFileSystem, Faults, Operation, Recording, Watcher}
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

/** Listings of data files, and the removal of directories without files. */
class DataFilesSuite extends AnyFunSuite with TemporaryFolder {

  private val conf = new Configuration
  FaultFileSystem.register(conf)

  private final val Days = 40

  /** Creates directories of two levels, each of the lower ones with a file if `hasFiles`. */
  private def newTable(hasFiles: Boolean): String = {
    val table = Files.createTempDirectory(folder, "table")
    for (day <- 0 until Days; hour <- 0 until 3) {
      val hours = Files.createDirectories(table.resolve(s"day=$day/hour=$hour"))
      if (hasFiles) Files.write(hours.resolve("a.parquet"), Array[Byte](1)): Unit
    }
    table.toString
  }

  private def root(path: String): Path = new Path(s"fault:$path")

  private def fs(path: String): FileSystem = root(path).getFileSystem(conf)

  private def operations(path: String)(body: => Unit): Seq[Operation] = {
    val recording = new Recording
    Faults.watched(path, recording)(body)
    recording.operations
  }

  private def lists(operations: Seq[Operation]): Seq[Path] =
    operations.filter(_.kind == "list").map(_.path)

  test("all files are listed, each directory once, after its check") {
    val path = newTable(hasFiles = true)
    var checked = Set.empty[Path]
    val listed = lists(operations(path) {
      val found = DataFiles
        .withKeysBelow(fs(path), root(path), (directory, _) => checked += directory)
        .tapEach(file => assert(checked(file.getPath.getParent)))
        .map(_.getPath.getParent.toString)
        .toSeq
      val expected = for (day <- 0 until Days; hour <- 0 until 3) yield s"day=$day/hour=$hour"
      assert(found.toSet === expected.map(name => new Path(root(path), name).toString).toSet)
      assert(found.size === expected.size)
    })
    assert(listed.distinct.size === listed.size)
    assert(listed.size === 1 + Days + Days * 3)
    assert(checked.size === listed.size)
  }

  test("whoever needs only the first file does not list many directories") {
    val path = newTable(hasFiles = true)
    (0 until Days).foreach { day =>
      Files.write(LocalPath.of(path, s"day=$day", "first.parquet"), Array[Byte](1))
    }
    val listed = lists(operations(path)(assert(DataFiles.below(fs(path), root(path)).nonEmpty)))
    assert(listed.size <= 3)
  }

  test("the directories of one level are listed at the same time") {
    val path = newTable(hasFiles = true)
    val both = new CountDownLatch(2)
    val lists = new AtomicInteger
    val waiting = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        // The first ones are listed one by one.
        if (operation.kind == "list" && lists.incrementAndGet() > 15) {
          both.countDown()
          assert(both.await(30, TimeUnit.SECONDS))
        }
        carryOut
      }
    }
    Faults.watched(path, waiting) {
      assert(DataFiles.below(fs(path), root(path)).size === Days * 3)
    }
  }

  test("empty directories are removed after those in them, others stay") {
    val path = newTable(hasFiles = false)
    Files.write(LocalPath.of(path, "day=7", "hour=1", "b.parquet"), Array[Byte](1))
    val innermost =
      for (day <- 0 until Days; hour <- 0 until 3)
        yield new Path(root(path), s"day=$day/hour=$hour")
    val removed = operations(path)(DataFiles.removeEmpty(fs(path), root(path), innermost))
      .filter(_.kind == "delete")
      .map(_.path)
    assert(removed.size === Days + Days * 3 - 2)
    assert(removed.map(_.depth) === removed.map(_.depth).sorted.reverse)
    val left = Files.walk(LocalPath.of(path)).filter(Files.isDirectory(_)).count()
    assert(left === 3)
  }
}

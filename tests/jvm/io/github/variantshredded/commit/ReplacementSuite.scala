package io.github.variantshredded.commit

import java.io.IOException
import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.FileTime
import java.util.concurrent.{CountDownLatch, TimeUnit}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{CheckedFaultFileSystem, Faults, Operation, Watcher}
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}

/** Overwrites delete the files that they replace, or say what they cannot delete. */
class ReplacementSuite extends CommitSuite {

  test("an overwrite leaves directories in which there is more than readers see") {
    val table = newTable()
    val root = rootOf(table, CheckedFaultFileSystem.Scheme)
    create(table, "p=0/part-old.parquet")
    // As when files are deleted by a pattern of names, which does not match this.
    val left = create(table, "p=0/.part-older.parquet.crc")
    overwrite(table, root, "new")
    assert(visible(root) === Set("part-new.parquet"))
    assert(Files.exists(left))
    assert(notes(table).isEmpty)
  }

  test("many files that are replaced are deleted in parallel, but for the first one") {
    val table = newTable()
    val root = rootOf(table)
    (1 to 50).foreach(number => create(table, s"part-old-$number.parquet"))
    val first = listed(root).head.getPath.getName
    val together = new CountDownLatch(2)
    @volatile var isFirstGone = false
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
        if (deletes(first)(operation)) {
          val result = carryOut
          isFirstGone = true
          result
        } else {
          if (operation.kind == "delete" && operation.path.getName.startsWith("part-old")) {
            if (!isFirstGone) throw new IllegalStateException("The first one is still there.")
            together.countDown()
            if (!together.await(60, TimeUnit.SECONDS)) throw new IOException("alone")
          }
          carryOut
        }
    }
    Faults.watched(table.toString, watcher)(overwrite(table, root, "new"))
    assert(visible(root) === Set("part-new.parquet"))
    assert(listed(root).map(_.getPath.getName) === Seq("part-new.parquet"))
  }

  test(
    "an overwrite on a store whose listings have milliseconds, and whose answers on a file none"
  ) {
    conf.set("fs.seconds.impl", classOf[SecondsFileSystem].getName)
    val table = newTable()
    val root = rootOf(table, "seconds")
    val old = create(table, "part-old.parquet")
    Files.setLastModifiedTime(old, FileTime.fromMillis(1700000000821L))
    overwrite(table, root, "new")
    assert(visible(root) === Set("part-new.parquet"))
    assert(!Files.exists(old))
  }

  test("an overwrite of many files says which one it cannot delete") {
    val table = newTable()
    val root = rootOf(table)
    (1 to 50).foreach(number => create(table, s"part-old-$number.parquet"))
    val last = listed(root).last.getPath.getName
    refusing(table, deletes(last)) {
      val error = intercept[VariantShreddedException](overwrite(table, root, "new"))
      assert(error.getMessage.contains(s"could be deleted: Unable to delete "))
      assert(error.getMessage.contains(last))
      assert(visible(root) === Set("part-new.parquet"))
    }
    append(table, root, "next")
    assert(visible(root) === Set("part-new.parquet", "part-next.parquet"))
  }

  Seq("overwrite", "truncation").foreach { kind =>
    test(s"the $kind of a file that cannot be deleted fails, and later jobs succeed") {
      val table = newTable()
      val root = rootOf(table)
      create(table, "part-old.parquet")
      def run(): Unit =
        if (kind == "overwrite") overwrite(table, root, "new")
        else ExclusiveCommit(root, conf, "new")(_.replace(listed(root), None))
      Seq("an answer", "an error").foreach { how =>
        val watcher = new Watcher {
          override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
            if (!deletes("part-old.parquet")(operation)) carryOut
            else if (how == "an answer") refused.get
            else throw new IOException("no")
        }
        Faults.watched(table.toString, watcher) {
          intercept[IOException](run())
          assert(visible(root) === Set("part-old.parquet"))
          assert(notes(table) === Set.empty)
          assert(listed(root).map(_.getPath.getName) === Seq("part-old.parquet"))
          val next = s"next-${how.split(' ').last}"
          append(table, root, next)
          assert(visible(root) === Set("part-old.parquet", s"part-$next.parquet"))
          Files.delete(table.resolve(s"part-$next.parquet"))
        }
      }
      run()
      assert(!visible(root).contains("part-old.parquet"))
    }
  }

  Seq("an error", "no answer any more").foreach { how =>
    test(s"an overwrite whose note is deleted, with $how, does not say that it has taken effect") {
      val table = newTable()
      val root = rootOf(table)
      create(table, "part-old.parquet")
      @volatile var isGone = false
      val watcher = new Watcher {
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
          if (isGone || deletes("part-old.parquet")(operation)) throw new IOException("no")
          val result = carryOut
          if (deletes("_new.replacing")(operation)) {
            isGone = how != "an error"
            throw new IOException("after all")
          }
          result
        }
      }
      val error = Faults.watched(table.toString, watcher) {
        intercept[Exception](overwrite(table, root, "new"))
      }
      if (how == "an error") assert(error.getMessage === "no")
      else assert(error.getMessage.contains("(no), and may have taken effect"))
      assert(visible(root) === Set("part-old.parquet"))
      append(table, root, "next")
      assert(visible(root) === Set("part-old.parquet", "part-next.parquet"))
      assert(notes(table).isEmpty)
    }
  }

  test("a failed overwrite is undone although another job looks whether it is its turn") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    val waiting = CommitNote("waiting", CommitState.Adding, None)
    val watcher = new Watcher {
      private var looks = 0
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
        if (deletes("part-old.parquet")(operation)) {
          writeNote(root, waiting)
          throw new IOException("no")
        } else {
          val result = carryOut
          val isLook = operation.kind == "list" && operation.path.getName.startsWith("_variant")
          if (isLook && looks < 2 && notes(table)("_waiting.adding")) {
            looks += 1
            if (looks == 2)
              Files.delete(table.resolve(s"_variant_shredded_commits/${waiting.name}"))
          }
          result
        }
    }
    Faults.watched(table.toString, watcher)(intercept[IOException](overwrite(table, root, "new")))
    assert(visible(root) === Set("part-old.parquet"))
    assert(notes(table).isEmpty)
  }

  test("an overwrite that has deleted files takes effect, and says which file it cannot delete") {
    val table = newTable()
    val root = rootOf(table)
    Seq("a", "b").foreach(name => create(table, s"part-old-$name.parquet"))
    val undeletable = listed(root).last.getPath.getName
    refusing(table, deletes(undeletable)) {
      Seq(() => overwrite(table, root, "new"), () => append(table, root, "next")).foreach { job =>
        val error = intercept[VariantShreddedException](job())
        assert(error.condition === "FILE_SYSTEM_ERROR")
        assert(error.getMessage.contains("has taken effect"))
        assert(error.getMessage.contains(undeletable))
        assert(visible(root) === Set("part-new.parquet"))
      }
    }
    append(table, root, "next")
    assert(visible(root) === Set("part-new.parquet", "part-next.parquet"))
  }

  test("an overwrite that loses its connection after it has deleted a file has taken effect") {
    val table = newTable()
    val root = rootOf(table)
    Seq("a", "b").foreach(name => create(table, s"part-old-$name.parquet"))
    val first = listed(root).head.getPath.getName
    @volatile var isGone = false
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (isGone) throw new IOException("no answer")
        val result = carryOut
        isGone = deletes(first)(operation)
        result
      }
    }
    val error = Faults.watched(table.toString, watcher) {
      intercept[VariantShreddedException](overwrite(table, root, "new"))
    }
    assert(error.getMessage.contains("has taken effect"))
    assert(visible(root) === Set("part-new.parquet"))
    append(table, root, "next")
    assert(visible(root) === Set("part-new.parquet", "part-next.parquet"))
  }
}

/** Gives times in milliseconds when it lists files, and in seconds for one file, as MinIO. */
final class SecondsFileSystem extends RawLocalFileSystem {
  private var isListing = false

  override def getScheme: String = "seconds"

  override def getUri: URI = URI.create("seconds:///")

  override def listStatus(path: Path): Array[FileStatus] = {
    isListing = true
    try super.listStatus(path)
    finally isListing = false
  }

  override def getFileStatus(path: Path): FileStatus = {
    val found = super.getFileStatus(path)
    if (isListing) found
    else
      new FileStatus(
        found.getLen,
        found.isDirectory,
        1,
        found.getBlockSize,
        found.getModificationTime / 1000 * 1000,
        found.getPath
      )
  }
}

package io.github.variantshredded.commit

import java.io.IOException
import java.nio.file.{Files, Path => JavaPath}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{Faults, Operation, Watcher}
import org.apache.hadoop.fs.Path

/** A job that was silent, and regarded as dead by another one, goes on. */
class CommitOwnershipSuite extends CommitSuite {

  /** Overwrites, and runs `moving` when the new file is in its place, and `marked` after the mark. */
  private def overwriteWith(table: JavaPath, root: Path, job: String)(moving: => Unit)(
      marked: => Unit
  ): Unit = ExclusiveCommit(root, conf, job) { commit =>
    val before = listed(root)
    commit.add {
      create(table, s"part-$job.parquet")
      moving
    }
    marked
    commit.replace(before, None)
  }

  /** A job regards `silent` as dead, undoes or finishes its commit, and appends. */
  private def takeOver(table: JavaPath, root: Path, silent: String): Unit = {
    ActiveJobs.remove(silent)
    append(table, root, "next")
  }

  private def isTakenOver(body: => Unit): Unit = {
    val error = intercept[VariantShreddedException](body)
    assert(error.condition === "CONCURRENT_WRITE")
    assert(error.getMessage.contains("undid its commit"))
  }

  test("a job that another one undoes while it moves its files fails") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    // The other job deletes files at the moment at which this one has moved its own.
    var undoing: Option[Thread] = None
    val isDeleting = new CountDownLatch(1)
    val hasEnded = new CountDownLatch(1)
    def undoes(operation: Operation) =
      deletes("part-silent.parquet")(operation) && undoing.contains(Thread.currentThread)
    on(table, undoes) {
      isDeleting.countDown()
      hasEnded.await()
    } {
      try
        isTakenOver {
          ExclusiveCommit(root, conf, "silent")(_.add {
            create(table, "part-silent.parquet")
            val other = new Thread(() => takeOver(table, root, "silent"))
            undoing = Some(other)
            other.start()
            isDeleting.await()
          })
        }
      finally hasEnded.countDown()
      undoing.foreach(_.join())
    }
    assert(visible(root) === Set("part-old.parquet", "part-next.parquet"))
    assert(notes(table).isEmpty)
  }

  test("a job that goes on just before another one undoes it keeps its files") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    var other: Option[Thread] = None
    val isUndoing = new CountDownLatch(1)
    val isMarked = new CountDownLatch(1)
    val isGivenUp = new CountDownLatch(1)
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (operation.path.getName == "_silent.undone" && operation.kind == "create") {
          isUndoing.countDown()
          isMarked.await()
        }
        val result = carryOut
        if (deletes("_silent.undone")(operation)) isGivenUp.countDown()
        result
      }
    }
    Faults.watched(table.toString, watcher) {
      overwriteWith(table, root, "silent") {
        val next = new Thread(() => takeOver(table, root, "silent"))
        other = Some(next)
        next.start()
        isUndoing.await()
        // The other one has listed the notes; it regards this job as one that runs from now on.
        ActiveJobs.add("silent")
      } {
        isMarked.countDown()
        isGivenUp.await()
      }
      other.foreach(_.join())
    }
    assert(visible(root) === Set("part-silent.parquet", "part-next.parquet"))
    assert(notes(table).isEmpty)
  }

  test("an overwrite that was undone while it was silent deletes no file") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    on(table, _.path.getName == "_silent.replacing.tmp")(takeOver(table, root, "silent")) {
      isTakenOver(overwrite(table, root, "silent"))
    }
    assert(visible(root) === Set("part-old.parquet", "part-next.parquet"))
    assert(notes(table).isEmpty)
    overwrite(table, root, "last")
    assert(visible(root) === Set("part-last.parquet"))
  }

  test("an overwrite that is being undone deletes no file") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    on(table, _.path.getName == "_silent.replacing.tmp") {
      // The other job deletes the files before the note.
      val undoes: Operation => Boolean = deletes("part-silent.parquet")
      refusing(table, undoes)(intercept[IOException](takeOver(table, root, "silent")))
      assert(notes(table).contains("_silent.adding"))
    }(isTakenOver(overwrite(table, root, "silent")))
    assert(visible(root) === Set("part-old.parquet"))
    assert(notes(table).isEmpty)
  }

  test("a truncation that was undone while it was silent deletes no file") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    on(table, _.path.getName == "_silent.replacing.tmp")(takeOver(table, root, "silent")) {
      isTakenOver(ExclusiveCommit(root, conf, "silent")(_.replace(listed(root), None)))
    }
    assert(visible(root) === Set("part-old.parquet", "part-next.parquet"))
  }

  Seq("part-old.parquet", "_silent.replacing").foreach { what =>
    test(
      s"no file is lost if a job that cannot delete old files was silent before it deletes $what"
    ) {
      val table = newTable()
      val root = rootOf(table)
      create(table, "part-old.parquet")
      val (isDeleting, mayDelete) = (new CountDownLatch(1), new CountDownLatch(1))
      val silent = Thread.currentThread
      val other = new Thread(() => takeOver(table, root, "silent"))
      val watcher = new Watcher {
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
          val isOfSilent = Thread.currentThread eq silent
          if (isOfSilent && deletes(what)(operation)) {
            other.start()
            assert(isDeleting.await(60, TimeUnit.SECONDS))
          }
          if (deletes("part-old.parquet")(operation)) {
            if (isOfSilent) throw new IOException("no")
            isDeleting.countDown()
            assert(mayDelete.await(60, TimeUnit.SECONDS))
          }
          carryOut
        }
      }
      Faults.watched(table.toString, watcher) {
        try intercept[Exception](overwrite(table, root, "silent"))
        finally mayDelete.countDown()
        other.join()
      }
      assert(visible(root) === Set("part-silent.parquet", "part-next.parquet"))
      assert(notes(table).isEmpty)
    }
  }

  test("a failed overwrite does not undo what another job began to finish that failed too") {
    val table = newTable()
    val root = rootOf(table)
    Seq("a", "b").foreach(name => create(table, s"part-old-$name.parquet"))
    val (first, second) = (listed(root).head.getPath.getName, listed(root).last.getPath.getName)
    var (hasFailed, isTaken) = (false, false)
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        def isStatus = operation.kind == "status" && operation.path.getName == second
        if (deletes(second)(operation) || (!hasFailed && deletes(first)(operation))) {
          hasFailed = true
          throw new IOException("no")
        }
        val result = carryOut
        // The first file was still there a moment ago.
        if (hasFailed && !isTaken && isStatus) {
          isTaken = true
          intercept[VariantShreddedException](takeOver(table, root, "silent"))
        }
        result
      }
    }
    val error = Faults.watched(table.toString, watcher) {
      intercept[VariantShreddedException](overwrite(table, root, "silent"))
    }
    assert(isTaken)
    assert(error.getMessage.contains("has taken effect"))
    assert(visible(root) === Set("part-silent.parquet"))
    append(table, root, "last")
    assert(visible(root) === Set("part-silent.parquet", "part-last.parquet"))
  }

  test("an append that was undone while it was silent fails") {
    val table = newTable()
    val root = rootOf(table)
    on(table, deletes("_silent.adding"))(takeOver(table, root, "silent")) {
      isTakenOver(append(table, root, "silent"))
    }
    assert(visible(root) === Set("part-next.parquet"))
    assert(notes(table).isEmpty)
  }

  test("an append whose note is gone although nobody has undone it succeeds") {
    val table = newTable()
    val root = rootOf(table)
    on(table, deletes("_one.adding")) {
      // As if the client of a store had sent a request again that had been carried out.
      Files.delete(table.resolve("_variant_shredded_commits/_one.adding"))
    }(append(table, root, "one"))
    assert(visible(root) === Set("part-one.parquet"))
  }

  test("an overwrite that another job has finished while it was silent succeeds") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    on(table, deletes("part-old.parquet"))(takeOver(table, root, "silent")) {
      overwrite(table, root, "silent")
    }
    assert(visible(root) === Set("part-silent.parquet", "part-next.parquet"))
    assert(notes(table).isEmpty)
  }

  test("an overwrite that another job has finished before it looked succeeds") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    val note = table.resolve("_variant_shredded_commits/_silent.replacing")
    def looks(operation: Operation) =
      operation.kind == "list" && operation.path.getName == "_variant_shredded_commits" &&
        Files.exists(note)
    on(table, looks)(takeOver(table, root, "silent"))(overwrite(table, root, "silent"))
    assert(visible(root) === Set("part-silent.parquet", "part-next.parquet"))
    assert(notes(table).isEmpty)
  }
}

package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}
import java.nio.file.Files
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.AtomicInteger

import io.github.variantshredded.fault.{Faults, Operation, Watcher}

/** Jobs take turns, whatever the file system answers. */
class CommitTurnSuite extends CommitSuite {

  test("jobs that become ready at once on a slow file system all get their turns") {
    val table = newTable()
    val root = rootOf(table)
    val jobs = 16
    val written = new AtomicInteger
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (operation.kind == "create" && operation.path.getName.endsWith(".adding.tmp"))
          written.incrementAndGet()
        Thread.sleep(15)
        carryOut
      }
    }
    val failures = new ConcurrentLinkedQueue[Throwable]
    val begin = new CountDownLatch(1)
    val threads = (1 to jobs).map { number =>
      new Thread(() => {
        begin.await()
        try ExclusiveCommit(root, conf, s"job-$number", CommitPatience(total = 120000))(_ => ())
        catch { case e: Throwable => failures.add(e): Unit }
      })
    }
    Faults.watched(table.toString, watcher) {
      threads.foreach(_.start())
      begin.countDown()
      threads.foreach(_.join())
    }
    assert(failures.isEmpty, failures)
    // If all that wait wrote their notes, there would be more than a thousand.
    assert(written.get <= 20 * jobs)
  }

  test("a job whose note could not be deleted while it waits does not wait for itself") {
    val table = newTable()
    val root = rootOf(table)
    val other = CommitNote("other", CommitState.Adding, Some(WriterProcess.current))
    ActiveJobs.add("other")
    try {
      writeNote(root, other)
      val watcher = new Watcher {
        private var isFirst = true
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
          if (isFirst && deletes("_one.adding")(operation)) {
            isFirst = false
            Files.delete(table.resolve(s"_variant_shredded_commits/${other.name}"))
            refused.get
          } else carryOut
      }
      Faults.watched(table.toString, watcher) {
        ExclusiveCommit(root, conf, "one", CommitPatience(total = 5000))(_ => ())
      }
      assert(notes(table).isEmpty)
    } finally ActiveJobs.remove("other")
  }

  test("a note that is gone before its rename is written again, by the error of S3A too") {
    val table = newTable()
    val root = rootOf(table)
    val missing = new FileNotFoundException("gone")
    Seq(missing, new IOException("File to rename disappeared", missing)).zipWithIndex.foreach {
      case (error, number) =>
        var left = 2
        val watcher = new Watcher {
          override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
            if (operation.kind == "rename" && left > 0) {
              left -= 1
              throw error
            } else carryOut
        }
        Faults.watched(table.toString, watcher)(append(table, root, s"job$number"))
        assert(left === 0)
    }
    assert(visible(root) === Set("part-job0.parquet", "part-job1.parquet"))
    assert(notes(table).isEmpty)
  }
}

package io.github.variantshredded.commit

import java.nio.file.Files
import java.nio.file.attribute.FileTime

import io.github.variantshredded.fault.{Faults, Operation, Watcher}

/** Jobs that live keep others waiting, and those that have died do not. */
class LivingJobsSuite extends CommitSuite {

  test("many jobs of another machine that died together are waited for together") {
    val table = newTable()
    val root = rootOf(table)
    (1 to 40).foreach { number =>
      create(table, s"part-dead-$number.parquet")
      writeNote(root, CommitNote(s"dead-$number", CommitState.Adding, None))
    }
    ExclusiveCommit(root, conf, "one", CommitPatience(silenceOfUnknown = 1000, total = 20000)) {
      _ => ()
    }
    assert(visible(root).isEmpty)
    assert(notes(table).isEmpty)
  }

  test("a job whose note takes long to read is not dead") {
    val table = newTable()
    val root = rootOf(table)
    val other = CommitNote("other", CommitState.Adding, None)
    writeNote(root, other)
    val note = table.resolve(s"_variant_shredded_commits/${other.name}")
    var reads = 0
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (operation.kind == "open" && operation.path.getName == other.name) {
          reads += 1
          if (reads < 3) Thread.sleep(1500)
          // As a heartbeat does; the job ends after the third look.
          if (reads < 3) Files.setLastModifiedTime(note, FileTime.fromMillis(reads * 100000L))
          else Files.deleteIfExists(note)
        }
        carryOut
      }
    }
    Faults.watched(table.toString, watcher) {
      ExclusiveCommit(root, conf, "one", CommitPatience(silenceOfUnknown = 1000, total = 60000)) {
        _ => assert(reads >= 3)
      }
    }
    assert(notes(table).isEmpty)
  }

  private val parent = ProcessHandle.current.parent.get

  test("a note that a process has left which still runs stops other processes for a while only") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-left.parquet")
    val other = WriterProcess.of(parent.pid).get
    assert(other.runs === Some(true))
    writeNote(root, CommitNote("left", CommitState.Adding, Some(other)))
    val patience = CommitPatience(silenceOfRunning = 300, silenceOfUnknown = 300, total = 20000)
    ExclusiveCommit(root, conf, "next", patience)(_.add {
      create(table, "part-next.parquet")
      ()
    })
    assert(visible(root) === Set("part-next.parquet"))
  }
}

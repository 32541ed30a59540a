package io.github.variantshredded.commit

import java.io.IOException

import io.github.variantshredded.fault.{Faults, Operation, Watcher}

/** A commit takes effect or fails, whatever the file system answers. */
class ExclusiveCommitSuite extends CommitSuite {

  test("a job whose note cannot be deleted fails: the note hides its files") {
    val table = newTable()
    val root = rootOf(table)
    refusing(table, deletes(".adding")) {
      intercept[IOException](append(table, root, "one"))
    }
    assert(visible(root).isEmpty)
    append(table, root, "two")
    assert(visible(root) === Set("part-two.parquet"))
    assert(notes(table).isEmpty)
  }

  test("notes of jobs that were killed while they waited do not make a commit fail") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    def killed(number: Int): Unit =
      writeNote(root, CommitNote(s"killed-$number", CommitState.Adding, None))
    ExclusiveCommit(root, conf, "one") { commit =>
      val before = listed(root)
      commit.add {
        create(table, "part-one.parquet")
        killed(1)
      }
      killed(2)
      commit.replace(before, None)
    }
    assert(visible(root) === Set("part-one.parquet"))
  }

  test("a failure to look for a note does not hide the failure to write it") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    val watcher = new Watcher {
      @volatile private var gone = false
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (!gone && operation.path.getName == "_new.replacing.tmp") {
          gone = true
          throw new IOException("first")
        }
        if (gone) throw new IOException("second")
        carryOut
      }
    }
    val e = Faults.watched(table.toString, watcher)(
      intercept[IOException](overwrite(table, root, "new"))
    )
    assert(e.getMessage === "first")
    assert(visible(root) === Set("part-old.parquet"))
    overwrite(table, root, "next")
    assert(visible(root) === Set("part-next.parquet"))
  }

  test("an append whose note is deleted by a request that fails has taken effect") {
    val table = newTable()
    val root = rootOf(table)
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        val result = carryOut
        if (deletes("_one.adding")(operation)) throw new IOException("after all")
        result
      }
    }
    Faults.watched(table.toString, watcher)(append(table, root, "one"))
    assert(visible(root) === Set("part-one.parquet"))
  }

  test("a job that ends leaves the mark of the next one, which has its turn already") {
    val table = newTable()
    val root = rootOf(table)
    append(table, root, "earlier")
    on(table, deletes("_one.alive"))(CommitNote.markLast(root.getFileSystem(conf), root, "next")) {
      append(table, root, "one")
    }
    val marks = table.resolve("_variant_shredded_commits").toFile.list().toSet
    assert(marks === Set("_one.last", "_next.last"))
  }

  test("a job that fails leaves nothing in a directory that was empty") {
    val table = newTable()
    val root = rootOf(table)
    intercept[IllegalStateException] {
      ExclusiveCommit(root, conf, "new")(_.add(throw new IllegalStateException("no")))
    }
    assert(table.toFile.list().isEmpty)
  }
}

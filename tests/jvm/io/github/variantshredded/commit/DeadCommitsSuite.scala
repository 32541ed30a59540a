package io.github.variantshredded.commit

import java.io.IOException
import java.nio.file.{Files, Path => JavaPath}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.fault.{CheckedFaultFileSystem, FaultFileSystem}
import org.apache.hadoop.fs.Path

/** A job undoes or finishes what dead ones have left, and nothing else. */
class DeadCommitsSuite extends CommitSuite {

  test("a job that waits is not taken for a dead one") {
    val table = newTable()
    val root = rootOf(table)
    writeNote(root, CommitNote("dead", CommitState.Adding, None))
    create(table, "part-dead.parquet")
    // With Hadoop's algorithm 2, the files of a job are there before its commit.
    create(table, "part-waiting.parquet")
    val patience = CommitPatience(silenceOfUnknown = 0)
    ActiveJobs.add("waiting")
    try {
      val living = CommitNote("waiting", CommitState.Adding, Some(WriterProcess.current))
      // After the job has found that it is its turn.
      on(table, deletes("part-dead.parquet"))(writeNote(root, living)) {
        ExclusiveCommit(root, conf, "one", patience)(_ => ())
      }
      assert(notes(table) === Set("_waiting.adding"))
      assert(Files.exists(table.resolve("part-waiting.parquet")))
      assert(Files.notExists(table.resolve("part-dead.parquet")))
    } finally ActiveJobs.remove("waiting")
  }

  Seq(FaultFileSystem.Scheme, CheckedFaultFileSystem.Scheme, "file").foreach { scheme =>
    test(s"a commit that died when the log of a stream was gone is finished ($scheme)") {
      val table = newTable()
      val root = rootOf(table, scheme)
      create(table, "part-old.parquet")
      create(table, "part-dead.parquet")
      val old = listed(root).find(_.getPath.getName == "part-old.parquet").get
      val replaced = NotedFile("part-old.parquet", old.getLen, old.getModificationTime)
      writeNote(root, CommitNote("dead", CommitState.Adding, Some(WriterProcess.current)))
      writeNote(
        root,
        CommitNote(
          "dead",
          CommitState.Replacing,
          Some(WriterProcess.current),
          Seq(replaced),
          Some("_spark_metadata")
        )
      )
      append(table, root, "next")
      assert(visible(root) === Set("part-dead.parquet", "part-next.parquet"))
      assert(notes(table).isEmpty)
    }
  }

  /** The table with a stream's log whose only entry has this name. */
  private def withLog(entry: String): JavaPath = {
    val table = newTable()
    create(table, s"_spark_metadata/$entry")
    create(table, "part-old.parquet")
    table
  }

  /** An overwrite by one file that removes the log of a stream. */
  private def overwriteStream(table: JavaPath, root: Path, job: String): Unit =
    ExclusiveCommit(root, conf, job) { commit =>
      val replaced = listed(root)
      commit.add {
        create(table, s"part-$job.parquet")
        ()
      }
      commit.replace(replaced, Some(new Path(root, "_spark_metadata")))
    }

  test(
    "a job leaves the log of a new stream although a note of the one that removed the old is left"
  ) {
    val table = withLog("7")
    val root = rootOf(table)
    refusing(table, deletes("_over.replacing"))(overwriteStream(table, root, "over"))
    assert(notes(table) === Set("_over.replacing"))
    assert(Files.notExists(table.resolve("_spark_metadata")))
    val entry = create(table, "_spark_metadata/0")
    refusing(table, deletes("_over.replacing")) {
      intercept[IOException](append(table, root, "next"))
    }
    assert(Files.exists(entry))
    append(table, root, "last")
    assert(Files.exists(entry))
    assert(notes(table).isEmpty)
    assert(visible(root) === Set("part-over.parquet", "part-last.parquet"))
  }

  test("an overwrite that was undone and ended before it could withdraw its note deletes no file") {
    val table = withLog("0")
    val root = rootOf(table)
    val old = listed(root).map(file =>
      NotedFile(file.getPath.getName, file.getLen, file.getModificationTime)
    )
    val writer = Some(WriterProcess.current)
    writeNote(
      root,
      CommitNote("undone", CommitState.Replacing, writer, old, Some("_spark_metadata"))
    )
    assert(visible(root) === Set("part-old.parquet"))
    append(table, root, "next")
    assert(visible(root) === Set("part-old.parquet", "part-next.parquet"))
    assert(Files.exists(table.resolve("_spark_metadata/0")))
    assert(notes(table).isEmpty)
  }

  test("a job writes its heartbeat when it undoes what a dead one has left") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-dead.parquet")
    writeNote(root, CommitNote("dead", CommitState.Adding, Some(WriterProcess.current)))
    var isBeating = false
    on(table, deletes("part-dead.parquet")) {
      val threads = Thread.getAllStackTraces.keySet.asScala
      isBeating =
        threads.exists(thread => thread.isAlive && thread.getName == "variant-shredded-commit")
    }(append(table, root, "next"))
    assert(isBeating)
  }
}

package io.github.variantshredded.commit

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.file.{Files, Path => JavaPath}
import java.nio.file.attribute.FileTime
import java.security.PrivilegedAction
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{
  CheckedFaultFileSystem,
  FaultFileSystem,
  Faults,
  Operation,
  Watcher
}
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.security.UserGroupInformation
import org.scalatest.funsuite.AnyFunSuite

/** One commit after the other, whatever the file system answers. */
class ExclusiveCommitSuite extends AnyFunSuite with TemporaryFolder {

  private val conf = new Configuration
  FaultFileSystem.register(conf)
  private var tables = 0

  private def newTable(): JavaPath = {
    tables += 1
    Files.createDirectories(folder.resolve(s"table-$tables"))
  }

  private def rootOf(table: JavaPath, scheme: String = FaultFileSystem.Scheme): Path =
    new Path(s"$scheme://$table")

  private def fileSystem(root: Path): FileSystem = root.getFileSystem(conf)

  private def create(table: JavaPath, name: String): JavaPath = {
    val file = table.resolve(name)
    Files.createDirectories(file.getParent)
    Files.writeString(file, name)
  }

  private def visible(root: Path): Set[String] = {
    val fs = fileSystem(root)
    val files = PendingCommits.visible(Seq(fs.makeQualified(root)), conf) { () =>
      DataFiles.below(fs, fs.makeQualified(root)).toSeq
    }
    files.map(_.getPath.getName).toSet
  }

  private def listed(root: Path): Seq[FileStatus] =
    DataFiles.below(fileSystem(root), fileSystem(root).makeQualified(root)).toSeq

  /** An append of one file. */
  private def append(table: JavaPath, root: Path, job: String, directory: String = ""): Unit =
    ExclusiveCommit(root, conf, job)(_.add {
      create(table, s"${directory}part-$job.parquet")
      ()
    })

  /** An overwrite by one file. */
  private def overwrite(table: JavaPath, root: Path, job: String): Unit =
    ExclusiveCommit(root, conf, job) { commit =>
      val replaced = listed(root)
      commit.add {
        create(table, s"part-$job.parquet")
        ()
      }
      commit.replace(replaced, None)
    }

  private def writeNote(root: Path, note: CommitNote): Unit =
    CommitNote.write(fileSystem(root), root, note)

  private def notes(table: JavaPath): Set[String] =
    Option(table.resolve("_variant_shredded_commits").toFile.list()).fold(Set.empty[String])(
      _.toSet.filter(name => CommitState.All.exists(state => name.endsWith(state.suffix)))
    )

  private def on(table: JavaPath, what: Operation => Boolean)(act: => Unit)(body: => Unit): Unit = {
    @volatile var met = false
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (!met && what(operation)) {
          met = true
          act
        }
        carryOut
      }
    }
    Faults.watched(table.toString, watcher)(body)
    assert(met)
  }

  private def refusing(table: JavaPath, what: Operation => Boolean)(body: => Unit): Unit = {
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
        refused.filter(_ => what(operation)).getOrElse(carryOut)
    }
    Faults.watched(table.toString, watcher)(body)
  }

  private def deletes(suffix: String)(operation: Operation): Boolean =
    operation.kind == "delete" && operation.path.getName.endsWith(suffix)

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

  test("a list of replaced files that was lost is an error, for readers and for jobs") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    create(table, "part-dead.parquet")
    Seq("", "{", "{}", "[]").foreach { content =>
      val note = create(table, "_variant_shredded_commits/_dead.replacing")
      Files.writeString(note, content)
      val reader = intercept[VariantShreddedException](visible(root))
      assert(reader.getMessage.contains("dead.replacing"), content)
      val job = intercept[VariantShreddedException](append(table, root, "next"))
      assert(job.getMessage.contains("dead.replacing"), content)
      assert(Files.exists(note))
      assert(notes(table) === Set("_dead.replacing"))
    }
  }

  test("notes and marks with the names of earlier versions, without _ at the beginning") {
    CommitState.All.foreach { state =>
      val table = newTable()
      val root = rootOf(table)
      create(table, "part-old.parquet")
      create(table, "part-dead.parquet")
      create(table, "_variant_shredded_commits/earlier.last")
      val replaced = listed(root)
        .filter(_.getPath.getName == "part-old.parquet")
        .map(file => NotedFile(file.getPath.getName, file.getLen, file.getModificationTime))
      CommitState.All.takeWhile(_ != state).foreach { earlier =>
        create(table, s"_variant_shredded_commits/dead${earlier.suffix}")
      }
      val note = CommitNote("dead", state, None, replaced)
      writeNote(root, note)
      Files.move(
        table.resolve(s"_variant_shredded_commits/${note.name}"),
        table.resolve(s"_variant_shredded_commits/dead${state.suffix}")
      )
      val seen = if (state == CommitState.Adding) "part-old.parquet" else "part-dead.parquet"
      assert(visible(root) === Set(seen))
      ExclusiveCommit(root, conf, "next", CommitPatience(silenceOfUnknown = 50)) {
        _.add {
          create(table, "part-next.parquet")
          ()
        }
      }
      assert(visible(root) === Set(seen, "part-next.parquet"))
      assert(
        table.resolve("_variant_shredded_commits").toFile.list().toSet === Set("_next.last")
      )
    }
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

  /** What a reader sees if `between` runs once, when it has listed one of two partitions. */
  private def seenAround(root: Path, between: => Unit): Set[String] = {
    val fs = fileSystem(root)
    val base = fs.makeQualified(root)
    var first = true
    val files = PendingCommits.visible(Seq(base), conf) { () =>
      val some = DataFiles.below(fs, new Path(base, "p=0")).toList
      if (first) {
        first = false
        between
      }
      some ++ DataFiles.below(fs, new Path(base, "p=1")).toList
    }
    files.map(file => file.getPath.getParent.getName + "/" + file.getPath.getName).toSet
  }

  private def addTo(table: JavaPath, job: String): Unit = Seq("p=0", "p=1").foreach { partition =>
    create(table, s"$partition/part-$job.parquet")
  }

  Seq(Seq.empty[String], Seq("first"), Seq("first", "second")).foreach { earlier =>
    test(s"a commit that begins and ends while files are listed is seen whole, after $earlier") {
      val table = newTable()
      val root = rootOf(table)
      addTo(table, "old")
      earlier.foreach(job => append(table, root, job, "p=0/"))
      val seen = seenAround(root, ExclusiveCommit(root, conf, "new")(_.add(addTo(table, "new"))))
      val expected = earlier.map(job => s"p=0/part-$job.parquet") ++
        Seq("old", "new").flatMap(job => Seq(s"p=0/part-$job.parquet", s"p=1/part-$job.parquet"))
      assert(seen === expected.toSet)
      assert(table.resolve("_variant_shredded_commits").toFile.list().length === 1)
    }
  }

  test("a truncation that begins and ends while files are listed is seen whole") {
    val table = newTable()
    val root = rootOf(table)
    addTo(table, "old")
    def truncate(): Unit = ExclusiveCommit(root, conf, "new")(_.replace(listed(root), None))
    assert(seenAround(root, truncate()) === Set.empty)
  }

  test("a reader whose every listing meets a commit fails rather than see half of one") {
    val table = newTable()
    val root = rootOf(table)
    addTo(table, "old")
    var jobs = 0
    val e = intercept[VariantShreddedException] {
      val base = fileSystem(root).makeQualified(root)
      PendingCommits.visible(Seq(base), conf) { () =>
        jobs += 1
        append(table, root, s"job-$jobs", "p=0/")
        listed(root)
      }
    }
    assert(e.getCondition === "CONCURRENT_WRITE")
  }

  test("jobs that wait do not make a reader list the files again") {
    val table = newTable()
    val root = rootOf(table)
    addTo(table, "old")
    def waiting(number: Int) = CommitNote(s"waiting-$number", CommitState.Adding, None)
    writeNote(root, waiting(0))
    var looks = 0
    val files = PendingCommits.visible(Seq(fileSystem(root).makeQualified(root)), conf) { () =>
      fileSystem(root).delete(waiting(looks).path(root), false)
      looks += 1
      writeNote(root, waiting(looks))
      listed(root)
    }
    assert(looks === 1)
    assert(files.size === 2)
  }

  Seq(false, true).foreach { isMarked =>
    test(s"a reader sees nothing of a dead job that is undone meanwhile, with a mark: $isMarked") {
      val table = newTable()
      val root = rootOf(table)
      Seq("old", "dead").foreach(addTo(table, _))
      writeNote(root, CommitNote("dead", CommitState.Adding, Some(WriterProcess.current)))
      if (isMarked) CommitNote.markLast(fileSystem(root), root, "dead")
      val seen = seenAround(root, ExclusiveCommit(root, conf, "next")(_ => ()))
      assert(seen === Set("p=0/part-old.parquet", "p=1/part-old.parquet"))
    }
  }

  test("a note that is listed but cannot be opened is an error, unless it was removed meanwhile") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    writeNote(root, CommitNote("dead", CommitState.Replacing, None))
    Files.createDirectory(table.resolve("_variant_shredded_commits/_directory.replacing"))
    var opened = 0
    var isClosed = true
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (operation.kind == "open") {
          opened += 1
          if (opened > 10) throw new IllegalStateException("The notes are opened again and again.")
          if (isClosed) throw new FileNotFoundException(s"${operation.path} (Permission denied)")
        }
        carryOut
      }
    }
    Faults.watched(table.toString, watcher) {
      val e = intercept[FileNotFoundException](PendingCommits.of(root, conf))
      assert(e.getMessage.contains("_dead.replacing (Permission denied)"))
      isClosed = false
      assert(visible(root) === Set("part-old.parquet"))
    }
    val note = table.resolve("_variant_shredded_commits/_dead.replacing")
    on(table, _.kind == "open")(Files.delete(note)) {
      assert(visible(root) === Set("part-old.parquet"))
    }
  }

  test("the notes of many directories are read as the user who asks for them") {
    conf.set("fs.owned.impl", classOf[OwnedFileSystem].getName)
    val root = rootOf(newTable(), "owned")
    val roots = (0 until 200).map(number => new Path(root, s"directory-$number"))
    val read: PrivilegedAction[Unit] =
      () => assert(PendingCommits.visible(roots, conf)(() => Nil).isEmpty): Unit
    UserGroupInformation.createRemoteUser("somebody").doAs(read)
    assert(OwnedFileSystem.owners.asScala.toSet === Set("somebody"))
  }

  test("a job that fails leaves nothing in a directory that was empty") {
    val table = newTable()
    val root = rootOf(table)
    intercept[IllegalStateException] {
      ExclusiveCommit(root, conf, "new")(_.add(throw new IllegalStateException("no")))
    }
    assert(table.toFile.list().isEmpty)
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

/** Keeps the names of the users to whom its instances belong. */
final class OwnedFileSystem extends RawLocalFileSystem {
  OwnedFileSystem.owners.add(UserGroupInformation.getCurrentUser.getShortUserName)

  override def getScheme: String = "owned"

  override def getUri: URI = URI.create("owned:///")
}

private object OwnedFileSystem {
  val owners: java.util.Set[String] = ConcurrentHashMap.newKeySet[String]()
}

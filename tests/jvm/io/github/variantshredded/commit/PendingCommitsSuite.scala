package io.github.variantshredded.commit

import java.io.FileNotFoundException
import java.net.URI
import java.nio.file.{Files, Path => JavaPath}
import java.security.PrivilegedAction
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{Faults, Operation, Watcher}
import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.hadoop.security.UserGroupInformation

/** Readers see each commit as a whole, or not at all. */
class PendingCommitsSuite extends CommitSuite {

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

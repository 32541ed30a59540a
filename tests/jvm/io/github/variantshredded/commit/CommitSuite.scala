package io.github.variantshredded.commit

import java.nio.file.{Files, Path => JavaPath}

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.fault.{FaultFileSystem, Faults, Operation, Watcher}
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

/** What suites of commits share: tables on a file system that can fail, and jobs that commit to them. */
trait CommitSuite extends AnyFunSuite with TemporaryFolder {

  protected val conf = new Configuration
  FaultFileSystem.register(conf)
  private var tables = 0

  protected def newTable(): JavaPath = {
    tables += 1
    Files.createDirectories(folder.resolve(s"table-$tables"))
  }

  protected def rootOf(table: JavaPath, scheme: String = FaultFileSystem.Scheme): Path =
    new Path(s"$scheme://$table")

  protected def fileSystem(root: Path): FileSystem = root.getFileSystem(conf)

  protected def create(table: JavaPath, name: String): JavaPath = {
    val file = table.resolve(name)
    Files.createDirectories(file.getParent)
    Files.writeString(file, name)
  }

  protected def visible(root: Path): Set[String] = {
    val fs = fileSystem(root)
    val files = PendingCommits.visible(Seq(fs.makeQualified(root)), conf) { () =>
      DataFiles.below(fs, fs.makeQualified(root)).toSeq
    }
    files.map(_.getPath.getName).toSet
  }

  protected def listed(root: Path): Seq[FileStatus] =
    DataFiles.below(fileSystem(root), fileSystem(root).makeQualified(root)).toSeq

  /** An append of one file. */
  protected def append(table: JavaPath, root: Path, job: String, directory: String = ""): Unit =
    ExclusiveCommit(root, conf, job)(_.add {
      create(table, s"${directory}part-$job.parquet")
      ()
    })

  /** An overwrite by one file. */
  protected def overwrite(table: JavaPath, root: Path, job: String): Unit =
    ExclusiveCommit(root, conf, job) { commit =>
      val replaced = listed(root)
      commit.add {
        create(table, s"part-$job.parquet")
        ()
      }
      commit.replace(replaced, None)
    }

  protected def writeNote(root: Path, note: CommitNote): Unit =
    CommitNote.write(fileSystem(root), root, note)

  protected def notes(table: JavaPath): Set[String] =
    Option(table.resolve("_variant_shredded_commits").toFile.list()).fold(Set.empty[String])(
      _.toSet.filter(name => CommitState.All.exists(state => name.endsWith(state.suffix)))
    )

  protected def on(
      table: JavaPath,
      what: Operation => Boolean
  )(act: => Unit)(body: => Unit): Unit = {
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

  protected def refusing(table: JavaPath, what: Operation => Boolean)(body: => Unit): Unit = {
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
        refused.filter(_ => what(operation)).getOrElse(carryOut)
    }
    Faults.watched(table.toString, watcher)(body)
  }

  protected def deletes(suffix: String)(operation: Operation): Boolean =
    operation.kind == "delete" && operation.path.getName.endsWith(suffix)
}

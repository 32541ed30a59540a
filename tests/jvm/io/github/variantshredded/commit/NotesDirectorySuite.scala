package io.github.variantshredded.commit

import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.HiddenFileFilter

/** Other sources do not read what is in the directory of notes. */
class NotesDirectorySuite extends PathSuite {

  test("Spark's Parquet source takes no commit note for data, while a job commits and after it") {
    val path = written(rows(0, 4), "p")
    val root = new Path(s"file:$path")
    val fs = root.getFileSystem(new Configuration)
    def names: Set[String] =
      fs.listStatus(NotesDirectory.of(root)).map(_.getPath.getName).toSet
    def assertRead(): Unit = Seq(path, s"$path/*", s"$path/*/*").foreach { pattern =>
      assert(spark.read.parquet(pattern).selectExpr("v:n::int").count() === 4, pattern)
      assert(names.forall(_.startsWith("_")), names)
      val listed = fs.globStatus(new Path(root, "*/*"), HiddenFileFilter.INSTANCE)
      assert(listed.map(_.getPath.getName).toSet === dataFiles(path).map(_.split('/').last).toSet)
    }
    assert(names.size === 1)
    assertRead()
    ExclusiveCommit(root, fs.getConf, "job") { commit =>
      commit.add(())
      fs.create(CommitNote.heartbeat(root, "job")).close()
      CommitNote.write(fs, root, CommitNote("job", CommitState.Replacing, None))
      assert(Seq(".adding", ".replacing", ".alive", ".last").forall(s => names(s"_job$s")), names)
      assertRead()
    }
    assert(names === Set("_job.last"))
    assertRead()
  }
}

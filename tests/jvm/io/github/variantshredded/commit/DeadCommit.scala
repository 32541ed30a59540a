package io.github.variantshredded.commit

import java.nio.file.{Path => JavaPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** What a job leaves that ended while it added files. */
object DeadCommit {

  /** Writes the note of such a job to the table `root`. */
  def leave(root: JavaPath, job: String): Unit = {
    val path = new Path(root.toUri)
    // This process runs, but it knows no such job.
    val note = CommitNote(job, CommitState.Adding, Some(WriterProcess.current))
    CommitNote.write(path.getFileSystem(new Configuration), path, note)
  }
}

package io.github.variantshredded.write.file

import scala.collection.mutable

import org.apache.hadoop.fs.FileStatus

/** Keeps the newest of the files that are added, at most `most`. */
private[write] final class NewestFiles(most: Int) {

  private val kept = mutable.PriorityQueue.empty(NewestFiles.Latest.reverse)

  def add(file: FileStatus): Unit = {
    kept += file
    if (kept.size > most) kept.dequeue(): Unit
  }

  /** Returns the files that were kept, in any order. */
  def files: Seq[FileStatus] = kept.toSeq
}

private[write] object NewestFiles {

  /** Orders files by the time of their last change, then by path. */
  val Latest: Ordering[FileStatus] =
    Ordering
      .by((status: FileStatus) => status.getModificationTime)
      .orElse(Ordering.by((status: FileStatus) => status.getPath.toString))
}

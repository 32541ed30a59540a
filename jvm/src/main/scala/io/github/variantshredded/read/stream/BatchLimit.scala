package io.github.variantshredded.read.stream

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.connector.read.streaming.{ReadLimit, ReadMaxBytes, ReadMaxFiles}

/** Limits what a batch of a stream may read. */
private[stream] sealed trait BatchLimit {

  def readLimit: ReadLimit

  /** Divides files, in this order, into those of the batch and the others. */
  def take(files: Seq[FileStatus]): (Seq[FileStatus], Seq[FileStatus])

  /** Returns how much of a batch the files would fill. */
  def share(files: Seq[FileStatus]): Double
}

private[stream] object BatchLimit {

  /** Returns the limit that Spark asks for; None if there is none. */
  def of(limit: ReadLimit): Option[BatchLimit] = limit match {
    case files: ReadMaxFiles => Some(Files(files.maxFiles))
    case bytes: ReadMaxBytes => Some(Bytes(bytes.maxBytes))
    case _                   => None
  }

  final case class Files(most: Int) extends BatchLimit {
    override def readLimit: ReadLimit = ReadLimit.maxFiles(most)

    override def take(files: Seq[FileStatus]): (Seq[FileStatus], Seq[FileStatus]) =
      files.splitAt(most)

    override def share(files: Seq[FileStatus]): Double = files.size.toDouble / most
  }

  /** Takes at least one file, whatever its size is. */
  final case class Bytes(most: Long) extends BatchLimit {
    override def readLimit: ReadLimit = ReadLimit.maxBytes(most)

    override def take(files: Seq[FileStatus]): (Seq[FileStatus], Seq[FileStatus]) = {
      val sums = files.iterator.map(_.getLen).scanLeft(BigInt(0))(_ + _).drop(1)
      files.splitAt(math.max(1, sums.takeWhile(_ <= most).size))
    }

    override def share(files: Seq[FileStatus]): Double =
      files.iterator.map(_.getLen.toDouble).sum / most.toDouble
  }
}

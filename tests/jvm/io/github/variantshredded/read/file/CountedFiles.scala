package io.github.variantshredded.read.file

import java.net.URI
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FileStatus, FSDataInputStream, FSInputStream, Path, RawLocalFileSystem}

/** Local files under another scheme, which remembers what was asked of them. */
final class CountedFiles extends RawLocalFileSystem {
  override def getUri: URI = URI.create(s"${CountedFiles.Scheme}:///")
  override def getScheme: String = CountedFiles.Scheme
  override def checkPath(path: Path): Unit = ()

  override def listStatus(path: Path): Array[FileStatus] = {
    CountedFiles.listings.add(path)
    super.listStatus(path)
  }

  override def getFileStatus(path: Path): FileStatus = {
    CountedFiles.asked.add(path)
    super.getFileStatus(path)
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val in = super.open(path, bufferSize)
    new FSDataInputStream(new FSInputStream {
      override def seek(position: Long): Unit = in.seek(position)
      override def getPos: Long = in.getPos
      override def seekToNewSource(position: Long): Boolean = false
      override def close(): Unit = in.close()

      override def read(): Int = {
        CountedFiles.ranges.add((in.getPos, 1))
        in.read()
      }

      override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
        CountedFiles.ranges.add((in.getPos, length))
        in.read(bytes, offset, length)
      }
    })
  }
}

object CountedFiles {
  val Scheme = "counted"

  private val ranges = new ConcurrentLinkedQueue[(Long, Int)]
  private val listings = new ConcurrentLinkedQueue[Path]
  private val asked = new ConcurrentLinkedQueue[Path]

  /** Settings of the Hadoop configuration that make the scheme known. */
  val settings: Map[String, String] = Map(
    s"fs.$Scheme.impl" -> classOf[CountedFiles].getName,
    // Reads of several ranges at once would go past the stream.
    "parquet.hadoop.vectored.io.enabled" -> "false"
  )

  /** What `body` asked for, as position and length. */
  def during(body: => Unit): Seq[(Long, Int)] = {
    ranges.clear()
    body
    ranges.asScala.toSeq
  }

  /** The paths whose status `body` asked for. */
  def askedDuring(body: => Unit): Seq[Path] = {
    asked.clear()
    body
    asked.asScala.toSeq
  }

  /** The directories that `body` listed. */
  def listedDuring(body: => Unit): Seq[Path] = {
    listings.clear()
    body
    listings.asScala.toSeq
  }
}

package io.github.variantshredded.testing

import java.io.IOException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  EtagSource,
  FileStatus,
  FileSystem,
  FSDataInputStream,
  FSInputStream,
  Path,
  RawLocalFileSystem
}

/**
 * Local files as objects of a store: each status has an ETag, and a stream closes itself when a read
 * fails, as S3A's stream `analytics` does.
 */
final class ObjectFiles extends RawLocalFileSystem with QuickLocalFiles {

  override def getScheme: String = ObjectFiles.Scheme

  override def getUri: URI = URI.create(s"$getScheme:///")

  override def listStatus(path: Path): Array[FileStatus] = super.listStatus(path).map(tagged)

  override def getFileStatus(path: Path): FileStatus = tagged(super.getFileStatus(path))

  private def tagged(status: FileStatus): FileStatus =
    if (status.isDirectory) status
    else new ObjectFiles.Tagged(status.getLen, status.getModificationTime, status.getPath)

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val in = super.open(path, bufferSize)
    new FSDataInputStream(new FSInputStream {
      private var isClosed = false

      override def seek(position: Long): Unit = in.seek(position)
      override def getPos: Long = in.getPos
      override def seekToNewSource(position: Long): Boolean = false

      override def close(): Unit = {
        isClosed = true
        in.close()
      }

      override def read(): Int = {
        val one = new Array[Byte](1)
        if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
      }

      override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
        if (isClosed) throw new IOException(s"$path: Stream is closed!")
        try ObjectFiles.before()
        catch {
          case e: IOException =>
            close()
            throw e
        }
        in.read(bytes, offset, length)
      }

      // Vectored reads call this method, and do not close the stream.
      override def readFully(position: Long, bytes: Array[Byte], offset: Int, length: Int): Unit = {
        if (isClosed) throw new IOException(s"$path: Stream is closed!")
        ObjectFiles.before()
        in.readFully(position, bytes, offset, length)
      }
    })
  }
}

object ObjectFiles {

  val Scheme = "object"

  /** Makes the file system known. */
  def register(conf: Configuration): Unit =
    conf.setClass(s"fs.$Scheme.impl", classOf[ObjectFiles], classOf[FileSystem])

  private final class Tagged(length: Long, time: Long, path: Path)
      extends FileStatus(length, false, 1, 1L << 25, time, path)
      with EtagSource {
    override def getEtag: String = s"$length-$time"
  }

  @volatile private var reads = 0
  @volatile private var fault: Int => Option[IOException] = _ => None

  private def before(): Unit = synchronized {
    reads += 1
    fault(reads - 1).foreach(throw _)
  }

  /** Runs `body` with faults of the reads that have these numbers. Returns the number of reads. */
  def failing(faults: Int => Option[IOException])(body: => Unit): Int = {
    reads = 0
    fault = faults
    try body
    finally fault = _ => None
    reads
  }
}

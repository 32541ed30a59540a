package io.github.variantshredded.testing

import java.io.IOException
import java.net.URI
import java.util.concurrent.{CompletableFuture, ConcurrentHashMap}

import scala.util.Using

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
import org.apache.hadoop.fs.impl.OpenFileParameters

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

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    opened(path, super.open(path, bufferSize))

  override protected def openFileWithOptions(
      path: Path,
      parameters: OpenFileParameters
  ): CompletableFuture[FSDataInputStream] = {
    val remembered = parameters.getStatus match {
      case _: EtagSource => None
      case _             => ObjectFiles.remembered(path, () => super.open(path, 4096))
    }
    val in = remembered.getOrElse(super.open(path, 4096))
    CompletableFuture.completedFuture(opened(path, in))
  }

  private def opened(path: Path, in: FSDataInputStream): FSDataInputStream =
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

  private val memory = new ConcurrentHashMap[Path, Array[Byte]]
  @volatile private var remembers = false

  /**
   * Runs `body` with a client that remembers objects as they were when it first read them, and reads
   * them so again if it is opened without an ETag.
   */
  def remembering[T](body: => T): T = {
    remembers = true
    try body
    finally {
      remembers = false
      memory.clear()
    }
  }

  private def remembered(path: Path, open: () => FSDataInputStream): Option[FSDataInputStream] =
    Option.when(remembers) {
      val bytes = memory.computeIfAbsent(path, _ => Using.resource(open())(_.readAllBytes))
      new FSDataInputStream(new Remembered(bytes))
    }

  private final class Remembered(bytes: Array[Byte]) extends FSInputStream {
    private var position = 0

    override def seek(to: Long): Unit = position = to.toInt
    override def getPos: Long = position.toLong
    override def seekToNewSource(to: Long): Boolean = false

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
    }

    override def read(target: Array[Byte], offset: Int, length: Int): Int = {
      val count = math.min(length, bytes.length - position)
      if (length > 0 && count <= 0) -1
      else {
        System.arraycopy(bytes, position, target, offset, count)
        position += count
        count
      }
    }
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

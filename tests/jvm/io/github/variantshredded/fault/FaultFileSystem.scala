package io.github.variantshredded.fault

import java.io.OutputStream
import java.net.URI

import io.github.variantshredded.testing.QuickLocalFiles
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FileStatus,
  FSDataInputStream,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.sql.SparkSession

/** Local files with the scheme `fault`, on which [[Faults]] look: as a store without checksums. */
class FaultFileSystem extends RawLocalFileSystem with QuickLocalFiles {

  import Faults.operation

  override def getScheme: String = FaultFileSystem.Scheme

  override def getUri: URI = URI.create(s"$getScheme:///")

  override def listStatus(path: Path): Array[FileStatus] =
    operation("list", path, changes = false)(super.listStatus(path))

  override def getFileStatus(path: Path): FileStatus =
    operation("status", path, changes = false)(super.getFileStatus(path))

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    operation("open", path, changes = false)(super.open(path, bufferSize))

  override def mkdirs(path: Path, permission: FsPermission): Boolean =
    operation("mkdirs", path, changes = true, Some(false))(super.mkdirs(path, permission))

  override def mkdirs(path: Path): Boolean =
    operation("mkdirs", path, changes = true, Some(false))(super.mkdirs(path))

  override def rename(from: Path, to: Path): Boolean =
    operation("rename", from, changes = true, Some(false))(super.rename(from, to))

  override def delete(path: Path, recursive: Boolean): Boolean =
    operation("delete", path, changes = true, Some(false))(super.delete(path, recursive))

  override protected def createOutputStreamWithMode(
      path: Path,
      append: Boolean,
      permission: FsPermission
  ): OutputStream = {
    val out = operation("create", path, changes = true)(
      super.createOutputStreamWithMode(path, append, permission)
    )
    new WatchedStream(path, out)
  }

  private final class WatchedStream(path: Path, out: OutputStream) extends OutputStream {

    override def write(byte: Int): Unit =
      operation("write", path, changes = true)(out.write(byte))

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      operation("write", path, changes = true)(out.write(bytes, offset, length))

    override def flush(): Unit = out.flush()

    override def close(): Unit = operation("close", path, changes = true)(out.close())
  }
}

/** The same with a file of checksums beside each file, as Hadoop's local file system has it. */
final class CheckedFaultFileSystem extends LocalFileSystem(new CheckedFaultFileSystem.Raw) {
  override def getScheme: String = CheckedFaultFileSystem.Scheme
}

object FaultFileSystem {

  val Scheme = "fault"

  /** Makes both file systems known. */
  def register(conf: Configuration): Unit = {
    conf.setClass(
      s"fs.$Scheme.impl",
      classOf[FaultFileSystem],
      classOf[org.apache.hadoop.fs.FileSystem]
    )
    conf.setClass(
      s"fs.${CheckedFaultFileSystem.Scheme}.impl",
      classOf[CheckedFaultFileSystem],
      classOf[org.apache.hadoop.fs.FileSystem]
    )
  }
}

object CheckedFaultFileSystem {

  val Scheme = "faultcrc"

  private final class Raw extends FaultFileSystem {
    override def getScheme: String = Scheme
  }
}

/** Local files with a scheme that only some sessions know. */
final class OwnFileSystem extends FaultFileSystem {
  override def getScheme: String = OwnFileSystem.Scheme
}

object OwnFileSystem {

  val Scheme = "own"

  /** Returns a new session, the only one that knows the file system, whose objects are not shared. */
  def session(of: SparkSession): SparkSession = {
    val session = of.newSession()
    session.conf.set(s"fs.$Scheme.impl", classOf[OwnFileSystem].getName)
    session.conf.set(s"fs.$Scheme.impl.disable.cache", "true")
    session
  }
}

package io.github.variantshredded.read.file

import java.io.FileNotFoundException
import java.net.URI

import io.github.variantshredded.testing.MemoryInput
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile

/** A file system of one file, whose bytes are in memory: [[MemoryFile.bytes]] of this thread. */
final class MemoryFile extends FileSystem {
  override def getUri: URI = URI.create("memory:///")
  override def getScheme: String = MemoryFile.Scheme

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new MemoryInput(MemoryFile.bytes.get))

  override def getFileStatus(path: Path): FileStatus =
    if (path.toUri.getPath == "/") new FileStatus(0, true, 1, 1, 0, path)
    else {
      // A file of this moment is not kept in the cache of footers.
      val now = System.currentTimeMillis
      new FileStatus(MemoryFile.bytes.get.length.toLong, false, 1, 1 << 20, now, path)
    }

  override def listStatus(path: Path): Array[FileStatus] =
    throw new FileNotFoundException(path.toString)
  override def getWorkingDirectory: Path = new Path("memory:///")
  override def setWorkingDirectory(path: Path): Unit = ()
  override def mkdirs(path: Path, permission: FsPermission): Boolean = false
  override def delete(path: Path, recursive: Boolean): Boolean = false
  override def rename(from: Path, to: Path): Boolean = false
  override def append(path: Path, size: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException("append")
  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = throw new UnsupportedOperationException("create")
}

object MemoryFile {
  val Scheme = "memory"

  val bytes: ThreadLocal[Array[Byte]] = new ThreadLocal[Array[Byte]]

  /** What `FileRows` gives to readers, and this file system. */
  val conf: Configuration = {
    val conf = new Configuration(FileRows.conf)
    conf.set(s"fs.$Scheme.impl", classOf[MemoryFile].getName)
    conf
  }

  /** All of the file as one split. */
  def split: PartitionedFile = {
    val length = bytes.get.length.toLong
    PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPathString(s"$Scheme:///file.parquet"),
      0,
      length,
      fileSize = length
    )
  }
}

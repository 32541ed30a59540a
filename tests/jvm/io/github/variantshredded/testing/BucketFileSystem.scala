package io.github.variantshredded.testing

import java.io.{File, FileNotFoundException}
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  FileStatus,
  FileSystem,
  FSDataInputStream,
  FSDataOutputStream,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/**
 * Represents local files as objects of buckets: `bucket://name/key` is the file `key` in the directory
 * `name` of the directory that `fs.bucket.directory` names. `bucket://name` is its root, as for S3A.
 */
final class BucketFileSystem extends FileSystem {
  private val local = new RawLocalFileSystem
  private var uri: URI = _
  private var folder: File = _

  override def getScheme: String = BucketFileSystem.Scheme

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    local.initialize(URI.create("file:///"), conf)
    uri = URI.create(s"$getScheme://${name.getAuthority}")
    folder = new File(conf.get(BucketFileSystem.Directory), name.getAuthority)
    val _ = folder.mkdirs()
  }

  override def getUri: URI = uri

  private def file(path: Path): Path = {
    checkPath(path)
    new Path(new File(folder, path.toUri.getPath).toURI)
  }

  private def shown(found: FileStatus): FileStatus = {
    val key = found.getPath.toUri.getPath.stripPrefix(folder.getPath)
    val path = new Path(getScheme, uri.getAuthority, if (key.isEmpty) "/" else key)
    new FileStatus(
      found.getLen,
      found.isDirectory,
      1,
      found.getBlockSize,
      found.getModificationTime,
      path
    )
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    local.open(file(path), bufferSize)

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    local.create(file(path), overwrite, bufferSize, replication, blockSize, progress)

  override def append(path: Path, size: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException

  override def rename(from: Path, to: Path): Boolean = local.rename(file(from), file(to))

  override def delete(path: Path, recursive: Boolean): Boolean =
    path.toUri.getPath.length > 1 && local.delete(file(path), recursive)

  override def listStatus(path: Path): Array[FileStatus] = local.listStatus(file(path)).map(shown)

  override def getFileStatus(path: Path): FileStatus =
    try shown(local.getFileStatus(file(path)))
    catch { case _: FileNotFoundException => throw new FileNotFoundException(path.toString) }

  override def mkdirs(path: Path, permission: FsPermission): Boolean = local.mkdirs(file(path))

  override def setWorkingDirectory(directory: Path): Unit = ()

  override def getWorkingDirectory: Path = new Path(getScheme, uri.getAuthority, "/")
}

object BucketFileSystem {

  val Scheme = "bucket"

  private final val Directory = "fs.bucket.directory"

  /** Makes the file system known, with its buckets in `folder`. */
  def register(conf: Configuration, folder: java.nio.file.Path): Unit = {
    conf.setClass(s"fs.$Scheme.impl", classOf[BucketFileSystem], classOf[FileSystem])
    conf.set(Directory, folder.toString)
  }
}

package io.github.variantshredded.testing

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermission

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  ChecksumFs,
  DelegateToFileSystem,
  FileStatus,
  FsServerDefaults,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.fs.local.LocalConfigKeys
import org.apache.hadoop.fs.permission.FsPermission

/**
 * Sets permissions and looks for symbolic links as Hadoop's local file system does, but in this
 * process. Without its native library, Hadoop starts a process (`chmod`, `readlink`) each time,
 * which took an eighth of the CPU time of all tests. `core-site.xml` names the classes below for
 * the scheme `file`.
 */
trait QuickLocalFiles extends RawLocalFileSystem {
  import QuickLocalFiles._

  override def setPermission(path: Path, permission: FsPermission): Unit = {
    val bits = permission.toShort.toInt
    if ((bits & ~AllPermissions) != 0) super.setPermission(path, permission)
    else {
      val set = Permissions.indices.filter(bit => (bits & 1 << bit) != 0).map(Permissions(_)).toSet
      val _ = Files.setPosixFilePermissions(pathToFile(path).toPath, set.asJava)
    }
  }

  override def getFileLinkStatus(path: Path): FileStatus =
    if (Files.isSymbolicLink(pathToFile(path).toPath)) super.getFileLinkStatus(path)
    else getFileStatus(path)
}

object QuickLocalFiles {

  private final val AllPermissions = 0x1ff

  // From the lowest bit, which is the last of `rwxrwxrwx`.
  private val Permissions: Seq[PosixFilePermission] =
    PosixFilePermission.values.toSeq.reverse

  final class Raw extends RawLocalFileSystem with QuickLocalFiles

  /** Represents local files for Hadoop's `FileSystem`. */
  final class WithChecksums extends LocalFileSystem(new Raw)

  /** Represents local files for Hadoop's `FileContext`, which streams and Delta Lake use. */
  final class OfContext(uri: URI, conf: Configuration)
      extends ChecksumFs(new RawOfContext(uri, conf))

  private final class RawOfContext(uri: URI, conf: Configuration)
      extends DelegateToFileSystem(uri, new Raw, conf, "file", false) {

    override def getUriDefaultPort: Int = -1

    override def getServerDefaults(path: Path): FsServerDefaults = LocalConfigKeys.getServerDefaults

    override def isValidName(name: String): Boolean = true
  }
}

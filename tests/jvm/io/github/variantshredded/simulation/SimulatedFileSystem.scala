package io.github.variantshredded.simulation

import java.io.{ByteArrayOutputStream, FileNotFoundException}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import io.github.variantshredded.testing.MemoryInput
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** What a file holds. */
final case class Content(bytes: Array[Byte], modified: Long)

/** The files of a simulation. */
final class SimulatedFiles(val simulation: Simulation, val isStore: Boolean) {

  val files: mutable.TreeMap[String, Content] = mutable.TreeMap.empty
  val directories: mutable.TreeSet[String] = mutable.TreeSet.empty

  def isDirectory(path: String): Boolean =
    directories(path) || files.keysIteratorFrom(path + "/").take(1).exists(_.startsWith(path + "/"))

  def write(path: String, bytes: Array[Byte]): Unit = {
    if (!isStore) addParents(path)
    // Each process is on a machine of its own.
    val process = Option(simulation.current).fold("none")(_.name)
    val text =
      new String(bytes, UTF_8).replaceAll(
        "\"machine\":\"[^\"]*\"",
        s"\"machine\":\"$process\""
      )
    files(path) = Content(text.getBytes(UTF_8), simulation.now)
  }

  private def addParents(path: String): Unit = {
    var parent = new Path(path).getParent
    while (parent != null) {
      directories += parent.toString
      parent = parent.getParent
    }
  }
}

object SimulatedFiles {
  private val all = new ConcurrentHashMap[String, SimulatedFiles]
  def add(name: String, files: SimulatedFiles): Unit = { all.put(name, files); () }
  def remove(name: String): Unit = { all.remove(name); () }
  def of(name: String): SimulatedFiles = all.get(name)
}

/**
 * A file system in memory whose operations are the steps of a [[Simulation]].
 *
 * It is as HDFS or as an object store, in which files appear when they are closed, a rename copies
 * and deletes, and directories are there as long as they have files.
 */
final class SimulatedFileSystem extends FileSystem {

  private var uri: URI = _
  private def world = SimulatedFiles.of(uri.getAuthority)
  private def simulation = world.simulation

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    uri = URI.create(s"${name.getScheme}://${name.getAuthority}")
    setConf(conf)
  }

  override def getUri: URI = uri
  override def getScheme: String = SimulatedFileSystem.Scheme
  override def getWorkingDirectory: Path = new Path("/")
  override def setWorkingDirectory(directory: Path): Unit = ()

  private def text(path: Path): String = path.toUri.getPath

  private def name(path: Path): String = path.getName

  private def status(path: String, content: Content): FileStatus = new FileStatus(
    content.bytes.length.toLong,
    false,
    1,
    1024,
    content.modified,
    makeQualified(new Path(path))
  )

  private def status(directory: String): FileStatus =
    new FileStatus(0, true, 1, 1024, 0, makeQualified(new Path(directory)))

  override def getFileStatus(path: Path): FileStatus =
    simulation.operation(s"status ${name(path)}") {
      val key = text(path)
      world.files.get(key).map(status(key, _)).getOrElse {
        if (world.isDirectory(key)) status(key) else throw new FileNotFoundException(key)
      }
    }

  override def listStatus(path: Path): Array[FileStatus] =
    simulation.operation(s"list ${name(path)}") {
      val key = text(path)
      world.files.get(key) match {
        case Some(content)                  => Array(status(key, content))
        case None if world.isDirectory(key) =>
          val prefix = if (key == "/") key else key + "/"
          def child(found: String) = prefix + found.substring(prefix.length).takeWhile(_ != '/')
          val files = world.files.keysIterator.filter(_.startsWith(prefix))
          val folders = world.directories.iterator.filter(_.startsWith(prefix))
          (files ++ folders)
            .map(child)
            .toSet
            .toArray
            .sorted
            .map((found: String) => world.files.get(found).fold(status(found))(status(found, _)))
        case None => throw new FileNotFoundException(key)
      }
    }

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    simulation.operation(s"open ${name(path)}") {
      val content =
        world.files.getOrElse(text(path), throw new FileNotFoundException(path.toString))
      new FSDataInputStream(new MemoryInput(content.bytes))
    }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val key = text(path)
    if (!world.isStore) simulation.operation(s"create ${name(path)}")(world.write(key, Array.empty))
    val out = new ByteArrayOutputStream {
      override def close(): Unit = simulation.operation(s"close ${name(path)}") {
        // A file that was deleted or renamed meanwhile cannot be completed.
        if (!world.isStore && !world.files.contains(key)) throw new FileNotFoundException(key)
        world.write(key, toByteArray)
      }
    }
    new FSDataOutputStream(out, null)
  }

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException

  override def rename(from: Path, to: Path): Boolean = {
    val (source, target) = (text(from), text(to))
    def present = world.files.getOrElse(source, throw new FileNotFoundException(source))
    if (world.isStore) {
      simulation.operation(s"copy ${name(from)} to ${name(to)}") {
        world.files(target) = present.copy(modified = simulation.now)
      }
      simulation.operation(s"remove ${name(from)}") {
        world.files.remove(source)
        true
      }
    } else
      simulation.operation(s"rename ${name(from)} to ${name(to)}") {
        if (!world.files.contains(source) || world.files.contains(target)) false
        else {
          world.files(target) = present
          world.files.remove(source)
          true
        }
      }
  }

  override def delete(path: Path, recursive: Boolean): Boolean =
    simulation.operation(s"delete ${name(path)}") {
      val key = text(path)
      if (world.files.remove(key).isDefined) true
      else if (!world.isDirectory(key)) false
      else {
        val prefix = key + "/"
        val inside = world.files.keys.filter(_.startsWith(prefix)).toSeq
        val below = world.directories.filter(_.startsWith(prefix)).toSeq
        if (!recursive && (inside.nonEmpty || below.nonEmpty))
          throw new PathIsNotEmptyDirectoryException(key)
        inside.foreach(world.files.remove)
        below.foreach(world.directories.remove)
        world.directories.remove(key)
        true
      }
    }

  override def mkdirs(path: Path, permission: FsPermission): Boolean =
    simulation.operation(s"mkdirs ${name(path)}") {
      if (!world.isStore) world.directories += text(path)
      true
    }
}

object SimulatedFileSystem {
  final val Scheme = "simulated"
}

package io.github.variantshredded.fault

import java.nio.file.{Files, NoSuchFileException, Path}
import java.nio.file.attribute.FileTime

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.commons.io.FileUtils

/**
 * A directory at one moment, as the end of a process at this moment leaves it.
 *
 * @param files
 *   by path from the directory
 * @param directories
 *   paths of those in it; None if it was not there
 */
final case class Tree(files: Map[String, Tree.File], directories: Option[Seq[String]]) {

  /** The names and lengths of all files that `take` takes. */
  def signature(take: String => Boolean): Set[(String, Int)] =
    files.iterator.collect { case (path, file) if take(path) => path -> file.content.length }.toSet

  /** Puts the directory into this state. */
  def restore(root: Path): Unit = {
    FileUtils.deleteDirectory(root.toFile)
    directories.foreach { paths =>
      Files.createDirectories(root)
      paths.foreach(path => Files.createDirectories(root.resolve(path)))
    }
    files.foreach { case (path, file) =>
      Files.write(root.resolve(path), file.content)
      Files.setLastModifiedTime(root.resolve(path), file.modified)
    }
  }
}

object Tree {

  final case class File(content: Array[Byte], modified: FileTime)

  def of(root: Path): Tree =
    if (!Files.exists(root)) Tree(Map.empty, None)
    else {
      val (directories, files) =
        Using.resource(Files.walk(root))(_.iterator.asScala.toList).partition(Files.isDirectory(_))
      def name(path: Path): String = root.relativize(path).toString
      Tree(
        files.flatMap(path => file(path).map(name(path) -> _)).toMap,
        Some(directories.map(name))
      )
    }

  private def file(path: Path): Option[File] =
    try Some(File(Files.readAllBytes(path), Files.getLastModifiedTime(path)))
    catch { case _: NoSuchFileException => None }
}

/** What there is at one moment: a directory, and what a scenario has elsewhere. */
final case class State(tree: Tree, other: () => Unit) {

  def restore(root: Path): Unit = {
    other()
    tree.restore(root)
  }
}

object State {
  def of(target: Target, scenario: Scenario): State =
    State(Tree.of(target.root), scenario.keep(target))
}

/** Keeps what there was before each operation that changes something. */
final class Snapshots(now: () => State) extends Watcher {

  private var taken = Vector.empty[(Operation, State)]

  def all: Seq[(Operation, State)] = synchronized(taken)

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
    if (!operation.changes) carryOut
    else
      synchronized { // Nothing changes while the directory is copied.
        taken :+= operation -> now()
        carryOut
      }
}

package io.github.variantshredded.table

import java.net.URI

import io.github.variantshredded.commit.Directories
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

/** Compares the directory of a table in Spark's session catalog with others. */
private[variantshredded] final class TableDirectory(conf: Configuration, location: URI) {

  val fs: FileSystem = new Path(location).getFileSystem(conf)

  val path: Path = Directories.qualified(new Path(location), conf)

  /** Returns whether one of the two directories contains the other, or they are the same. */
  def overlaps(other: Path): Boolean = {
    val qualified = Directories.qualified(other, conf)
    contains(qualified) || isIn(path, qualified)
  }

  def overlaps(other: String): Boolean = overlaps(new Path(other))

  /** Returns whether a qualified path is this directory or is below it. */
  def contains(other: Path): Boolean = isIn(other, path)

  def exists: Boolean = fs.exists(path)

  private def isIn(inner: Path, outer: Path): Boolean = {
    val levels = inner.depth - outer.depth
    levels >= 0 && Iterator.iterate(inner)(_.getParent).drop(levels).next() == outer
  }
}

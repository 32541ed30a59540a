package io.github.variantshredded.commit

import scala.annotation.nowarn

import org.apache.hadoop.fs.{FileSystem, Path}

/** Asks for directories. */
private[variantshredded] object Directories {

  /**
   * Whether there is a directory at `path`. An object store answers this in one request, a listing
   * of one name. `FileSystem.exists` first asks for an object of that name.
   */
  @nowarn("cat=deprecation") // The method that Hadoop recommends asks for an object too.
  def exists(fs: FileSystem, path: Path): Boolean = fs.isDirectory(path)
}

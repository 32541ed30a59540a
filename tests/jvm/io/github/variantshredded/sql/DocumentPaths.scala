package io.github.variantshredded.sql

/** Paths as SQL functions take them, for tests of other packages. */
object DocumentPaths {

  def toSpark(path: String): String = DocumentPath.toSpark("get_path", path)
}

package io.github.variantshredded.sql

import io.github.variantshredded.sql.kernel.DocumentPath

/** Paths as SQL functions take them, for tests of other packages. */
object DocumentPaths {

  def toSpark(path: String): String = DocumentPath.toSpark("get_path", path)
}

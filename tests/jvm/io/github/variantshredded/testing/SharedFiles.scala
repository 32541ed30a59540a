package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

/**
 * Optional test data outside the repository: the directory that `VARIANT_SHREDDED_SHARED` names,
 * else `../shared` beside the checkout. A test that needs a file of it says
 * `assume(SharedFiles.has("..."))`, and shows as canceled where the file is not there.
 */
object SharedFiles {

  val root: Path =
    Path.of(sys.env.getOrElse("VARIANT_SHREDDED_SHARED", "../shared")).toAbsolutePath.normalize

  def path(name: String): Path = root.resolve(name)

  def has(name: String): Boolean = Files.exists(path(name))
}

package io.github.variantshredded.sparktests

import java.nio.file.Path

/** Finds files of the repository. The tests leave files in their working directory, so it is elsewhere. */
private[sparktests] object Repository {

  private val root = property("variantshredded.repository")

  /** The directory of the tests that run, below `tests`. */
  val tests: String = property("variantshredded.tests")

  private def property(name: String): String =
    sys.props.getOrElse(name, sys.error(s"Run these tests with sbt, which sets $name."))

  def file(names: String*): Path = Path.of(root, names: _*)
}

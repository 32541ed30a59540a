package io.github.variantshredded.sparktests

import java.nio.file.Path

/** Finds files of the repository. The tests leave files in their working directory, so it is elsewhere. */
private[sparktests] object Repository {

  private val root = sys.props.getOrElse(
    "variantshredded.repository",
    sys.error("Run these tests with sbt, which sets variantshredded.repository.")
  )

  def file(names: String*): Path = Path.of(root, names: _*)
}

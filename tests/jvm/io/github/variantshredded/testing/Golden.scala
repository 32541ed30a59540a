package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import org.scalatest.Assertions

/**
 * Texts that are kept in `tests/golden` and have to stay as they are.
 *
 * With `UPDATE_GOLDEN=1` in the environment the files are written instead of compared.
 */
object Golden extends Assertions {

  def check(name: String, actual: String): Unit = {
    val file = Path.of("tests", "golden", name)
    if (sys.env.get("UPDATE_GOLDEN").contains("1")) {
      Files.createDirectories(file.getParent)
      val _ = Files.writeString(file, actual)
    } else {
      val _ = assert(actual === Files.readString(file), s"($file)")
    }
  }
}

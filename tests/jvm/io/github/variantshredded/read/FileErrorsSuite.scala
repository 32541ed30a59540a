package io.github.variantshredded.read

import java.io.FileNotFoundException
import java.nio.file.NoSuchFileException

import io.github.variantshredded.ErrorLocation
import org.scalatest.funsuite.AnyFunSuite

class FileErrorsSuite extends AnyFunSuite {

  // An overwrite has deleted it meanwhile; see ConcurrentWritesSuite.
  test("a file that goes between two reads of its bytes is missing, not corrupt") {
    val error = intercept[FileNotFoundException] {
      FileErrors.guard(ErrorLocation())(throw new NoSuchFileException("/data/part-0.parquet"))
    }
    assert(error.getMessage === "File /data/part-0.parquet does not exist")
    assert(error.getCause.isInstanceOf[NoSuchFileException])
  }
}

package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.scalatest.{BeforeAndAfterAll, Suite}

/** A folder for the files of a suite, which is deleted after it. */
trait TemporaryFolder extends BeforeAndAfterAll { this: Suite =>

  protected val folder: Path = Files.createTempDirectory("variant-shredded-suite")

  override protected def afterAll(): Unit =
    try FileUtils.deleteDirectory(folder.toFile)
    finally super.afterAll()
}

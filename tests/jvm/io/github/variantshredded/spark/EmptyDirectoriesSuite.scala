package io.github.variantshredded.spark

import java.io.IOException
import java.nio.file.Files

import io.github.variantshredded.testing.TemporaryFolder
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.scalatest.funsuite.AnyFunSuite

class EmptyDirectoriesSuite extends AnyFunSuite with TemporaryFolder {

  private lazy val fs = FileSystem.getLocal(new Configuration(false))

  test("an empty directory is removed, and nothing else") {
    val directory = Files.createDirectories(folder.resolve("empty"))
    val file = Files.writeString(folder.resolve("file"), "x")
    assert(EmptyDirectories.remove(fs, new Path(directory.toString)))
    assert(!Files.exists(directory))
    assert(!EmptyDirectories.remove(fs, new Path(directory.toString)))
    assert(!EmptyDirectories.remove(fs, new Path(folder.toString)))
    assert(!EmptyDirectories.remove(fs, new Path(file.toString)))
    assert(Files.exists(file))
  }

  test("what another job creates at the same time is not removed") {
    val directory = folder.resolve("shared")
    val path = new Path(directory.toString)
    @volatile var isDone = false
    val remover = new Thread(() =>
      while (!isDone) {
        try EmptyDirectories.remove(fs, path): Unit
        catch { case _: IOException => () }
      }
    )
    remover.start()
    try {
      (1 to 3000).foreach { i =>
        directory.toFile.mkdir()
        val own = directory.resolve(i.toString).toFile
        // The directory may be gone before this.
        if (own.mkdir()) {
          assert(own.isDirectory, i)
          assert(own.delete())
        }
      }
    } finally {
      isDone = true
      remover.join()
    }
  }
}

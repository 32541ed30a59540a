package io.github.variantshredded.read.footer

import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.attribute.FileTime

import io.github.variantshredded.read.file.{CountedFiles, FileRows}
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.types.StructType

/** Footers are parsed once, and never taken for those of another file. */
class FooterCacheSuite extends PathSuite {

  private val schema = StructType.fromDDL("n int")

  private def file(from: Int): Path = onlyFile(written(rows(from, from + 10)))

  private def setAge(file: Path, seconds: Int): Unit =
    Files.setLastModifiedTime(
      file,
      FileTime.fromMillis(System.currentTimeMillis - seconds * 1000L)
    ): Unit

  /** The numbers read, and the bytes asked for. */
  private def read(file: Path): (Seq[Int], Int) = {
    var numbers = Seq.empty[Int]
    val ranges = CountedFiles.during {
      numbers = FileRows.read(
        file,
        schema,
        settings = CountedFiles.settings,
        scheme = CountedFiles.Scheme
      )(_.getInt(0))
    }
    (numbers, ranges.map(_._2).sum)
  }

  test("a footer is read once") {
    val old = file(0)
    setAge(old, 60)
    val (first, bytes) = read(old)
    val (second, fewer) = read(old)
    assert(first == (0 until 10) && second == first)
    assert(fewer < bytes)
  }

  test("the footer of a file that was just written is read every time") {
    val fresh = file(0)
    setAge(fresh, 0)
    val (_, bytes) = read(fresh)
    setAge(fresh, 0)
    assert(read(fresh)._2 == bytes)
  }

  test("a file that was replaced is read by its own footer") {
    val old = file(0)
    setAge(old, 60)
    assert(read(old)._1 == (0 until 10))
    Files.copy(file(100), old, StandardCopyOption.REPLACE_EXISTING)
    setAge(old, 30)
    assert(read(old)._1 == (100 until 110))
  }
}

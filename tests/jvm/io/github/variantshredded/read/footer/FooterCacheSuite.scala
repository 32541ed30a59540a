package io.github.variantshredded.read.footer

import java.nio.file.{Files, Path, StandardCopyOption}
import java.nio.file.attribute.FileTime

import io.github.variantshredded.read.file.{CountedFiles, FileRows}
import io.github.variantshredded.read.scan.PlanningFooters
import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath}
import org.apache.spark.sql.Row
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

  test("the footer of a file that never changes is read once, although its time is not known") {
    val path = file(0)
    val uri = path.toUri.toString.replaceFirst("^file", CountedFiles.Scheme)
    val conf = new Configuration(FileRows.conf)
    CountedFiles.settings.foreach { case (key, value) => conf.set(key, value) }
    val unchanged = new UnchangedFile(new HadoopPath(uri), Files.size(path))
    val unknown = new FileStatus(Files.size(path), false, 1, 1 << 20, 0, new HadoopPath(uri))
    def ranges(status: FileStatus) = CountedFiles.during {
      assert(new PlanningFooters().sample(Seq(status), 1, conf).size == 1)
    }
    assert(ranges(unknown).nonEmpty && ranges(unknown).nonEmpty)
    assert(ranges(unchanged).nonEmpty)
    assert(ranges(unchanged).isEmpty)
    assert(ranges(unknown).nonEmpty)
  }

  test("a file that was replaced is read by its own footer") {
    val old = file(0)
    setAge(old, 60)
    assert(read(old)._1 == (0 until 10))
    Files.copy(file(100), old, StandardCopyOption.REPLACE_EXISTING)
    setAge(old, 30)
    assert(read(old)._1 == (100 until 110))
  }

  test("a file that was replaced with its length and time kept is read by its own footer") {
    val table = written(rows(1, 2))
    val old = onlyFile(table)
    setAge(old, 60)
    assert(numbers(reader.load(table).where("n = 1")) == Seq(1))
    val other = onlyFile(written(rows(2, 3)))
    assert(Files.size(other) == Files.size(old), "the test needs files of one length")
    Files.setLastModifiedTime(other, Files.getLastModifiedTime(old))
    Files.deleteIfExists(old.resolveSibling(s".${old.getFileName}.crc"))
    Files.copy(
      other,
      old,
      StandardCopyOption.REPLACE_EXISTING,
      StandardCopyOption.COPY_ATTRIBUTES
    )
    assert(numbers(reader.load(table).where("n = 2")) == Seq(2))
    assert(reader.load(table).where("n = 1 or v:n::int = 1").count() == 0)
    val summary = reader.load(table).selectExpr("count(*)", "min(n)", "max(v:n::int)")
    assert(summary.collect().toSeq == Seq(Row(1L, 2, 2)))
  }
}

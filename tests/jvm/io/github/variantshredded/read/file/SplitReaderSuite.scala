package io.github.variantshredded.read.file

import java.io.{FileNotFoundException, IOException}

import scala.util.Try

import io.github.variantshredded.read.options.ToleratedFiles
import org.apache.spark.SparkException
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.scalatest.funsuite.AnyFunSuite

/** What a split returns, one of whose files is missing. */
class SplitReaderSuite extends AnyFunSuite {
  import SplitReaderSuite._

  private val paths = Seq("/one", "/bad", "/two")

  /** Returns the paths of the rows, of which each file has two, or the condition of the error. */
  private def rows(tolerated: ToleratedFiles, bad: Failure): Either[String, Seq[String]] = {
    val files = paths.map { path =>
      PartitionedFile(InternalRow.empty, SparkPath.fromPathString(path), 0, 10)
    }
    def open(file: PartitionedFile): PartitionReader[String] = {
      val path = file.toPath.toString
      new Rows(path, if (path == "/bad") Some(bad) else None)
    }
    for (asSpark <- Seq(true, false)) yield {
      val reader = new SplitReader(FilePartition(0, files.toArray), open, tolerated, asSpark)
      Try {
        Iterator.continually(reader).takeWhile(_.next()).map(_.get()).toList
      }.toEither.left.map {
        case e: SparkException =>
          assert(e.getMessage.contains("/bad"))
          e.getCondition
        case e => fail(e)
      }
    }
  }.distinct match {
    case Seq(one) => one
    case several  => fail(s"$several")
  }

  private val others = Right(Seq("/one", "/one", "/two", "/two"))

  private val withFirst = Right(Seq("/one", "/one", "/bad", "/two", "/two"))

  private val notExist = Left("FAILED_READ_FILE.FILE_NOT_EXIST")

  private val missing = new FileNotFoundException("it has gone")

  private val atOpen = Failure(missing, row = 0)

  private val late = Failure(missing, row = 1)

  test("a missing file is an error, whether or not corrupt files are skipped") {
    for (corrupt <- Seq(false, true); bad <- Seq(atOpen, late)) {
      assert(rows(ToleratedFiles(corrupt, missing = false), bad) == notExist, s"$corrupt $bad")
    }
  }

  test("a missing file is skipped if missing files are, also if it vanishes while it is read") {
    for (corrupt <- Seq(false, true)) {
      assert(rows(ToleratedFiles(corrupt, missing = true), atOpen) == others)
      assert(rows(ToleratedFiles(corrupt, missing = true), late) == withFirst)
    }
  }

  test("in Data Source V2, a missing file is a corrupt one") {
    def v2(corrupt: Boolean, missing: Boolean) =
      ToleratedFiles(corrupt, missing, asDataSourceV2 = true)
    for (bad <- Seq(atOpen, late)) {
      assert(rows(v2(corrupt = false, missing = false), bad) == notExist)
    }
    assert(rows(v2(corrupt = true, missing = false), atOpen) == others)
    assert(rows(v2(corrupt = true, missing = false), late) == withFirst)
    assert(rows(v2(corrupt = false, missing = true), atOpen) == others)
    assert(rows(v2(corrupt = false, missing = true), late) == notExist)
  }

  test("corrupt files are skipped as before") {
    val corrupt = new IOException("it is corrupt")
    assert(rows(ToleratedFiles(corrupt = true, missing = false), Failure(corrupt, 0)) == others)
    assert(rows(ToleratedFiles(corrupt = true, missing = true), Failure(corrupt, 1)) == withFirst)
    for (missing <- Seq(false, true)) {
      assert(
        rows(ToleratedFiles(corrupt = false, missing), Failure(corrupt, 1)) ==
          Left("FAILED_READ_FILE.NO_HINT")
      )
    }
  }

  test("many files without rows before one with rows") {
    for (corrupt <- Seq(false, true)) {
      val files = (1 to 20000).map { i =>
        PartitionedFile(InternalRow.empty, SparkPath.fromPathString(s"/$i"), 0, 10)
      }
      def open(file: PartitionedFile): PartitionReader[String] = {
        val path = file.toPath.toString
        new Rows(path, None, count = if (path == "/20000") 2 else 0)
      }
      val tolerated = ToleratedFiles(corrupt, missing = false)
      var found = Try(Seq.empty[String])
      val body: Runnable = () =>
        found = Try {
          val reader =
            new SplitReader(FilePartition(0, files.toArray), open, tolerated, asSpark = false)
          Iterator.continually(reader).takeWhile(_.next()).map(_.get()).toList
        }
      val thread = new Thread(null, body, "with a small stack", 512L << 10)
      thread.start()
      thread.join()
      assert(found.get === Seq("/20000", "/20000"))
    }
  }
}

private object SplitReaderSuite {

  /** The error of a file before one of its rows; before row 0, the file cannot be opened. */
  final case class Failure(error: Exception, row: Int)

  final class Rows(path: String, failure: Option[Failure], count: Int = 2)
      extends PartitionReader[String] {
    private var row = 0
    check()

    override def next(): Boolean = {
      check()
      row += 1
      row <= count
    }

    override def get(): String = path

    override def close(): Unit = ()

    private def check(): Unit = failure.filter(_.row == row).foreach(f => throw f.error)
  }
}

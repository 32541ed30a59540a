package io.github.variantshredded.read.footer

import java.io.{EOFException, FileNotFoundException, IOException}
import java.net.SocketTimeoutException

import io.github.variantshredded.errors.{
  Causes,
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.options.ToleratedFiles
import org.apache.hadoop.fs.{ChecksumException, Path, PathIOException}
import org.apache.hadoop.hdfs.BlockMissingException
import org.scalatest.funsuite.AnyFunSuite

class FileErrorsSuite extends AnyFunSuite {

  private def conditionOf(failure: Throwable): String =
    intercept[VariantShreddedException] {
      FileErrors.guard(ErrorLocation(file = Some("f")))(throw failure)
    }.condition

  test("failures of the file system") {
    Seq(
      new PathIOException("s3a://b/f", "503"),
      new IOException("read", new SocketTimeoutException("timed out")),
      new RuntimeException(new IOException(new PathIOException("s3a://b/f", "changed")))
    ).foreach(failure => assert(conditionOf(failure) === "FILE_SYSTEM_ERROR", failure))
  }

  test("invalid bytes") {
    Seq(
      new IOException("can not read class org.apache.parquet.format.PageHeader"),
      new EOFException("Still have: 5 bytes left"),
      new ChecksumException("Checksum error", 0),
      new java.util.zip.ZipException("incorrect header check"),
      new RuntimeException("not a Parquet file")
    ).foreach(failure => assert(conditionOf(failure) === "CORRUPT_PARQUET_FILE", failure))
  }

  test("a missing file stays what it is") {
    intercept[FileNotFoundException] {
      FileErrors.guard(ErrorLocation())(throw new FileNotFoundException("f"))
    }
  }

  test("a missing block of HDFS stays what it is, so that Spark does not skip the file") {
    intercept[BlockMissingException] {
      FileErrors.guard(ErrorLocation())(throw new BlockMissingException("f", "gone", 0))
    }
  }

  test("a lack of memory is not a cause, for which Spark would end the executor") {
    Seq(new OutOfMemoryError("Java heap space"), new StackOverflowError).foreach { lack =>
      val error =
        intercept[VariantShreddedException](FileErrors.guard(ErrorLocation())(throw lack))
      assert(error.condition === "CORRUPT_PARQUET_FILE")
      val causes = Causes.of(error).toSeq
      assert(!causes.exists(_.isInstanceOf[VirtualMachineError]))
    }
  }

  test("schema inference skips corrupt files, but a lack of memory ends it") {
    val tolerated = ToleratedFiles(corrupt = true, missing = true)
    def infer(lack: Error) =
      TableSchema.tolerating(tolerated, new Path("f")) {
        throw VariantShreddedErrors.lackOfMemory("Cannot read the footer", lack, ErrorLocation())
      }
    assert(infer(new StackOverflowError).isEmpty)
    val lack = new OutOfMemoryError("Java heap space")
    val error = intercept[VariantShreddedException](infer(lack))
    assert(error.getSuppressed.toSeq === Seq(lack))
  }
}

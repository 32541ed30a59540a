package io.github.variantshredded.read.footer

import java.io.{EOFException, FileNotFoundException, IOException}
import java.net.SocketTimeoutException
import java.nio.channels.{ClosedByInterruptException, ClosedChannelException}
import java.nio.file.Files

import io.github.variantshredded.errors.{
  Causes,
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.options.ToleratedFiles
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumException, FileSystem, Path, PathIOException}
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

  private def thrownBy(thrower: String, failure: IOException): IOException = {
    val above = new StackTraceElement("org.apache.parquet.hadoop.ParquetFileReader", "f", null, 1)
    failure.setStackTrace(Array(new StackTraceElement(thrower, "read", null, 1), above))
    failure
  }

  test("failures that only their class, or the class that throws them, tells from invalid bytes") {
    val failed = "FILE_SYSTEM_ERROR"
    val corrupt = "CORRUPT_PARQUET_FILE"
    def plain = new IOException("Filesystem closed")
    Seq(
      thrownBy("sun.nio.ch.FileChannelImpl", new ClosedByInterruptException) -> failed,
      thrownBy("java.nio.channels.spi.AbstractX", new ClosedChannelException) -> failed,
      thrownBy("org.apache.hadoop.hdfs.DFSClient", plain) -> failed,
      thrownBy("org.apache.hadoop.ipc.Client", plain) -> failed,
      thrownBy("org.apache.hadoop.fs.s3a.S3AInputStream", plain) -> failed,
      thrownBy("com.google.cloud.hadoop.fs.gcs.GoogleHadoopFSInputStream", plain) -> failed,
      thrownBy("sun.nio.ch.FileDispatcherImpl", plain) -> failed,
      thrownBy("java.io.FileInputStream", plain) -> failed,
      thrownBy("org.apache.hadoop.hdfs.DFSInputStream", new EOFException("short")) -> corrupt,
      thrownBy("org.apache.hadoop.fs.ChecksumFileSystem$ChecksumFSInputChecker", plain) -> corrupt,
      thrownBy("org.apache.hadoop.io.compress.zlib.ZlibDecompressor", plain) -> corrupt,
      thrownBy("org.apache.parquet.format.Util", plain) -> corrupt,
      thrownBy("java.io.DataInputStream", plain) -> corrupt
    ).foreach { case (failure, condition) =>
      val thrower = failure.getStackTrace.head
      assert(conditionOf(failure) === condition, thrower)
      assert(conditionOf(new RuntimeException(failure)) === condition, thrower)
    }
  }

  test("a closed stream of the local file system is no corrupt file") {
    val file = Files.createTempFile("closed", ".bin")
    try {
      val local = FileSystem.getLocal(new Configuration).getRaw
      val stream = local.open(new Path(file.toUri))
      stream.close()
      assert(conditionOf(intercept[IOException](stream.seek(1))) === "FILE_SYSTEM_ERROR")
    } finally Files.delete(file)
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

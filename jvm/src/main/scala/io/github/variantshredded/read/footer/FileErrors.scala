package io.github.variantshredded.read.footer

import java.io.{FileNotFoundException, InterruptedIOException, IOException}
import java.nio.file.NoSuchFileException

import scala.util.control.NonFatal

import io.github.variantshredded.errors.{
  Causes,
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.hadoop.fs.ChecksumException
import org.apache.hadoop.hdfs.BlockMissingException
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.crypto.ParquetCryptoRuntimeException
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException

/** Converts exceptions of reading a file into the errors that users see. */
private[read] object FileErrors {

  /**
   * Runs `body`. Exceptions that libraries throw for invalid bytes become errors with the location
   * `here`; exceptions that already tell the user what to do pass through.
   *
   * @param isTakenOver
   *   whether the file is read in the place of Spark: then all errors of Spark that have a condition
   *   pass through
   */
  def guard[T](here: => ErrorLocation, isTakenOver: Boolean = false)(body: => T): T =
    try body
    catch {
      case e: Throwable with SparkThrowable if isTakenOver && isOfSpark(e) => throw e
      case e: VariantShreddedException                                     => throw e.at(here)
      case e: FileNotFoundException                                        => throw e
      // Hadoop's local file system opens a file again to read several ranges at once.
      case e: NoSuchFileException    => throw missing(e)
      case e: AccessControlException => throw e
      // Spark never skips such a file as a corrupt one.
      case e: BlockMissingException => throw e
      case e: InterruptedException  => throw e
      // Spark's message already names both types: the file's type and the requested type.
      case e: SchemaColumnConvertNotSupportedException                 => throw e
      case e: UnsupportedOperationException with SparkThrowable        => throw unreadable(e, here)
      case e: ParquetCryptoRuntimeException                            => throw unreadable(e, here)
      case e: Throwable with SparkThrowable if hasName(e.getCondition) => throw e
      case e @ (_: StackOverflowError | _: OutOfMemoryError)           =>
        throw VariantShreddedErrors.lackOfMemory(
          "Cannot read the file",
          e.asInstanceOf[Error],
          here
        )
      case NonFatal(e) =>
        throw ofFileSystem(e).fold(corrupt(String.valueOf(e.getMessage), e, here)) { failure =>
          VariantShreddedErrors.fileSystemFailed(String.valueOf(failure.getMessage), here, e)
        }
    }

  /**
   * Returns whether an error stands for a lack of memory. Then the file may be valid, and is not
   * skipped as a corrupt one.
   */
  def isLackOfMemory(error: VariantShreddedException): Boolean =
    Causes.of(error).exists(_.getSuppressed.exists(_.isInstanceOf[OutOfMemoryError]))

  /** Returns the exception of a file system, or of its client, among the causes of `e`. */
  private def ofFileSystem(e: Throwable): Option[Throwable] =
    Causes.of(e).find(isOfFileSystem)

  // Libraries that find invalid bytes throw IOExceptions too.
  private def isOfFileSystem(e: Throwable): Boolean = {
    def isIn(packages: Seq[String]) = packages.exists(e.getClass.getName.startsWith)
    e match {
      case _: ChecksumException      => false
      case _: InterruptedIOException => true
      case _: IOException            =>
        isIn(OfFileSystems) || isIn(OfClients) ||
        e.getClass == classOf[IOException] && isThrownByFileSystem(e)
      case _ => isIn(OfClients)
    }
  }

  /** Returns whether a file system, its client or the operating system throws the exception. */
  private def isThrownByFileSystem(e: Throwable): Boolean =
    e.getStackTrace.headOption.map(_.getClassName).exists { thrower =>
      Throwers.exists(thrower.startsWith) && !OfChecksums.exists(thrower.startsWith)
    }

  private val OfFileSystems = Seq(
    "org.apache.hadoop.",
    "org.apache.http.",
    "java.net.",
    "javax.net.",
    "java.nio.channels.",
    "java.nio.file."
  )

  // They have copies of libraries in packages of their own.
  private val OfClients = Seq("software.amazon.", "com.google.cloud.", "com.azure.")

  // Hadoop's codecs, which throw the same exception for invalid bytes, are in another package.
  private val Throwers = OfClients ++ Seq(
    "org.apache.hadoop.fs.",
    "org.apache.hadoop.hdfs.",
    "org.apache.hadoop.ipc.",
    "org.apache.hadoop.net.",
    "java.io.FileInputStream",
    "sun.nio.ch."
  )

  private val OfChecksums =
    Seq("org.apache.hadoop.fs.ChecksumFileSystem", "org.apache.hadoop.fs.FSInputChecker")

  private def missing(cause: NoSuchFileException) = {
    val error = new FileNotFoundException(s"File ${cause.getFile} does not exist")
    error.initCause(cause)
    error
  }

  /**
   * Returns true if Spark documents the error condition and its message tells the user what to do.
   * This excludes Spark's unnamed legacy errors, and errors about schemas that no writer makes.
   */
  private def hasName(condition: String): Boolean =
    condition != null && !condition.startsWith("_LEGACY_ERROR_TEMP_") && !BrokenSchema(condition)

  private def isOfSpark(e: SparkThrowable): Boolean =
    e.getCondition != null && !e.isInstanceOf[VariantShreddedException]

  private val BrokenSchema = Set("PARQUET_TYPE_ILLEGAL", "PARQUET_TYPE_NOT_RECOGNIZED")

  private def corrupt(reason: String, cause: Throwable, here: ErrorLocation) =
    VariantShreddedErrors.corruptFile(s"Cannot read the file: $reason", here, cause)

  private def unreadable(cause: RuntimeException, here: ErrorLocation) =
    VariantShreddedErrors.unreadableFile(String.valueOf(cause.getMessage), here, cause)
}

package io.github.variantshredded.read.footer

import java.io.FileNotFoundException
import java.nio.file.NoSuchFileException

import scala.util.control.NonFatal

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import org.apache.hadoop.security.AccessControlException
import org.apache.parquet.crypto.ParquetCryptoRuntimeException
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException

/** The errors of reading a file. */
private[read] object FileErrors {

  /** Turns whatever the libraries below throw at bad bytes into one error that says where. */
  def guard[T](here: => ErrorLocation)(body: => T): T =
    try body
    catch {
      case e: VariantShreddedException => throw e.at(here)
      case e: FileNotFoundException    => throw e
      // Hadoop's local file system opens a file once more to read several ranges at once.
      case e: NoSuchFileException    => throw missing(e)
      case e: AccessControlException => throw e
      case e: InterruptedException   => throw e
      // Spark says what this is: the file's type is not the one wanted.
      case e: SchemaColumnConvertNotSupportedException                 => throw e
      case e: UnsupportedOperationException with SparkThrowable        => throw unreadable(e, here)
      case e: ParquetCryptoRuntimeException                            => throw unreadable(e, here)
      case e: Throwable with SparkThrowable if hasName(e.getCondition) => throw e
      case e @ (_: StackOverflowError | _: OutOfMemoryError)           =>
        throw corrupt(
          s"it asks for more than this machine has (${e.getClass.getSimpleName})",
          e,
          here
        )
      case NonFatal(e) => throw corrupt(String.valueOf(e.getMessage), e, here)
    }

  private def missing(cause: NoSuchFileException) = {
    val error = new FileNotFoundException(s"File ${cause.getFile} does not exist")
    error.initCause(cause)
    error
  }

  /**
   * Whether it is a condition that tells a user what to do, as Spark documents it: not one for what
   * Spark has no name for yet, nor one for a schema that no writer makes.
   */
  private def hasName(condition: String): Boolean =
    condition != null && !condition.startsWith("_LEGACY_ERROR_TEMP_") && !BrokenSchema(condition)

  private val BrokenSchema = Set("PARQUET_TYPE_ILLEGAL", "PARQUET_TYPE_NOT_RECOGNIZED")

  private def corrupt(reason: String, cause: Throwable, here: ErrorLocation) =
    VariantShreddedErrors.corruptFile(s"Cannot read the file: $reason", here, cause)

  private def unreadable(cause: RuntimeException, here: ErrorLocation) =
    VariantShreddedErrors.unreadableFile(String.valueOf(cause.getMessage), here, cause)
}

package io.github.variantshredded.fuzz.bytes

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException

/** The errors of reading that `docs/bad-files.md` knows. */
object DocumentedErrors {
  private val own = Set(
    "INVALID_VARIANT_SHREDDING_SCHEMA",
    "INVALID_SHREDDED_VARIANT",
    "MALFORMED_VARIANT",
    "CORRUPT_PARQUET_FILE",
    "UNSUPPORTED_PARQUET_FILE"
  )

  /** Of casts, as Spark raises them. */
  private val casts = Set("INVALID_VARIANT_CAST")

  def isOne(error: Throwable): Boolean = error match {
    case e: VariantShreddedException => own(e.condition) && !isOfMachine(e)
    // Spark makes FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH of it.
    case _: SchemaColumnConvertNotSupportedException => true
    case e: SparkThrowable                           => casts(e.getCondition)
    case _                                           => false
  }

  /** Memory or stack that a file has used up. */
  private def isOfMachine(error: Throwable): Boolean =
    Causes.of(error).exists(_.isInstanceOf[VirtualMachineError])
}

package io.github.variantshredded.read.scan

import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Describes the columns that a scan reads, without extractions.
 *
 * @param all
 *   all columns of the files
 * @param data
 *   the requested data columns
 * @param partition
 *   the requested partition columns
 * @param metadata
 *   the column `_metadata` with the requested fields, after the partition columns; None if it is
 *   not requested
 */
final case class ScannedColumns(
    all: StructType,
    data: StructType,
    partition: StructType,
    metadata: Option[StructField]
) {

  /** Returns the requested fields of `_metadata`. */
  private[read] def metadataFields: Option[StructType] = metadata.map(_.dataType match {
    case fields: StructType => fields
    case other              => throw new IllegalArgumentException(s"Not a struct: $other")
  })
}

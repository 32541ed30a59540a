package io.github.variantshredded.read.inspect

import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.types.StructType

/**
 * Builds a scan of the requested columns.
 *
 * @param schema
 *   all columns
 * @param scan
 *   creates the scan of a selection of the columns, in the order of `schema`
 */
private final class PrunedScanBuilder(schema: StructType, scan: StructType => Scan)
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {
  private var wanted = schema

  override def pruneColumns(required: StructType): Unit =
    wanted = StructType(schema.filter(field => required.fieldNames.contains(field.name)))

  override def build(): Scan = scan(wanted)
}

package io.github.variantshredded.read.columns

import io.github.variantshredded.extraction.ScanExtraction
import org.apache.spark.sql.types.StructType

/**
 * Describes the columns that a query requests from each file.
 *
 * @param data
 *   the data columns, in the order of the batch
 * @param extractedVariants
 *   the Variants that are extracted from, in the structs that hold them
 * @param extractions
 *   the extractions: one column each, followed by the column of their errors
 */
private[read] final case class RequestedColumns(
    data: StructType,
    extractedVariants: StructType = new StructType,
    extractions: Seq[ScanExtraction] = Nil
)

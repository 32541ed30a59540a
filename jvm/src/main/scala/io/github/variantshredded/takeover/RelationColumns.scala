package io.github.variantshredded.takeover

import org.apache.spark.sql.types.StructType

/**
 * Describes the columns of a relation of another source.
 *
 * @param ofFiles
 *   the columns of the files, of which some may be partition columns too
 * @param partition
 *   the columns whose values are not in the files
 * @param all
 *   all columns, in the order of the relation
 */
private[takeover] final case class RelationColumns(
    ofFiles: StructType,
    partition: StructType,
    all: StructType
)

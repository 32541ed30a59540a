package io.github.variantshredded.predicate

import io.github.variantshredded.extraction.PathExtraction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/**
 * A condition that each row of a query's result meets, as a scan can evaluate it.
 *
 * @param columns
 *   the ordinary columns it looks at, without fields that it does not
 * @param extractions
 *   the values out of Variants that it looks at
 * @param condition
 *   over `BoundReference`s to the columns and, behind them, the extractions; of BooleanType. Not to
 *   be evaluated for a row in which an extraction failed
 * @param rows
 *   what statistics tell of it
 * @param texts
 *   as explanations show it, part by part
 */
final case class Conjunct(
    columns: StructType,
    extractions: Seq[PathExtraction],
    condition: Expression,
    rows: RowPredicate,
    texts: Seq[String]
)

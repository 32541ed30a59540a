package io.github.variantshredded.predicate

import io.github.variantshredded.extraction.ScanExtraction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StructType

/**
 * Holds a predicate that is true for each row of the result, in a form that a scan can evaluate.
 *
 * @param columns
 *   the ordinary columns that the predicate uses, without struct fields that it does not use
 * @param extractions
 *   the extractions that the predicate uses
 * @param predicate
 *   a Boolean expression over `BoundReference`s: first to the columns, then to the extractions. It
 *   must not be evaluated for a row in which an extraction failed
 * @param skipping
 *   the same predicate, in the form for data skipping
 * @param texts
 *   the parts of the predicate as explanations show them
 */
final case class Conjunct(
    columns: StructType,
    extractions: Seq[ScanExtraction],
    predicate: Expression,
    skipping: SkippingPredicate,
    texts: Seq[String]
)

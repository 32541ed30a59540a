package io.github.variantshredded.read.scan

import io.github.variantshredded.predicate.Conjuncts
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Holds the predicates of a query that concern a scan.
 *
 * @param partition
 *   predicates on partition columns, by which files are chosen
 * @param data
 *   predicates on data columns; Spark evaluates them again above the scan
 * @param conjuncts
 *   the conjuncts of `data` that are pushed down, and why others are not
 * @param ofFiles
 *   the predicates of `data` on `_metadata` by which files are chosen, for explanations
 */
final case class PushedFilters(
    partition: Seq[Expression],
    data: Seq[Expression],
    conjuncts: Conjuncts,
    ofFiles: Seq[String]
)

package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _}

/** Describes an extraction from a [[PlanVariant]] of a plan, which a scan could evaluate. */
private[variantshredded] final case class PlanExtraction(
    variant: PlanVariant,
    path: Seq[PathStep],
    what: ExtractionResult
)

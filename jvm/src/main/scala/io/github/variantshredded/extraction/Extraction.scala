package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _}

/** An extraction from a [[VariantPlace]] of a plan, which a scan could evaluate. */
private[variantshredded] final case class Extraction(
    place: VariantPlace,
    path: Seq[PathStep],
    what: Extracted
)

package io.github.variantshredded.extraction

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _}

/** An expression over a [[VariantPlace]] that a scan could compute. */
private[variantshredded] final case class Extraction(
    place: VariantPlace,
    path: Seq[PathStep],
    what: Extracted
)

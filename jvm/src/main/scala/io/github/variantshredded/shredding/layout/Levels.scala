package io.github.variantshredded.shredding.layout

/** Holds the repetition level and the definition level of a Parquet node. */
final case class Levels(repetition: Int, definition: Int)

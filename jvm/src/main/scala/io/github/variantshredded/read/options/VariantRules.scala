package io.github.variantshredded.read.options

/**
 * Says which violations of the shredding specification a read refuses, and how deep Variants may be
 * nested.
 *
 * @param strict
 *   whether every violation is refused (`validation=strict`)
 * @param searchesAncestors
 *   whether a shredded field is also searched in the residual values of the objects and arrays
 *   around it, where the specification does not allow it: in `validation=permissive`, but not for a
 *   relation of another source, because Spark's reader does not search there either (Iceberg's
 *   does, docs/existing-tables.md)
 * @param asSpark
 *   whether values are those of Spark's Parquet reader: a Variant has the bytes that this reader gives
 *   it, and a violation is an error or a value as in this reader
 * @param maxDepth
 *   maximum nesting depth of a Variant value
 */
final case class VariantRules(
    strict: Boolean,
    searchesAncestors: Boolean,
    asSpark: Boolean,
    maxDepth: Int
)

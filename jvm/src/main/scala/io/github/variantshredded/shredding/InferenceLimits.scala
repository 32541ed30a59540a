package io.github.variantshredded.shredding

/**
 * Limits what schema inference counts, and how many columns it may choose.
 * docs/shredding.md describes how they work together.
 *
 * @param columns
 *   the column budget: Parquet leaf columns that shredding may add to one file, for all its
 *   Variants together. A field with a primitive type takes two (`value` and `typed_value`); a field
 *   without a type, an object and an array take one
 * @param depth
 *   deepest object or array whose fields or elements are counted; the root has depth 1
 * @param frequency
 *   least share of rows in which a path has a value other than Variant null, among the rows where
 *   the column is not SQL NULL
 * @param typeShare
 *   least share that one type must have among the values of a path, without Variant nulls; it does
 *   not apply to objects
 * @param objectShare
 *   least share of objects among the values of a path, so that its fields are shredded
 * @param mapKeys
 *   most names of fields that the objects at a path have, in total, before they are treated as
 *   maps: only fields that at least half of these objects have are shredded
 * @param paths
 *   number of paths that are counted at a time, beyond which the rarest are discarded; one Variant
 *   can add up to [[InferenceLimits.MaxValues]] paths before that
 */
final case class InferenceLimits(
    columns: Int = InferenceLimits.DefaultColumns,
    depth: Int = InferenceLimits.DefaultDepth,
    frequency: Double = InferenceLimits.DefaultFrequency,
    typeShare: Double = InferenceLimits.DefaultTypeShare,
    objectShare: Double = InferenceLimits.DefaultObjectShare,
    mapKeys: Int = InferenceLimits.DefaultMapKeys,
    paths: Int = InferenceLimits.DefaultPaths
)

object InferenceLimits {

  /** Each leaf column has a page buffer, and some work for each row that is written. */
  final val DefaultColumns = 300

  /** Deeper paths stay in `value`; JSON that follows a schema is far less deep. */
  final val DefaultDepth = 50

  /**
   * One row in ten. A reader of whole Variants has work for each leaf column in each row, even if
   * the leaf is null. A leaf that most rows lack takes as many bytes for its levels as it saves in
   * field ids.
   */
  final val DefaultFrequency = 0.1

  /**
   * If more than one value in ten has another type, the statistics of the typed column skip
   * nothing, and both columns have to be read.
   */
  final val DefaultTypeShare = 0.9

  /**
   * Lower than for scalars, because fields can be read by themselves although some values are not
   * objects. But each field adds work for every reader of the whole Variant.
   */
  final val DefaultObjectShare = 0.8

  /** Objects with more distinct field names are maps: people do not choose so many names. */
  final val DefaultMapKeys = 256

  /** A path takes some hundred bytes of memory. */
  final val DefaultPaths = 16384

  /** Most values of one Variant that are counted, in the order of its fields. */
  final val MaxValues = 32768

  /** Most elements of one array that are counted, from the first one. */
  final val MaxElements = 1024

  /** Bytes of one value that count as its benefit, at most: so no single value decides. */
  final val CountedBytes = 256

  /** Bytes that an object needs for a field besides its value: an id and an offset. */
  final val FieldBytes = 2

  /** Least share of a path's values that one exact numeric type must have among several. */
  final val NumericMemberShare = 0.5

  /** Least share of a map's objects that must have a field, so that the field is shredded. */
  final val MapFieldShare = 0.5

  /** An existing shredded field is retained if it reaches this part of the limits of frequency. */
  final val RetainedPart = 0.5
}

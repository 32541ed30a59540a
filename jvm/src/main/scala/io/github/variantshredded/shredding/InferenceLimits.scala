package io.github.variantshredded.shredding

/**
 * What the inference of a shredding schema may look at and spend; docs/shredding.md says how they
 * work together.
 *
 * @param rows
 *   rows at the beginning of a file that are looked at
 * @param bytes
 *   bytes of rows that are held before the file is begun; the row that reaches it is the last one
 * @param columns
 *   Parquet leaf columns that shredding may add to one file, all its Variants together. A primitive
 *   field takes two (`value` and `typed_value`), a field without a type, an object and an array one
 * @param depth
 *   deepest object or array that gets a group; the topmost value has depth 1
 * @param frequency
 *   least share of rows, among those where the column is not SQL NULL, in which a path holds
 *   something other than null
 * @param typeShare
 *   least share that one type must have among a path's values other than null; not for objects
 * @param objectShare
 *   the like for objects: least share of objects among the values of a path whose fields are to be
 *   shredded
 * @param mapKeys
 *   an object in which more different names are found than this is a map: only fields that at least
 *   half of these objects have are shredded
 * @param paths
 *   paths that are counted at a time, beyond which the rarest are forgotten; one Variant can bring
 *   [[InferenceLimits.MaxValues]] more
 */
final case class InferenceLimits(
    rows: Int = InferenceLimits.DefaultRows,
    bytes: Long = InferenceLimits.DefaultBytes,
    columns: Int = InferenceLimits.DefaultColumns,
    depth: Int = InferenceLimits.DefaultDepth,
    frequency: Double = InferenceLimits.DefaultFrequency,
    typeShare: Double = InferenceLimits.DefaultTypeShare,
    objectShare: Double = InferenceLimits.DefaultObjectShare,
    mapKeys: Int = InferenceLimits.DefaultMapKeys,
    paths: Int = InferenceLimits.DefaultPaths
)

object InferenceLimits {

  /** Enough that a share of one percent is a sample of forty rows. */
  final val DefaultRows = 4096

  /** What one task can hold without minding, at any row size. */
  final val DefaultBytes: Long = 64L * 1024 * 1024

  /** Each leaf column has a page buffer and is looked at for every row that is written. */
  final val DefaultColumns = 300

  /** Deeper paths are looked for in `value`; JSON by hand or by schema stays far below. */
  final val DefaultDepth = 50

  /**
   * One row of ten. Readers of whole Variants pay for each leaf of each row, whether there is
   * something in it or not, and a leaf that most rows lack takes as many bytes for its levels as it
   * saves in field ids.
   */
  final val DefaultFrequency = 0.1

  /**
   * With more strays than one value of ten, statistics of the typed column skip nothing, and both
   * columns have to be read.
   */
  final val DefaultTypeShare = 0.9

  /**
   * Fields can be read by themselves although some values are no objects, so that more strays are
   * bearable than with scalars; but each of the fields costs every reader of the whole.
   */
  final val DefaultObjectShare = 0.8

  /** More than a person would write as names of fields. */
  final val DefaultMapKeys = 256

  /** Some hundred bytes each. */
  final val DefaultPaths = 16384

  /** Values of one Variant, in the order of its fields, that are looked at. */
  final val MaxValues = 32768

  /** Elements of one array, from its first, that are looked at. */
  final val MaxElements = 1024

  /** Bytes of one value that count as benefit: so that no single value decides. */
  final val CountedBytes = 256

  /** What an object spends on a field besides its value: id and offset. */
  final val FieldBytes = 2

  /** Share of a path's values that one type of several exact numeric ones must have. */
  final val NumericMemberShare = 0.5

  /** Share of a map's objects that must have a field for it to be shredded. */
  final val MapFieldShare = 0.5

  /** A field that is shredded already stays so down to this part of the limits of presence. */
  final val RetainedPart = 0.5
}

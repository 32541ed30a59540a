package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.{
  DictionaryCache,
  MetadataBuilder,
  MetadataDictionary,
  VariantEncoder,
  VariantReader,
  VariantValidator
}
import io.github.variantshredded.write.column.LeafWriter

/**
 * Writes Variants into the leaf columns of one Parquet group (VariantShredding, "Value Shredding").
 *
 * What goes where, for the value at a position whose schema is on the left:
 *
 * | schema     | value                        | `value`                   | `typed_value`          |
 * |:-----------|:-----------------------------|:--------------------------|:-----------------------|
 * | unshredded | any                          | the value                 |                        |
 * | primitive  | one that the column holds    | null                      | the value              |
 * | primitive  | any other, Variant null too  | the value                 | null                   |
 * | array      | array                        | null                      | its elements           |
 * | array      | any other                    | the value                 | null                   |
 * | object     | object                       | fields not in the schema; | fields in the schema;  |
 * |            |                              | null if there are none    | missing ones: no value |
 * | object     | any other                    | the value                 | null                   |
 *
 * A column holds a value if reading gives the same value and type back: integers of any width that
 * fit; decimals of the same scale that fit; everything else only of its very own type. In the earlier
 * layout the columns have other names, there is no `metadata`, and any integer or decimal goes to any
 * column of those that has its value ("Shredding Semantics").
 *
 * One instance serves one column of one row group, by one thread. It keeps nothing per row.
 *
 * @param schema
 *   what is shredded
 * @param leaves
 *   the leaf columns of the group, in the order of the file: `metadata` is the first, if there is one
 * @param definition
 *   definition level of the group
 * @param repetition
 *   repetition level of a second value in the innermost list around the group
 * @param settings
 *   what the file demands
 */
private[write] final class Shredder(
    schema: ShreddingSchema,
    leaves: Seq[LeafWriter],
    definition: Int,
    repetition: Int,
    settings: ShredderSettings
) {

  private val names = new MetadataBuilder
  private val metadata = settings.layout match {
    case Layout.Spec     => leaves.headOption
    case Layout.Overview => None
  }
  private val root =
    ShredNode(
      schema,
      leaves.iterator.drop(metadata.size),
      definition,
      repetition,
      names,
      settings
    )
  root.resolve(names.size)

  private val schemaNames: MetadataDictionary = {
    val metadata = names.build()
    MetadataDictionary.parse(metadata, 0, metadata.length)
  }

  private val plans = new DictionaryCache[Shredder.Plan](compile)
  private val validator = new VariantValidator
  private val row = new ShredRow

  /**
   * Writes one Variant.
   *
   * @param bytes
   *   holds both parts, which must stay unchanged during the call only
   * @param at
   *   repetition level at which the Variant stands
   * @param isChecked
   *   whether the Variant is known to be well-formed
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `MALFORMED_VARIANT`, before anything has been written
   */
  def write(
      bytes: Array[Byte],
      valuePos: Int,
      valueEnd: Int,
      metadataPos: Int,
      metadataEnd: Int,
      at: Int,
      isChecked: Boolean = false
  ): Unit = {
    val plan = plans.get(bytes, metadataPos, metadataEnd - metadataPos)
    if (!isChecked) validator.check(bytes, valuePos, valueEnd, plan.dictionary)
    row.bytes = bytes
    row.nameOf = plan.nameOf
    row.dictionary = plan.dictionary
    if (metadata.isDefined) {
      plan.metadata = metadata.get
        .addBytesAgain(plan.metadata, bytes, metadataPos, metadataEnd - metadataPos, at)
    }
    root.write(row, valuePos, valueEnd, at)
  }

  /**
   * Writes SQL NULL.
   *
   * @param at
   *   repetition level at which it stands
   * @param present
   *   definition level of what is there around it
   */
  def writeNull(at: Int, present: Int): Unit = {
    metadata.foreach(_.addNulls(at, present, 1))
    root.addNulls(at, present, 1)
  }

  /** Has everything written to the columns that is still held back. */
  def settle(): Unit = root.settle()

  // Which of the schema's names each id of a row's dictionary has, or -1.
  private def compile(dictionary: MetadataDictionary): Shredder.Plan = {
    val nameOf = new Array[Int](dictionary.size)
    var id = 0
    while (id < nameOf.length) {
      nameOf(id) =
        schemaNames.find(dictionary.bytes, dictionary.keyOffset(id), dictionary.keyLength(id))
      id += 1
    }
    new Shredder.Plan(dictionary, nameOf)
  }
}

private object Shredder {

  /** What is known of all Variants with one dictionary. */
  final class Plan(val dictionary: MetadataDictionary, val nameOf: Array[Int]) {

    /** See [[LeafWriter.addBytesAgain]]. */
    var metadata: Int = -1
  }
}

/**
 * What a file demands of the values in its columns.
 *
 * @param legacyCalendar
 *   whether the file says that its dates are Julian (`spark.sql.parquet.datetimeRebaseModeInWrite`
 *   is `LEGACY`). Spark's reader then shifts old dates in shredded columns too, so these stay in
 *   `value`
 * @param layout
 *   in which the columns are laid out
 */
private[write] final case class ShredderSettings(
    legacyCalendar: Boolean = false,
    layout: Layout = Layout.Spec
)

/** The row at work, as the nodes of a plan see it. */
private[write] final class ShredRow {
  var bytes: Array[Byte] = Array.emptyByteArray
  var nameOf: Array[Int] = Array.emptyIntArray
  var dictionary: MetadataDictionary = MetadataDictionary.Empty
  val residuals = new VariantEncoder
  val own = new OwnVariant

  /** End of the value at `pos`, which has been validated. */
  def endOf(pos: Int, limit: Int): Int = pos + VariantReader.valueSize(bytes, pos, limit)
}

package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.variant.{DictionaryCache, MetadataDictionary, VariantValidator}
import io.github.variantshredded.variant.encode.MetadataBuilder
import io.github.variantshredded.write.column.LeafWriter

/**
 * Writes Variants into the leaf columns of one Parquet group (VariantShredding, "Value Shredding").
 *
 * The table shows which column gets the value at a position, by the schema of the position:
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
 * A column holds a value if reading returns the same value and type: an integer column holds
 * integers of any width that fit; a decimal column holds decimals of the same scale that fit; any
 * other column holds only values of its own type. In the earlier layout, the columns have other
 * names, there is no `metadata`, and a numeric column holds any integer or decimal whose value fits
 * ("Shredding Semantics").
 *
 * One instance serves one column of one row group, in one thread. It keeps no data per row.
 *
 * @param schema
 *   the shredding schema
 * @param leaves
 *   the leaf columns of the group, in the order of the file: `metadata` is the first if it exists
 * @param definition
 *   definition level of the group
 * @param repetition
 *   repetition level of a second value in the innermost list around the group
 * @param settings
 *   the requirements of the file
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
   *   holds the value and the metadata, and must not change during the call
   * @param at
   *   repetition level of the Variant
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
   *   repetition level of the NULL
   * @param present
   *   definition level of the innermost ancestor that exists
   */
  def writeNull(at: Int, present: Int): Unit = {
    metadata.foreach(_.addNulls(at, present, 1))
    root.addNulls(at, present, 1)
  }

  /** Writes all nulls that are still held back. */
  def settle(): Unit = root.settle()

  // Maps each id of a row's dictionary to the id that its name has in the schema, or -1.
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

  /** Holds what is kept for all Variants with one metadata dictionary. */
  final class Plan(val dictionary: MetadataDictionary, val nameOf: Array[Int]) {

    /** The result of [[LeafWriter.addBytesAgain]] for this metadata. */
    var metadata: Int = -1
  }
}

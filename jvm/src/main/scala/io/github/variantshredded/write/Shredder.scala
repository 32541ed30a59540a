package io.github.variantshredded.write

import io.github.variantshredded.shredding.{DictionaryCache, ShreddingSchema}
import io.github.variantshredded.variant.{
  MetadataBuilder,
  MetadataDictionary,
  VariantEncoder,
  VariantReader,
  VariantValidator
}
import org.apache.parquet.io.api.{Binary, RecordConsumer}

/**
 * Writes Variants into the columns of one Parquet group (VariantShredding, "Value Shredding").
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
 * fit; decimals of the same scale that fit; everything else only of its very own type.
 *
 * One instance serves one column of one file, by one thread. It keeps nothing per row.
 *
 * @param schema
 *   what is shredded
 * @param settings
 *   what the file demands
 */
private[write] final class Shredder(schema: ShreddingSchema, settings: ShredderSettings) {

  private val names = new MetadataBuilder
  private val root = ShredNode(schema, names, settings)
  root.resolve(names.size)

  private val schemaNames: MetadataDictionary = {
    val metadata = names.build()
    MetadataDictionary.parse(metadata, 0, metadata.length)
  }

  private val plans = new DictionaryCache[Shredder.Plan](compile)
  private val validator = new VariantValidator
  private val row = new ShredRow

  /**
   * Writes one Variant. The group must have been started; the caller ends it.
   *
   * @param bytes
   *   holds both parts, which must stay unchanged during the call only
   * @throws io.github.variantshredded.VariantShreddedException
   *   `MALFORMED_VARIANT`, before anything has been written
   */
  def write(
      bytes: Array[Byte],
      valuePos: Int,
      valueEnd: Int,
      metadataPos: Int,
      metadataEnd: Int,
      consumer: RecordConsumer
  ): Unit = {
    val plan = plans.get(bytes, metadataPos, metadataEnd - metadataPos)
    validator.check(bytes, valuePos, valueEnd, plan.dictionary)
    row.bytes = bytes
    row.nameOf = plan.nameOf
    row.consumer = consumer
    consumer.startField("metadata", 0)
    consumer.addBinary(Binary.fromReusedByteArray(bytes, metadataPos, metadataEnd - metadataPos))
    consumer.endField("metadata", 0)
    root.write(row, valuePos, valueEnd, valueIndex = 1)
  }

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
  final class Plan(val dictionary: MetadataDictionary, val nameOf: Array[Int])
}

/**
 * What a file demands of the values in its columns.
 *
 * @param writesMissing
 *   whether the groups of missing fields are written out, which a consumer that validates wants;
 *   the columns are the same
 * @param legacyCalendar
 *   whether the file says that its dates are Julian (`spark.sql.parquet.datetimeRebaseModeInWrite`
 *   is `LEGACY`). Spark's reader then shifts old dates in shredded columns too, so these stay in
 *   `value`
 */
private[write] final case class ShredderSettings(
    writesMissing: Boolean = false,
    legacyCalendar: Boolean = false
)

/** The row at work, as the nodes of a plan see it. */
private[write] final class ShredRow {
  var bytes: Array[Byte] = Array.emptyByteArray
  var nameOf: Array[Int] = Array.emptyIntArray
  var consumer: RecordConsumer = _
  val residuals = new VariantEncoder

  def writeBinary(name: String, index: Int, pos: Int, end: Int): Unit = {
    consumer.startField(name, index)
    consumer.addBinary(Binary.fromReusedByteArray(bytes, pos, end - pos))
    consumer.endField(name, index)
  }

  /** End of the value at `pos`, which has been validated. */
  def endOf(pos: Int, limit: Int): Int = pos + VariantReader.valueSize(bytes, pos, limit)
}

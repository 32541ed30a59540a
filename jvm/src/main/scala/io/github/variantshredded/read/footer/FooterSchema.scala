package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.shredding.layout.LayoutReader
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.{GroupType, MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN
import org.apache.spark.sql.catalyst.parser.LegacyTypeStringParser
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetReadSupport,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.types._

/**
 * Converts the schema of a Parquet file to a Spark schema, in which Variant groups are
 * `VariantType`.
 *
 * Spark's converter refuses Variant groups with leaf columns that have no Spark type (TIME,
 * nanosecond timestamps, UUID). So each Variant group is replaced by a group of two marker fields
 * before the conversion, and the converted marker group by `VariantType` after it.
 */
private[variantshredded] object FooterSchema {

  /**
   * Returns the Spark schema of a file: the schema that Spark stored in the key-value metadata, if
   * there is one, otherwise the converted Parquet schema.
   *
   * @param keyValues
   *   key-value metadata of the file
   * @param conf
   *   configuration with the settings of Spark's converter (see
   *   [[io.github.variantshredded.read.options.ReaderConf]])
   */
  def apply(schema: MessageType, keyValues: Map[String, String], conf: Configuration): StructType =
    keyValues
      .get(ParquetReadSupport.SPARK_METADATA_KEY)
      .flatMap(text => Try(DataType.fromJson(text)).toOption.orElse(ofEarlySpark(text)))
      .collect { case written: StructType => written }
      .getOrElse(convert(schema, conf))

  /** Parses the form in which early versions of Spark have written the schema. */
  private def ofEarlySpark(text: String): Option[DataType] =
    try Some(LegacyTypeStringParser.parseString(text))
    catch { case NonFatal(_) | _: StackOverflowError => None }

  /** Returns the Spark schema of a Parquet schema, without key-value metadata. */
  def convert(schema: MessageType, conf: Configuration): StructType = {
    val fields = schema.getFields.asScala.map(withMarkers)
    val marked = new MessageType(schema.getName, fields.asJava)
    StructType(withVariants(new ParquetToSparkSchemaConverter(conf).convert(marked)).fields)
  }

  private val Markers = Seq("__variant_shredded_1", "__variant_shredded_2")

  // Two fields are needed: a repeated group with one field would be taken for the middle level of a
  // list.
  private def withMarkers(field: Type): Type =
    if (field.isPrimitive) {
      field
    } else {
      val group = field.asGroupType
      if (LayoutReader.isVariant(group)) {
        val markers = Markers.map(name => Types.optional(BOOLEAN).named(name): Type)
        new GroupType(group.getRepetition, group.getName, markers.asJava)
      } else {
        val fields = group.getFields.asScala.map(withMarkers)
        group.withNewFields(fields.asJava)
      }
    }

  private def withVariants(dataType: DataType): DataType = dataType match {
    case schema: StructType if schema.fieldNames.toSeq == Markers => VariantType
    case schema: StructType                                       => withVariants(schema)
    case array: ArrayType => array.copy(elementType = withVariants(array.elementType))
    case map: MapType     =>
      val keyType = withVariants(map.keyType)
      if (keyType != map.keyType) {
        throw VariantShreddedErrors.invalidShreddingSchema("The key of a map cannot be a Variant.")
      }
      map.copy(keyType = keyType, valueType = withVariants(map.valueType))
    case other => other
  }

  private def withVariants(schema: StructType): StructType =
    StructType(schema.fields.map(field => field.copy(dataType = withVariants(field.dataType))))
}

package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.shredding.layout.LayoutReader
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.{GroupType, MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetReadSupport,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.types._

/**
 * The Spark schema of one Parquet file, with its Variant groups as `VariantType`.
 *
 * Spark's converter refuses shredded groups with leaves that Spark has no type for (TIME, nanosecond
 * timestamps, UUID). So each Variant group is swapped for a group of two marker fields before the
 * conversion, and what the markers became is swapped for `VariantType` after it.
 */
private[variantshredded] object FooterSchema {

  /**
   * @param keyValues
   *   the file's key-value metadata; Spark's own schema in it wins, as in Spark
   * @param conf
   *   with the flags of Spark's converter set (see [[ReaderConf]])
   */
  def apply(schema: MessageType, keyValues: Map[String, String], conf: Configuration): StructType =
    keyValues
      .get(ParquetReadSupport.SPARK_METADATA_KEY)
      .flatMap(text => Try(DataType.fromJson(text)).toOption)
      .collect { case written: StructType => written }
      .getOrElse(convert(schema, conf))

  /** The Spark schema of the Parquet schema alone. */
  def convert(schema: MessageType, conf: Configuration): StructType = {
    val fields = schema.getFields.asScala.map(withMarkers)
    val marked = new MessageType(schema.getName, fields.asJava)
    StructType(withVariants(new ParquetToSparkSchemaConverter(conf).convert(marked)).fields)
  }

  private val Markers = Seq("__variant_shredded_1", "__variant_shredded_2")

  // Two fields: a repeated group with a single field would be taken for the middle level of a list.
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

package io.github.variantshredded.read.inspect

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.read.columns.{FileColumns, RequestedColumns, RequestedParquet}
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.{FileSchema, FooterChunks, FooterSchema, VariantFinder}
import io.github.variantshredded.read.options.{FileContext, ReadSettings}
import io.github.variantshredded.read.skip.PathSkipping
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText, VariantTypes}
import io.github.variantshredded.shredding.layout.{
  Layout,
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.metadata.{FileMetaData, ParquetMetadata}
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Lists the leaf columns of a file in the order of the file. Those of Variants have the path of
 * their values.
 */
private[inspect] object FileLeaves {

  def of(
      metadata: ParquetMetadata,
      schema: FileSchema,
      conf: Configuration,
      settings: ReadSettings,
      context: FileContext
  ): Seq[FileLeaf] =
    new FileLeaves(metadata, schema, exact(conf), settings, context).all

  /**
   * Returns the configuration with exact matching of column names, because they come from the file
   * itself.
   */
  private def exact(conf: Configuration): Configuration = {
    val copy = new Configuration(conf)
    copy.setBoolean(SQLConf.CASE_SENSITIVE.key, true)
    copy.setBoolean(SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key, false)
    copy
  }
}

private final class FileLeaves(
    metadata: ParquetMetadata,
    schema: FileSchema,
    conf: Configuration,
    settings: ReadSettings,
    context: FileContext
) {
  private val fileMetadata: FileMetaData = metadata.getFileMetaData
  private val decoding = DecoderSettings.of(fileMetadata, settings)
  private val found = mutable.Map.empty[Seq[String], FileLeaf]

  def all: Seq[FileLeaf] = {
    val columns = sparkColumns
    val placement =
      VariantFinder(schema, caseSensitive = true, useFieldId = false, context.maxDepth)
        .placeholders(columns)
    addOrdinary(withoutVariants(columns))
    placement.variants.values.foreach(addVariant)
    schema.leaves.map { leaf =>
      val path = leaf.getPath.toIndexedSeq
      found.getOrElse(path, FileLeaf(path, path.mkString("."), None, None, None, None))
    }
  }

  /** Returns the columns that have a Spark type. */
  private def sparkColumns: StructType = {
    val keyValues = fileMetadata.getKeyValueMetaData.asScala.toMap
    Try(FooterSchema(schema.message, keyValues, conf)).getOrElse {
      StructType(schema.message.getFields.asScala.toSeq.flatMap { field =>
        val single = new MessageType(schema.message.getName, field)
        Try(FooterSchema.convert(single, conf).fields.toSeq).getOrElse(Nil)
      })
    }
  }

  /** Returns the columns, and the fields of structs, that do not contain a Variant. */
  private def withoutVariants(columns: StructType): StructType =
    StructType(columns.fields.flatMap { field =>
      field.dataType match {
        case dataType if !VariantTypes.hasVariant(dataType) => Some(field)
        case struct: StructType                             =>
          Some(withoutVariants(struct)).filter(_.nonEmpty).map(s => field.copy(dataType = s))
        case _ => None
      }
    })

  private def addOrdinary(wanted: StructType): Unit = {
    val chunks = new FooterChunks(metadata.getBlocks.asScala.toArray)
    val columns =
      new FileColumns(schema, RequestedColumns(wanted), conf, context, chunks)
    val predicates =
      new PathSkipping.OfColumns(wanted, columns, schema, decoding.datetimeRebase.mode)

    def add(column: ParquetColumn, skipping: => PathSkipping): Unit =
      column.descriptor.foreach { descriptor =>
        val path = descriptor.getPath.toIndexedSeq
        val dataType = Some(column.sparkType.simpleString)
        val name = path.mkString(".")
        found(path) = FileLeaf(path, name, None, dataType, None, Some(skipping))
      }

    def walk(column: ParquetColumn, path: Seq[String]): Unit = column.sparkType match {
      case struct: StructType =>
        struct.fieldNames.toSeq.zip(column.children).foreach { case (name, child) =>
          walk(child, path :+ name)
        }
      case array: ArrayType =>
        column.children.foreach(elements(_, path, array, array.elementType, Nil))
      case _: MapType =>
        column.children.foreach(child => nowhere(child))
      case dataType => add(column, predicates.at(path, dataType))
    }

    def elements(
        column: ParquetColumn,
        path: Seq[String],
        array: ArrayType,
        at: DataType,
        fields: Seq[Int]
    ): Unit = at match {
      case struct: StructType =>
        struct.fields.zip(column.children).zipWithIndex.foreach { case ((field, child), i) =>
          elements(child, path, array, field.dataType, fields :+ i)
        }
      case _: ArrayType | _: MapType => column.children.foreach(nowhere)
      case _                         => add(column, predicates.elements(path, array, fields))
    }

    def nowhere(column: ParquetColumn): Unit =
      RequestedParquet.leavesOf(column).foreach(add(_, predicates.nowhere))

    wanted.fields.indices.foreach { i =>
      columns.stored(i).foreach(walk(_, Seq(wanted(i).name)))
    }
  }

  private def addVariant(group: VariantGroup): Unit = {
    val layout =
      if (group.layout == Layout.Spec && group.root.typedValue.isEmpty) "unshredded"
      else group.layout.name
    val predicates =
      new PathSkipping.OfVariant(
        group,
        schema,
        settings.variants,
        decoding.variantRebaseMode
      )

    def add(
        leaf: VariantLeaf,
        path: String,
        dataType: Option[String],
        residual: Option[VariantLeaf],
        skipping: Option[PathSkipping]
    ): Unit = {
      val at = leaf.descriptor.getPath.toIndexedSeq
      found(at) = FileLeaf(
        at,
        group.column,
        Some(LeafOfVariant(path, at.last, layout)),
        dataType,
        residual.map(leaf => ResidualLeaf(leaf.descriptor.getPath.toIndexedSeq, group.layout)),
        skipping
      )
    }

    def walk(
        position: VariantPosition,
        path: Seq[String],
        inElements: Option[Seq[String]],
        inInnerArray: Boolean
    ): Unit = {
      lazy val skipping =
        if (inInnerArray) predicates.nowhere else predicates.at(position, path, inElements)
      position.value.foreach { leaf =>
        add(leaf, position.path, Some("variant"), Some(leaf), Some(skipping))
      }
      position.typedValue.toSeq.flatMap(_.branches).foreach {
        case _: TypedValue.OneOf                      =>
        case TypedValue.Primitive(leaf, shreddedType) =>
          val dataType = ShreddingText.render(ShreddingSchema.Primitive(shreddedType))
          add(leaf, position.path, Some(dataType), position.value, Some(skipping))
        case list: TypedValue.ListGroup =>
          walk(list.element, path, Some(Nil), inInnerArray = inElements.isDefined)
        case obj: TypedValue.ObjectGroup =>
          obj.names.zip(obj.fields).foreach { case (name, field) =>
            inElements match {
              case None         => walk(field, path :+ name, None, inInnerArray)
              case Some(fields) => walk(field, path, Some(fields :+ name), inInnerArray)
            }
          }
      }
    }

    group.metadata.foreach(add(_, "$", None, None, None))
    walk(group.root, Nil, None, inInnerArray = false)
  }
}

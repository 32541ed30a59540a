package io.github.variantshredded.read.columns

import java.util.{
  Collections,
  HashSet => JHashSet,
  IdentityHashMap => JIdentityHashMap,
  Set => JSet
}

import scala.collection.mutable

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.decode.{
  AssembledColumn,
  ConstantColumn,
  DecoderSettings,
  OutputColumn,
  VariantShape
}
import io.github.variantshredded.read.extract.{VariantColumns, VariantSources}
import io.github.variantshredded.read.footer.{
  FileSchema,
  LeafChunks,
  PlaceholderSchema,
  VariantFinder
}
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.Type
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetColumn,
  ParquetReadSupport,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/**
 * Resolves the requested columns and extractions of a scan in one file, and creates their decoders
 * on request.
 *
 * @param chunks
 *   sizes and null counts of the leaf columns
 */
private[read] final class FileColumns(
    fileSchema: FileSchema,
    asked: RequestedColumns,
    conf: Configuration,
    settings: DecoderSettings,
    context: VariantContext,
    chunks: LeafChunks
) {
  import FileColumns._

  private val wanted = VariantTypes.stored(asked.data)

  private val caseSensitive =
    conf.getBoolean(SQLConf.CASE_SENSITIVE.key, SQLConf.CASE_SENSITIVE.defaultValue.get)
  private val useFieldId = conf.getBoolean(
    SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key,
    SQLConf.PARQUET_FIELD_ID_READ_ENABLED.defaultValue.get
  )

  private val finder =
    new VariantFinder(fileSchema, caseSensitive, useFieldId, context.maxDepth)
  private val placeholders =
    if (wanted.isEmpty) new PlaceholderSchema(fileSchema.message, Map.empty)
    else finder.placeholders(wanted)
  private val placeheld = PlaceholderSchema.placeheld(wanted).asInstanceOf[StructType]

  private val parquetColumns: Seq[ParquetColumn] =
    if (wanted.isEmpty) Nil
    else {
      val requested = ParquetReadSupport.getRequestedSchema(
        placeholders.message,
        placeheld,
        conf,
        enableVectorizedReader = true
      )
      new ParquetToSparkSchemaConverter(conf)
        .convertParquetColumn(requested, Some(placeheld))
        .children
    }
  private val defaults = ResolveDefaultColumns.existenceDefaultValues(wanted)

  private val missing: JSet[ParquetColumn] = new JHashSet[ParquetColumn]
  parquetColumns.foreach(findMissing)

  private val leafPaths = mutable.LinkedHashSet.empty[Seq[String]]

  // Creating the columns also finds their leaf columns.
  private lazy val (madeColumns, ordinaryLeaves) = {
    val made = wanted.fields.zip(parquetColumns).zip(defaults).map {
      case ((field, column), default) => outputColumn(field, column, default)
    }
    (made, leafPaths.toSet)
  }

  // A Variant that is read whole and extracted from is decoded only once.
  private val sources = new VariantSources(
    asked.extractedVariants,
    asked.extractions,
    finder,
    wholeVariants,
    settings,
    context,
    chunks
  )

  /** Returns one column per requested field. */
  def columns: Array[OutputColumn] = madeColumns

  /** Returns one column per extraction, followed by the column of their errors. */
  def extracted: Array[OutputColumn] = sources.extracted

  /** True if whole Variants are requested. */
  val hasVariants: Boolean = VariantTypes.hasVariant(wanted)

  /**
   * Returns how the file stores a requested column; None if the file does not have it, or if it
   * contains a Variant.
   */
  def stored(index: Int): Option[ParquetColumn] =
    Some(parquetColumns(index)).filterNot { column =>
      missing.contains(column) || VariantTypes.hasVariant(wanted(index).dataType)
    }

  /**
   * Returns the Variant group of an extraction, with all of its leaf columns; None if the file does
   * not have it.
   */
  def extractedGroup(index: Int): Option[VariantGroup] = sources.extractedGroups(index)

  /** Returns the Variant columns that must be decoded before the columns of the batch. */
  def variants: Seq[VariantColumns] = sources.variants

  /**
   * The leaf columns that are decoded twice: with the struct around a Variant, and for an
   * extraction.
   */
  lazy val shared: Set[Seq[String]] = ordinaryLeaves.intersect(sources.leaves)

  /** The paths of the leaf columns to fetch. */
  lazy val leaves: Set[Seq[String]] = ordinaryLeaves ++ sources.leaves

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: Set[Seq[String]]): Set[Seq[String]] =
    sources.skipped(allNull) -- ordinaryLeaves

  /** Starts a batch. Must be called before the columns are read. */
  def startBatch(): Unit = sources.errors.startBatch()

  /** Returns the groups of the top-level Variants that are read whole. */
  private def wholeVariants: Seq[VariantGroup] =
    wanted.fields.toSeq
      .zip(parquetColumns)
      .collect {
        case (field, column) if field.dataType == VariantType && !missing.contains(column) =>
          placeholders.variants.get(column.path)
      }
      .flatten

  private def outputColumn(field: StructField, column: ParquetColumn, default: Any): OutputColumn =
    field.dataType match {
      case _: VariantType =>
        placeholders.variants.get(column.path) match {
          case Some(group) if !missing.contains(column) => sources.whole(group)
          case _                                        => constantVariant(default)
        }
      case dataType if VariantTypes.hasVariant(dataType) =>
        nestedVariant(dataType, column, default)
      case dataType =>
        addLeaves(column)
        new AssembledColumn(
          column,
          truncate(column.sparkType, dataType),
          missing,
          default,
          isTopLevel = true,
          settings,
          _ => false
        )
    }

  private def nestedVariant(
      dataType: DataType,
      column: ParquetColumn,
      default: Any
  ): OutputColumn = {
    val groups = new JIdentityHashMap[ParquetColumn, VariantGroup]
    val variantLeaves =
      Collections.newSetFromMap(new JIdentityHashMap[ParquetColumn, java.lang.Boolean])
    val shaped = shape(column, dataType, groups, variantLeaves)
    addLeaves(shaped)
    new NestedVariantColumn(
      dataType,
      shaped,
      // In the batch, a requested Variant has the type of its Variant group in the file.
      truncate(shaped.sparkType, dataType),
      missing,
      default,
      settings,
      groups,
      variantLeaves.contains,
      context
    )
  }

  /** Returns the column with the Variant groups in place of their placeholders. */
  private def shape(
      column: ParquetColumn,
      dataType: DataType,
      groups: JIdentityHashMap[ParquetColumn, VariantGroup],
      variantLeaves: JSet[ParquetColumn]
  ): ParquetColumn = dataType match {
    case _: VariantType =>
      placeholders.variants.get(column.path) match {
        case Some(group) if !missing.contains(column) =>
          val shaped = VariantShape.group(group)
          groups.put(shaped, group)
          leavesOf(shaped).foreach(variantLeaves.add)
          shaped
        case _ => column
      }
    case _ if missing.contains(column) => column
    case struct: StructType            =>
      // Spark may have added a field that was not requested, to find out which structs are null.
      val children = column.children.zipWithIndex.map { case (child, i) =>
        if (i < struct.length) shape(child, struct(i).dataType, groups, variantLeaves) else child
      }
      val fields = column.sparkType.asInstanceOf[StructType].fields.zip(children).map {
        case (field, child) => field.copy(dataType = child.sparkType)
      }
      column.copy(sparkType = StructType(fields), children = children)
    case array: ArrayType =>
      val element = shape(column.children.head, array.elementType, groups, variantLeaves)
      val sparkType = column.sparkType.asInstanceOf[ArrayType]
      column.copy(
        sparkType = sparkType.copy(elementType = element.sparkType),
        children = Seq(element)
      )
    case map: MapType =>
      val key = shape(column.children.head, map.keyType, groups, variantLeaves)
      val value = shape(column.children(1), map.valueType, groups, variantLeaves)
      val sparkType = column.sparkType.asInstanceOf[MapType]
      column.copy(
        sparkType = sparkType.copy(keyType = key.sparkType, valueType = value.sparkType),
        children = Seq(key, value)
      )
    case _ => column
  }

  private def addLeaves(column: ParquetColumn): Unit =
    if (!missing.contains(column)) {
      if (column.isPrimitive) leafPaths += column.descriptor.get.getPath.toIndexedSeq
      else column.children.foreach(addLeaves)
    }

  private def findMissing(column: ParquetColumn): Unit =
    if (containsPath(placeholders.message, column.path, 0)) {
      if (!column.isPrimitive) column.children.foreach(findMissing)
    } else if (column.required) {
      throw VariantShreddedErrors.corruptFile(
        "A required column is missing in the file.",
        ErrorLocation(column = Some(column.path.mkString(".")))
      )
    } else {
      missing.add(column)
    }

  private def constantVariant(default: Any): OutputColumn = {
    val vector = new ConstantColumnVector(settings.capacity, VariantType)
    default match {
      case variant: VariantVal => vector.setVariant(variant)
      case _                   => vector.setNull()
    }
    new ConstantColumn(vector)
  }
}

private[read] object FileColumns {

  def leavesOf(column: ParquetColumn): Seq[ParquetColumn] =
    if (column.isPrimitive) Seq(column) else column.children.flatMap(leavesOf)

  private def containsPath(node: Type, path: Seq[String], depth: Int): Boolean =
    depth == path.length || (!node.isPrimitive && {
      val group = node.asGroupType
      group.containsField(path(depth)) &&
      containsPath(group.getType(path(depth)), path, depth + 1)
    })

  /**
   * Returns the type that is read, without the fields that Spark appended to structs to find out
   * which are null.
   */
  private def truncate(read: DataType, wanted: DataType): DataType = (read, wanted) match {
    case (_, udt: UserDefinedType[_])   => truncate(read, udt.sqlType)
    case (r: StructType, w: StructType) =>
      StructType(w.fields.indices.map { i =>
        r(i).copy(dataType = truncate(r(i).dataType, w(i).dataType))
      })
    case (r: ArrayType, w: ArrayType) =>
      r.copy(elementType = truncate(r.elementType, w.elementType))
    case (r: MapType, w: MapType) =>
      r.copy(
        keyType = truncate(r.keyType, w.keyType),
        valueType = truncate(r.valueType, w.valueType)
      )
    case _ => read
  }
}

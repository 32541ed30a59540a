package io.github.variantshredded.read.columns

import java.util.{Collections, HashSet => JHashSet, Set => JSet}

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.demand.{ExtractionSource, VariantDemands}
import io.github.variantshredded.read.footer.{
  FileSchema,
  LeafChunks,
  PlaceholderSchema,
  VariantFinder
}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.shredding.layout.VariantGroup
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetColumn,
  ParquetReadSupport,
  ParquetUtils
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.Variant
import org.apache.spark.unsafe.types.VariantVal

/**
 * Describes how the requested columns and extractions of a scan are read from one file.
 * [[ColumnDecoders]] are made from it.
 *
 * @param asked
 *   the requested columns and extractions
 * @param context
 *   how strictly Variants are read
 * @param chunks
 *   sizes and null counts of the leaf columns
 */
private[read] final class FileColumns(
    fileSchema: FileSchema,
    val asked: RequestedColumns,
    conf: Configuration,
    context: FileContext,
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

  requireFieldIds()

  private val finder =
    new VariantFinder(fileSchema, caseSensitive, useFieldId, context.maxDepth)
  private val placeholders =
    if (wanted.isEmpty) new PlaceholderSchema(fileSchema.message, Map.empty)
    else if (context.asSpark) new PlaceholderSchema(finder.forSpark(wanted), Map.empty)
    else finder.placeholders(wanted)
  private val placeheld =
    if (context.asSpark) wanted
    else PlaceholderSchema.placeheld(wanted).asInstanceOf[StructType]

  private val parquetColumns: Seq[ParquetColumn] =
    RequestedParquet.columns(placeholders.message, placeheld, conf)

  // Spark checks this for the other columns, also if it finds them by name.
  private def requireFieldIds(): Unit = {
    val mayBeMissing = conf.getBoolean(
      SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID.key,
      SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID.defaultValue.get
    )
    if (
      !mayBeMissing && ParquetUtils.hasFieldIds(asked.extractedVariants) &&
      !ParquetReadSupport.containsFieldIds(fileSchema.message)
    ) {
      throw VariantShreddedErrors.invalidShreddingSchema(
        "The columns of the query have field ids, and those of the file have none. To read the " +
          s"file nevertheless, set ${SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID.key} to true.",
        ErrorLocation(column = asked.extractedVariants.fieldNames.headOption)
      )
    }
  }

  /** The parts of the requested columns that the file does not have. */
  val missing: JSet[ParquetColumn] = missingOf(parquetColumns, placeholders.message)

  private def missingOf(columns: Seq[ParquetColumn], message: MessageType): JSet[ParquetColumn] = {
    val found = new JHashSet[ParquetColumn]
    columns.foreach(findMissing(_, message, found))
    Collections.unmodifiableSet(found)
  }

  /** One description per requested column. */
  val resolved: Seq[ResolvedColumn] = {
    val defaults = ResolveDefaultColumns.existenceDefaultValues(wanted)
    wanted.fields.toSeq.zip(parquetColumns).zip(defaults).map { case ((field, column), default) =>
      resolve(field, column, default)
    }
  }

  /** What is read of the Variants: the whole ones, and those that are extracted from. */
  val demands: VariantDemands = VariantDemands.of(
    asked.extractedVariants,
    asked.extractions,
    finder,
    resolved.collect { case ResolvedColumn.WholeVariant(group) => group },
    context.rules,
    chunks,
    refuseOtherKinds
  )

  // A file that lacks a Variant may have another kind of column in the place of a struct around it.
  private def refuseOtherKinds(structs: StructType): Unit = {
    val held = PlaceholderSchema.placeheld(structs).asInstanceOf[StructType]
    // Or else Spark adds another field of the file to the struct, whose type it may refuse.
    val alone = new Configuration(conf)
    alone.setBoolean(SQLConf.LEGACY_PARQUET_RETURN_NULL_STRUCT_IF_ALL_FIELDS_MISSING.key, true)
    val _ = RequestedParquet.columns(finder.placeholders(structs).message, held, alone)
  }

  /** The Variants whose groups break the rules, in the structs that hold them. */
  private val leftToSpark: StructType = finder.only(
    asked.extractedVariants,
    asked.extractions.zip(demands.sources).collect {
      case (extraction, ExtractionSource.LeftToSpark) => extraction.column
    }
  )

  private val columnsLeftToSpark =
    RequestedParquet.columns(fileSchema.message, leftToSpark, conf)

  /** How Spark's reader decodes the Variants whose groups break the rules. */
  val spark: SparkVariants = SparkVariants(
    leftToSpark,
    leftToSpark.fields.toSeq.zip(columnsLeftToSpark).map { case (field, column) =>
      ordinary(field.dataType, column, null)
    },
    missingOf(columnsLeftToSpark, fileSchema.message),
    caseSensitive
  )

  /**
   * For each extraction, the Variant to extract from if the file does not have the column: the
   * default value of the column, or null for SQL NULL. Spark ignores the default value of a struct
   * if a query reads some of its fields, so a Variant in a struct has none.
   */
  val extractionDefaults: Seq[Variant] = asked.extractions.zip(demands.sources).map {
    case (extraction, ExtractionSource.Missing) if extraction.column.size == 1 =>
      val schema = finder.only(asked.extractedVariants, Seq(extraction.column))
      ResolveDefaultColumns.existenceDefaultValues(schema).head match {
        case variant: VariantVal => new Variant(variant.getValue, variant.getMetadata)
        case _                   => null
      }
    case _ => null
  }

  /** True if whole Variants are requested. */
  val hasVariants: Boolean = VariantTypes.hasVariant(wanted) || spark.columns.nonEmpty

  private val ordinaryLeaves: Set[Seq[String]] = resolved.flatMap {
    case ResolvedColumn.Ordinary(column, _, _) => presentLeaves(column, missing)
    case nested: ResolvedColumn.NestedVariants => presentLeaves(nested.column, missing)
    case _: ResolvedColumn.WholeVariant | _: ResolvedColumn.MissingVariant |
        _: ResolvedColumn.MissingColumn =>
      Nil
  }.toSet

  private val extractedLeaves: Set[Seq[String]] =
    demands.leaves ++ columnsLeftToSpark.flatMap(presentLeaves(_, spark.missing))

  /**
   * The leaf columns that are decoded twice: with the struct around a Variant, and for an
   * extraction.
   */
  val shared: Set[Seq[String]] = ordinaryLeaves.intersect(extractedLeaves)

  /** The paths of the leaf columns to fetch. */
  val leaves: Set[Seq[String]] = ordinaryLeaves ++ extractedLeaves

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: Set[Seq[String]]): Set[Seq[String]] =
    demands.skipped(allNull) -- ordinaryLeaves

  /**
   * Returns how the file stores a requested column; None if the file does not have it, or if it
   * contains a Variant.
   */
  def stored(index: Int): Option[ParquetColumn] =
    Some(parquetColumns(index)).filterNot { column =>
      missing.contains(column) || VariantTypes.hasVariant(wanted(index).dataType)
    }

  /** Returns where the file has the Variant of an extraction, with all of its leaf columns. */
  def source(index: Int): ExtractionSource = demands.sources(index)

  private def resolve(field: StructField, column: ParquetColumn, default: Any): ResolvedColumn = {
    val dataType = field.dataType
    dataType match {
      case _: VariantType if missing.contains(column) => ResolvedColumn.MissingVariant(default)
      case _: VariantType if context.asSpark          =>
        rebuiltAsSpark(field, column)
          .map(ResolvedColumn.WholeVariant(_))
          .getOrElse(ordinary(dataType, column, default))
      case _ if context.asSpark                             => ordinary(dataType, column, default)
      case _ if default != null && missing.contains(column) =>
        ResolvedColumn.MissingColumn(dataType, default)
      case _: VariantType =>
        placeholders.variants
          .get(column.path)
          .map(ResolvedColumn.WholeVariant(_))
          .getOrElse(ResolvedColumn.MissingVariant(default))
      case _ if VariantTypes.hasVariant(dataType) => nestedVariants(dataType, column)
      case _                                      => ordinary(dataType, column, default = null)
    }
  }

  /**
   * Returns the group of a Variant that is rebuilt here with the bytes that Spark's reader gives it;
   * None if Spark's reader must decode it.
   */
  private def rebuiltAsSpark(field: StructField, column: ParquetColumn): Option[VariantGroup] =
    for {
      stored <- column.variantFileType
      found <- VariantDemands.find(finder, StructType(Seq(field)), leavesToSpark = true).toOption
      group <- found
      if SparkGroups.isSame(group, stored.sparkType)
    } yield group

  private def ordinary(
      dataType: DataType,
      column: ParquetColumn,
      default: Any
  ): ResolvedColumn.Ordinary =
    ResolvedColumn.Ordinary(column, truncate(column.sparkType, dataType), default)

  private def nestedVariants(
      dataType: DataType,
      column: ParquetColumn
  ): ResolvedColumn.NestedVariants = {
    val shape = new NestedShape(column, dataType, placeholders.variants, missing)
    ResolvedColumn.NestedVariants(
      dataType,
      shape.column,
      truncate(shape.column.sparkType, dataType),
      shape.groups,
      shape.variantLeaves
    )
  }

  private def presentLeaves(
      column: ParquetColumn,
      missing: JSet[ParquetColumn]
  ): Seq[Seq[String]] =
    if (missing.contains(column)) Nil
    else if (column.isPrimitive) Seq(column.descriptor.get.getPath.toIndexedSeq)
    else column.children.flatMap(presentLeaves(_, missing))

  private def findMissing(
      column: ParquetColumn,
      message: MessageType,
      found: JSet[ParquetColumn]
  ): Unit =
    if (containsPath(message, column.path, 0)) {
      if (!column.isPrimitive) column.children.foreach(findMissing(_, message, found))
    } else if (column.required) {
      throw VariantShreddedErrors.corruptFile(
        "A required column is missing in the file.",
        ErrorLocation(column = Some(column.path.mkString(".")))
      )
    } else {
      found.add(column): Unit
    }
}

private object FileColumns {

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

package io.github.variantshredded.read.inspect

import org.apache.spark.sql.types._

/**
 * The columns of the source `variant-shredded-files`: a row for each leaf column of each row group
 * of each file.
 *
 * @param comment
 *   as `DESCRIBE` shows it
 */
private[inspect] sealed abstract class FileColumn(
    val name: String,
    val dataType: DataType,
    val comment: String
) {
  final def field: StructField = StructField(name, dataType).withComment(comment)
}

private[inspect] object FileColumn {
  private val Texts = ArrayType(StringType, containsNull = false)
  private val TextByName = MapType(StringType, StringType)

  case object File extends FileColumn("file", StringType, "the file")
  case object Partition
      extends FileColumn("partition", TextByName, "values of the directories' partition columns")
  case object RowGroup extends FileColumn("row_group", IntegerType, "place in the file, from 0")
  case object Column
      extends FileColumn("column", StringType, "the Variant, or the ordinary column, with dots")
  case object Path
      extends FileColumn("path", StringType, "place within the Variant, such as $.items[*].price")
  case object Leaf
      extends FileColumn(
        "leaf",
        StringType,
        "what of the place: metadata, value (untyped_value), typed_value"
      )
  case object ParquetColumn
      extends FileColumn("parquet_column", StringType, "the leaf column in the file, with dots")
  case object Layout
      extends FileColumn("layout", StringType, "of the Variant: spec, overview, or unshredded")
  case object DataType
      extends FileColumn("type", StringType, "of the values, as shredding schemas name it")
  case object PhysicalType extends FileColumn("physical_type", StringType, "in Parquet")
  case object LogicalType extends FileColumn("logical_type", StringType, "in Parquet")
  case object Rows extends FileColumn("rows", LongType, "of the row group")
  case object Values
      extends FileColumn("values", LongType, "of the leaf, nulls and elements counted")
  case object Nulls extends FileColumn("nulls", LongType, "of these; null if unknown")
  case object ResidualRows
      extends FileColumn("residual_rows", LongType, "values of this place that have no type here")
  case object ResidualTypes
      extends FileColumn("residual_types", Texts, "types of these among the first rows")
  case object Min extends FileColumn("min", StringType, "no value is less, as the footer says")
  case object Max extends FileColumn("max", StringType, "no value is greater, as the footer says")
  case object CompressedBytes extends FileColumn("compressed_bytes", LongType, "in the file")
  case object RawBytes extends FileColumn("raw_bytes", LongType, "before compression")
  case object Codec extends FileColumn("codec", StringType, "of compression")
  case object Encodings extends FileColumn("encodings", Texts, "of pages and dictionaries")
  case object ColumnIndex
      extends FileColumn("column_index", BooleanType, "whether pages have statistics")
  case object BloomFilter extends FileColumn("bloom_filter", BooleanType, "whether there is one")
  case object Skippable
      extends FileColumn(
        "skippable",
        BooleanType,
        "whether comparisons can leave out the row group"
      )
  case object WhyNot extends FileColumn("why_not", StringType, "why they cannot")

  val All: Seq[FileColumn] = Seq(
    File,
    Partition,
    RowGroup,
    Column,
    Path,
    Leaf,
    ParquetColumn,
    Layout,
    DataType,
    PhysicalType,
    LogicalType,
    Rows,
    Values,
    Nulls,
    ResidualRows,
    ResidualTypes,
    Min,
    Max,
    CompressedBytes,
    RawBytes,
    Codec,
    Encodings,
    ColumnIndex,
    BloomFilter,
    Skippable,
    WhyNot
  )

  val schema: StructType = StructType(All.map(_.field))

  private val byName = All.map(column => column.name -> column).toMap

  def of(field: StructField): FileColumn = byName(field.name)
}

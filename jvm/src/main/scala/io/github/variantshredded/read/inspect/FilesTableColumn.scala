package io.github.variantshredded.read.inspect

import org.apache.spark.sql.types._

/**
 * Defines the columns of the source `variant-shredded-files`, which has one row per leaf column of
 * each row group of each file.
 *
 * @param comment
 *   the comment that `DESCRIBE` shows
 */
private[inspect] sealed abstract class FilesTableColumn(
    val name: String,
    val dataType: DataType,
    val comment: String
) {
  final def field: StructField = StructField(name, dataType).withComment(comment)
}

private[inspect] object FilesTableColumn {
  private val Texts = ArrayType(StringType, containsNull = false)
  private val TextByName = MapType(StringType, StringType)
  private val NumberByName = MapType(StringType, LongType, valueContainsNull = false)

  case object File extends FilesTableColumn("file", StringType, "path of the file")
  case object Partition
      extends FilesTableColumn("partition", TextByName, "partition values from the directory names")
  case object RowGroup
      extends FilesTableColumn("row_group", IntegerType, "index in the file, from 0")
  case object Column
      extends FilesTableColumn("column", StringType, "name of the Variant or ordinary column")
  case object Path
      extends FilesTableColumn(
        "path",
        StringType,
        "path within the Variant, such as $.items[*].price"
      )
  case object Leaf
      extends FilesTableColumn(
        "leaf",
        StringType,
        "what it stores at this path: metadata, value (untyped_value), typed_value"
      )
  case object ParquetColumn
      extends FilesTableColumn("parquet_column", StringType, "path of the leaf column in the file")
  case object Layout
      extends FilesTableColumn("layout", StringType, "layout: spec, overview, or unshredded")
  case object DataType
      extends FilesTableColumn("type", StringType, "type of the values, as in a shredding schema")
  case object PhysicalType
      extends FilesTableColumn("physical_type", StringType, "Parquet's physical type")
  case object LogicalType
      extends FilesTableColumn("logical_type", StringType, "Parquet's logical type")
  case object Rows extends FilesTableColumn("rows", LongType, "number of rows in the row group")
  case object Values
      extends FilesTableColumn(
        "values",
        LongType,
        "number of values, with nulls and array elements"
      )
  case object Nulls extends FilesTableColumn("nulls", LongType, "number of nulls; null if unknown")
  case object ResidualValues
      extends FilesTableColumn(
        "residual_values",
        LongType,
        "number of residual values at this path"
      )
  case object ResidualTypes
      extends FilesTableColumn(
        "residual_types",
        Texts,
        "types of residual values in the first rows"
      )
  case object ResidualCounts
      extends FilesTableColumn(
        "residual_counts",
        NumberByName,
        "number of residual values of each type in the first rows"
      )
  case object Min extends FilesTableColumn("min", StringType, "lower bound in the footer")
  case object Max extends FilesTableColumn("max", StringType, "upper bound in the footer")
  case object CompressedBytes
      extends FilesTableColumn("compressed_bytes", LongType, "bytes in the file")
  case object UncompressedBytes
      extends FilesTableColumn("uncompressed_bytes", LongType, "bytes before compression")
  case object Codec extends FilesTableColumn("codec", StringType, "compression codec")
  case object Encodings extends FilesTableColumn("encodings", Texts, "encodings of all pages")
  case object ColumnIndex
      extends FilesTableColumn("column_index", BooleanType, "whether there is a column index")
  case object BloomFilter
      extends FilesTableColumn(
        "bloom_filter",
        BooleanType,
        "whether there is a bloom filter that a scan may use"
      )
  case object Skippable
      extends FilesTableColumn(
        "skippable",
        BooleanType,
        "whether a comparison can skip the row group by statistics"
      )
  case object WhyNotSkippable
      extends FilesTableColumn("why_not_skippable", StringType, "why no comparison can skip it")

  val All: Seq[FilesTableColumn] = Seq(
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
    ResidualValues,
    ResidualTypes,
    ResidualCounts,
    Min,
    Max,
    CompressedBytes,
    UncompressedBytes,
    Codec,
    Encodings,
    ColumnIndex,
    BloomFilter,
    Skippable,
    WhyNotSkippable
  )

  val schema: StructType = StructType(All.map(_.field))

  private val byName = All.map(column => column.name -> column).toMap

  def of(field: StructField): FilesTableColumn = byName(field.name)
}

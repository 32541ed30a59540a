package io.github.variantshredded.read

import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf}
import org.apache.parquet.VersionParser.ParsedVersion
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.schema.{PrimitiveType, Types}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetColumn, VectorizedColumnReader}
import org.apache.spark.sql.execution.vectorized.{
  OffHeapColumnVector,
  OnHeapColumnVector,
  WritableColumnVector
}
import org.apache.spark.sql.types._

/**
 * What Spark's decoders need to know of a file, beside the column.
 *
 * @param datetimeRebaseMode
 *   `LEGACY`, `CORRECTED` or `EXCEPTION`, for ordinary columns
 */
private[read] final class DecoderSettings(
    val convertTz: java.time.ZoneId,
    val datetimeRebaseMode: String,
    val datetimeRebaseTz: String,
    val int96RebaseMode: String,
    val int96RebaseTz: String,
    val writerVersion: ParsedVersion,
    val capacity: Int,
    val offHeap: Boolean
) {

  def newVector(dataType: DataType): WritableColumnVector =
    if (offHeap) new OffHeapColumnVector(capacity, dataType)
    else new OnHeapColumnVector(capacity, dataType)

  def decoder(column: ParquetColumn, pages: PageReadStore): VectorizedColumnReader =
    decoder(column.descriptor.get, column.required, pages, datetimeRebaseMode)

  /**
   * For a leaf of a Variant: the spec knows the proleptic calendar only, so that dates are rebased
   * just in files that say themselves that they were written otherwise.
   */
  def variantDecoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore
  ): VectorizedColumnReader =
    decoder(
      descriptor,
      required,
      pages,
      if (datetimeRebaseMode == "LEGACY") "LEGACY" else "CORRECTED"
    )

  private def decoder(
      descriptor: ColumnDescriptor,
      required: Boolean,
      pages: PageReadStore,
      rebaseMode: String
  ) =
    new VectorizedColumnReader(
      descriptor,
      required,
      pages,
      convertTz,
      rebaseMode,
      datetimeRebaseTz,
      int96RebaseMode,
      int96RebaseTz,
      writerVersion
    )
}

/**
 * As what a leaf of a Variant group is decoded: the Spark type of its vector, and the descriptor
 * that makes Spark's decoders give the stored number or bytes as they are.
 */
private[read] object LeafDecoding {

  def untyped(leaf: VariantLeaf): (DataType, ColumnDescriptor) = (BinaryType, leaf.descriptor)

  def typed(primitive: TypedValue.Primitive): (DataType, ColumnDescriptor) = {
    val descriptor = primitive.leaf.descriptor
    primitive.shreddedType match {
      case ShreddedType.BooleanType     => (BooleanType, descriptor)
      case ShreddedType.FloatType       => (FloatType, descriptor)
      case ShreddedType.DoubleType      => (DoubleType, descriptor)
      case ShreddedType.Date            => (DateType, descriptor)
      case ShreddedType.TimestampMicros => (TimestampType, descriptor)
      // The type is seen where Spark copies arrays and rows.
      case ShreddedType.StringType => (StringType, withoutAnnotation(descriptor))
      case _                       =>
        val plain = withoutAnnotation(descriptor)
        plain.getPrimitiveType.getPrimitiveTypeName match {
          case PrimitiveType.PrimitiveTypeName.INT32 => (IntegerType, plain)
          case PrimitiveType.PrimitiveTypeName.INT64 => (LongType, plain)
          case _                                     => (BinaryType, plain)
        }
    }
  }

  private def withoutAnnotation(descriptor: ColumnDescriptor): ColumnDescriptor = {
    val field = descriptor.getPrimitiveType
    val plain = Types
      .primitive(field.getPrimitiveTypeName, field.getRepetition)
      .length(field.getTypeLength)
      .named(field.getName)
    new ColumnDescriptor(
      descriptor.getPath,
      plain,
      descriptor.getMaxRepetitionLevel,
      descriptor.getMaxDefinitionLevel
    )
  }
}

/**
 * A leaf without repetition: one slot a row, decoded as fast as a plain column.
 *
 * @param withLevels
 *   whether the definition levels are wanted too
 */
private[read] final class FlatLeaf(
    val leaf: VariantLeaf,
    dataType: DataType,
    descriptor: ColumnDescriptor,
    settings: DecoderSettings
) extends LeafVector {

  override val values: WritableColumnVector = settings.newVector(dataType)
  private var levels: WritableColumnVector = _
  private var decoder: VectorizedColumnReader = _
  private var allNull = false

  /** Asks for the definition levels of this leaf, which then is read even if it is all null. */
  def definitionLevels: WritableColumnVector = {
    if (levels == null) levels = settings.newVector(IntegerType)
    levels
  }

  /** Whether the chunk must be fetched although all of its values are null. */
  def isNeededForLevels: Boolean = levels != null

  override def isAllNull: Boolean = allNull

  /** Whether the chunk of the current row group was not fetched. */
  def isSkipped: Boolean = decoder == null

  /**
   * @param pages
   *   the row group; null where the leaf is all null in it and was not fetched
   */
  def startRowGroup(pages: PageReadStore): Unit =
    decoder =
      if (pages == null) null else settings.variantDecoder(descriptor, leaf.required, pages)

  def readBatch(rows: Int): Unit = {
    allNull = decoder == null
    if (!allNull) {
      values.reset()
      if (levels != null) levels.reset()
      io.github.variantshredded.spark.ParquetInternals
        .readBatch(decoder, rows, values, null, levels)
      allNull = values.numNulls == rows
    }
  }

  def close(): Unit = {
    values.close()
    if (levels != null) levels.close()
  }
}

/** A leaf or group that Spark's own assembly has put together; one slot an element. */
private[read] final class AssembledLeaf(override val values: WritableColumnVector)
    extends LeafVector {
  override def isAllNull: Boolean = false
}

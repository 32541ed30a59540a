package io.github.variantshredded.read.decode

import java.lang.{Boolean => JBoolean}
import java.util.{Collections, IdentityHashMap => JIdentityHashMap, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.spark.ParquetInternals
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{DataType, NullType}
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Decodes a column, which Spark's vectorized reader assembles.
 *
 * @param column
 *   the column of the file
 * @param batchType
 *   the type of the vector
 * @param missing
 *   the parts of `column` that the file lacks
 * @param isVariantLeaf
 *   whether a leaf column belongs to a Variant group, and so is decoded with the settings for
 *   Variants
 */
private[read] class AssembledColumn(
    column: ParquetColumn,
    batchType: DataType,
    missing: JSet[ParquetColumn],
    defaultValue: Any,
    isTopLevel: Boolean,
    settings: DecoderSettings,
    isVariantLeaf: ParquetColumn => Boolean
) extends OutputColumn {

  protected val values: WritableColumnVector = settings.newVector(batchType)

  /** The `ParquetColumnVector` of Spark; its class is not public. */
  val columnHandle: AnyRef = ParquetInternals.newColumnVector(
    column,
    values,
    settings.capacity,
    missing,
    isTopLevel,
    defaultValue.asInstanceOf[AnyRef]
  )

  private val present: JSet[ParquetColumn] = {
    val found = Collections.newSetFromMap(new JIdentityHashMap[ParquetColumn, JBoolean])
    def visit(node: ParquetColumn): Unit =
      if (!missing.contains(node)) {
        if (node.isPrimitive) found.add(node): Unit else node.children.foreach(visit)
      }
    visit(column)
    found
  }

  /**
   * The leaf columns that the file has. (Spark does not list the leaf columns below a missing group
   * as missing.)
   */
  private val leaves: Array[AnyRef] = ParquetInternals
    .leaves(columnHandle)
    .asScala
    .map(_.asInstanceOf[AnyRef])
    .filter(leaf => present.contains(ParquetInternals.column(leaf)))
    .toArray

  private val repeatedLeaves = new RepeatedLeaves(column, leaves)

  // Spark never resets the levels of NullType leaf columns, so they would grow with every batch.
  private val levelsOfNulls: Array[WritableColumnVector] = leaves
    .filter(leaf => ParquetInternals.column(leaf).sparkType == NullType)
    .flatMap(leaf =>
      Seq(ParquetInternals.repetitionLevels(leaf), ParquetInternals.definitionLevels(leaf))
    )
    .filter(_ != null)

  private val isAssembled = !column.isPrimitive && !missing.contains(column)

  override def vector: ColumnVector = values

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = leaves.foreach { leaf =>
    val leafColumn = ParquetInternals.column(leaf)
    val decoder =
      if (isVariantLeaf(leafColumn)) {
        settings.variantDecoder(leafColumn.descriptor.get, leafColumn.required, rowGroup.pages)
      } else {
        val dataType = ParquetInternals.values(leaf).dataType
        settings.decoder(leafColumn, dataType, rowGroup.pages)
      }
    ParquetInternals.setReader(leaf, decoder)
  }

  override def readBatch(rows: Int): Unit = {
    ParquetInternals.reset(columnHandle)
    levelsOfNulls.foreach(_.reset())
    var i = 0
    while (i < leaves.length) {
      ParquetInternals.readLeaf(leaves(i), rows)
      i += 1
    }
    repeatedLeaves.check()
    ParquetInternals.assemble(columnHandle)
    if (isAssembled && !values.isAllNull && values.getElementsAppended != rows) {
      throw VariantShreddedErrors.corruptFile(
        s"The column has ${values.getElementsAppended} rows where $rows are expected.",
        ErrorLocation(column = Some(column.path.mkString(".")))
      )
    }
  }

  // Spark's reader leaves the vectors of levels open, and those of fields that were not requested.
  override def close(): Unit = ParquetInternals.close(columnHandle)
}

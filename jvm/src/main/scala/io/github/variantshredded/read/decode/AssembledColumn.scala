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
 * A column that Spark's vectorized reader decodes and assembles by itself.
 *
 * @param isVariantLeaf
 *   whether a leaf belongs to a Variant group and so is decoded by the rules for those
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

  /** The `ParquetColumnVector`. */
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

  /** Leaves that the file has; those below a missing group are not missing by themselves. */
  private val leaves: Array[AnyRef] = ParquetInternals
    .leaves(columnHandle)
    .asScala
    .map(_.asInstanceOf[AnyRef])
    .filter(leaf => present.contains(ParquetInternals.column(leaf)))
    .toArray

  private val repeatedLeaves = new RepeatedLeaves(column, leaves)

  // Spark forgets to empty these: they would grow with every batch.
  private val levelsOfNulls: Array[WritableColumnVector] = leaves
    .filter(leaf => ParquetInternals.column(leaf).sparkType == NullType)
    .flatMap(leaf =>
      Seq(ParquetInternals.repetitionLevels(leaf), ParquetInternals.definitionLevels(leaf))
    )
    .filter(_ != null)

  private val isAssembled = !column.isPrimitive && !missing.contains(column)

  override def vector: ColumnVector = values

  override def startRowGroup(rowGroup: RowGroup): Unit = leaves.foreach { leaf =>
    val leafColumn = ParquetInternals.column(leaf)
    val decoder =
      if (isVariantLeaf(leafColumn)) {
        settings.variantDecoder(leafColumn.descriptor.get, leafColumn.required, rowGroup.pages)
      } else {
        settings.decoder(leafColumn, rowGroup.pages)
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

  override def close(): Unit = values.close()
}

package io.github.variantshredded.read.columns

import java.util.{Set => JSet}

import scala.collection.mutable

import io.github.variantshredded.read.decode.{
  AssembledColumn,
  DecoderSettings,
  FetchedRowGroup,
  ObjectNumbers,
  VariantShape
}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.rebuild.{
  GatheredMetadata,
  VariantColumnVector,
  VariantMetadata,
  VariantNulls
}
import io.github.variantshredded.read.vector.{ArrayView, MapView, NullVector, StructView}
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.shredding.layout.ShreddedNames
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * Decodes a column with Variants in structs, arrays or maps. Spark assembles the Variant groups as
 * structs, and a view on top of them gives the Variants.
 */
private[read] final class NestedVariantColumn(
    resolved: ResolvedColumn.NestedVariants,
    missing: JSet[ParquetColumn],
    settings: DecoderSettings,
    context: FileContext
) extends AssembledColumn(
      resolved.column,
      resolved.batchType,
      missing,
      defaultValue = null,
      isTopLevel = true,
      settings,
      resolved.variantLeaves.contains(_)
    ) {

  private val variants = mutable.ArrayBuffer.empty[(VariantColumnVector, WritableColumnVector)]
  private val view = viewOf(resolved.dataType, resolved.column, values)

  override def vector: ColumnVector = view

  private def viewOf(
      wanted: DataType,
      node: ParquetColumn,
      assembled: WritableColumnVector
  ): ColumnVector = wanted match {
    case _: VariantType => variantOf(node, assembled)
    case _ if missing.contains(node) || !VariantTypes.hasVariant(wanted) => assembled
    case struct: StructType                                              =>
      val children = struct.fields.indices.map { i =>
        viewOf(struct(i).dataType, node.children(i), assembled.getChild(i))
      }
      new StructView(struct, assembled, children.toArray)
    case array: ArrayType =>
      val element = viewOf(array.elementType, node.children.head, assembled.getChild(0))
      new ArrayView(array, assembled, element)
    case map: MapType =>
      new MapView(
        map,
        assembled,
        viewOf(map.keyType, node.children.head, assembled.getChild(0)),
        viewOf(map.valueType, node.children(1), assembled.getChild(1))
      )
    case _ => assembled
  }

  private def variantOf(node: ParquetColumn, assembled: WritableColumnVector): ColumnVector =
    Option(resolved.groups.get(node)) match {
      case None        => NullVector(VariantType)
      case Some(group) =>
        val objects = new ObjectNumbers
        val nulls: VariantNulls =
          if (group.required) (_: Int) => false else (slot: Int) => assembled.isNullAt(slot)
        val names = ShreddedNames.of(group)
        val metadata = group.metadata match {
          case Some(_) =>
            new VariantMetadata.Shared(assembled.getChild(0), () => false, names, context)
          case None => new GatheredMetadata(names, context)
        }
        val first = group.metadata.size
        val root = VariantShape.vectors(group.root, assembled, first, objects)
        val vector = new VariantColumnVector(group, metadata, nulls, root, context)
        variants += vector -> assembled
        vector
    }

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = {
    super.startRowGroup(rowGroup)
    variants.foreach(_._1.startRowGroup())
  }

  override def readBatch(rows: Int): Unit = {
    super.readBatch(rows)
    variants.foreach { case (vector, assembled) =>
      vector.startBatch(assembled.getElementsAppended)
    }
  }
}

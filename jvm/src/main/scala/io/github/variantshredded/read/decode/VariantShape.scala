package io.github.variantshredded.read.decode

import scala.collection.mutable

import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types._

/**
 * Describes Variant groups and shredded arrays as columns that Spark assembles. It is used below a
 * repetition, where Spark turns levels into offsets.
 */
private[read] object VariantShape {

  /**
   * Returns the group as a struct of those columns `metadata`, `value` and `typed_value` that
   * exist.
   */
  def group(variant: VariantGroup): ParquetColumn =
    position(variant.root, variant.metadata)

  private def position(node: VariantPosition, metadata: Option[VariantLeaf]): ParquetColumn = {
    val children = mutable.ArrayBuffer.empty[(String, ParquetColumn)]
    metadata.foreach(leaf => children += "metadata" -> binary(leaf))
    node.value.foreach(leaf => children += "value" -> binary(leaf))
    node.typedValue.toSeq.flatMap(_.branches).zipWithIndex.foreach { case (typed, i) =>
      children += s"typed_value$i" -> typedValue(typed)
    }
    struct(
      children.toSeq,
      node.levels.repetition,
      node.levels.definition,
      node.required,
      node.parquetPath
    )
  }

  /** Returns the list group of a shredded array. */
  def list(typed: TypedValue.ListGroup): ParquetColumn = {
    val element = position(typed.element, None)
    ParquetColumn(
      ArrayType(element.sparkType, containsNull = !typed.element.required),
      None,
      typed.levels.repetition,
      typed.levels.definition,
      typed.required,
      typed.parquetPath,
      Seq(element),
      None
    )
  }

  private def typedValue(typed: TypedValue): ParquetColumn = typed match {
    case primitive: TypedValue.Primitive =>
      val (dataType, descriptor) = LeafDecoding.typed(primitive)
      leaf(primitive.leaf, dataType, descriptor)
    case array: TypedValue.ListGroup => list(array)
    case obj: TypedValue.ObjectGroup =>
      struct(
        obj.names.zip(obj.fields).collect {
          case (name, field) if !field.isEmpty => name -> position(field, None)
        },
        obj.levels.repetition,
        obj.levels.definition,
        obj.required,
        obj.parquetPath
      )
    case _: TypedValue.OneOf => throw new IllegalStateException("each branch has its own column")
  }

  private def binary(variantLeaf: VariantLeaf): ParquetColumn = {
    val (dataType, descriptor) = LeafDecoding.binary(variantLeaf)
    leaf(variantLeaf, dataType, descriptor)
  }

  private def leaf(
      variantLeaf: VariantLeaf,
      dataType: DataType,
      descriptor: org.apache.parquet.column.ColumnDescriptor
  ): ParquetColumn =
    ParquetColumn(
      dataType,
      Some(descriptor),
      variantLeaf.maxRepetition,
      variantLeaf.maxDefinition,
      variantLeaf.required,
      descriptor.getPath.toIndexedSeq,
      Seq.empty,
      None
    )

  private def struct(
      children: Seq[(String, ParquetColumn)],
      repetition: Int,
      definition: Int,
      required: Boolean,
      path: Seq[String]
  ): ParquetColumn =
    ParquetColumn(
      StructType(children.map { case (name, child) =>
        StructField(name, child.sparkType, nullable = !child.required)
      }),
      None,
      repetition,
      definition,
      required,
      path,
      children.map(_._2),
      None
    )

  /**
   * Returns the vectors of a position from its assembled struct, whose children are in the order of
   * [[position]].
   *
   * @param struct
   *   the vector that Spark assembled for `node`
   * @param first
   *   index of the first child after `metadata`
   */
  def vectors(
      node: VariantPosition,
      struct: WritableColumnVector,
      first: Int,
      objects: ObjectNumbers
  ): PositionVectors = {
    var next = first
    def child(): WritableColumnVector = {
      val result = struct.getChild(next)
      next += 1
      result
    }
    val value = if (node.value.isDefined) new AssembledLeaf(child()) else null
    def branch(typedValue: TypedValue): TypedVectors = typedValue match {
      case primitive: TypedValue.Primitive =>
        new PrimitiveVectors(primitive, new AssembledLeaf(child()))
      case array: TypedValue.ListGroup => listVectors(array, child(), objects)
      case several: TypedValue.OneOf   =>
        new OneOfVectors(several.several.map(branch).toArray)
      case obj: TypedValue.ObjectGroup =>
        val group = child()
        val presence = new Presence.ByStruct(group)
        var ordinal = -1
        val fields = obj.fields.map { field =>
          if (field.isEmpty) new PositionVectors(field, null, null)
          else {
            ordinal += 1
            vectors(field, group.getChild(ordinal), 0, objects)
          }
        }
        objects.vectors(obj, fields, presence)
    }
    val typed = node.typedValue.map(branch)
    new PositionVectors(node, value, typed.orNull)
  }

  def listVectors(
      array: TypedValue.ListGroup,
      vector: WritableColumnVector,
      objects: ObjectNumbers
  ): ListVectors = {
    val element = vector.getChild(0)
    new ListVectors(
      vector,
      if (array.element.required) null else element,
      vectors(array.element, element, 0, objects)
    )
  }
}

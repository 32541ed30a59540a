package io.github.variantshredded.read.extract

import java.util.IdentityHashMap

import scala.collection.mutable

import io.github.variantshredded.read.decode.{
  AssembledColumn,
  BatchDecoding,
  DecoderSettings,
  FetchedRowGroup,
  FlatLeaf,
  LeafDecoding,
  LeafVector,
  ObjectNumbers,
  OneOfVectors,
  PositionVectors,
  Presence,
  PrimitiveVectors,
  TypedVectors,
  VariantShape
}
import io.github.variantshredded.read.demand.{DemandedLeaves, LevelSource, NullSource}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.position.CheckedValues
import io.github.variantshredded.read.rebuild.{GatheredMetadata, VariantMetadata, VariantNulls}
import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import io.github.variantshredded.spark.ParquetInternals
import org.apache.parquet.column.ColumnDescriptor
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.DataType

/**
 * Decodes the leaf columns of one Variant group that is not within a repeated group: all of them,
 * or those that a query needs.
 *
 * Leaf columns outside of arrays are decoded with one slot per row. To tell an empty object from a
 * missing one, the definition levels of one leaf column are read for each shredded object
 * ([[LevelPlan]]). Spark assembles arrays.
 *
 * @param demand
 *   the leaf columns to decode
 */
private[read] final class VariantGroupDecoder(
    demand: DemandedLeaves,
    settings: DecoderSettings,
    context: FileContext
) extends BatchDecoding {
  import demand.{decodeAs, names}

  /** Returns the group without the leaf columns that are not needed. */
  def group: VariantGroup = demand.group

  private val flatLeaves = mutable.LinkedHashMap.empty[Int, FlatLeaf]
  private val lists = mutable.LinkedHashMap.empty[Seq[String], AssembledColumn]
  private val objects = new ObjectNumbers
  private val checked = new IdentityHashMap[LeafVector, CheckedValues]

  private val metadataLeaf = group.metadata.map(binary)

  val root: PositionVectors = position(group.root)

  /** The metadata dictionaries of the rows. */
  val metadata: VariantMetadata = metadataLeaf match {
    case Some(leaf) =>
      new VariantMetadata.Shared(leaf.values, () => leaf.isSkipped, names, context)
    case None => new GatheredMetadata(names, context)
  }

  // Derives from definition levels in which rows the group is present.
  private val presence: Option[Presence] = demand.levels.nulls.collect {
    case NullSource.OfLevels(source) => presenceBy(source, group.levels.definition)
  }

  /** Says which Variants are SQL NULL; None if no reader asks for it. */
  val nulls: Option[VariantNulls] = demand.levels.nulls.map {
    case NullSource.NeverNull   => (_: Int) => false
    case NullSource.OfMetadata  => (slot: Int) => metadataLeaf.get.values.isNullAt(slot)
    case NullSource.OfLevels(_) => (slot: Int) => !presence.get.isPresent(slot)
  }

  /** Returns which residual values of a position were validated in this batch. */
  def checkedValues(node: PositionVectors): CheckedValues =
    checked.computeIfAbsent(node.valueColumn, _ => new CheckedValues)

  private def binary(leaf: VariantLeaf): FlatLeaf = {
    val (dataType, descriptor) = LeafDecoding.binary(leaf)
    flat(leaf, dataType, descriptor)
  }

  private def flat(leaf: VariantLeaf, dataType: DataType, descriptor: ColumnDescriptor) = {
    val hasLevels = demand.levels.leaves(leaf.index)
    val result = new FlatLeaf(leaf, dataType, descriptor, hasLevels, settings)
    flatLeaves(leaf.index) = result
    result
  }

  // Of an object with thousands of fields, a query may need a few.
  private def position(node: VariantPosition): PositionVectors =
    if (node.isEmpty) new PositionVectors(node, null, null) else decoded(node)

  private def decoded(node: VariantPosition): PositionVectors = {
    val value = node.value.map(binary)
    val typed = node.typedValue.toVector.flatMap(_.branches).map(this.typed) match {
      case Vector()    => null
      case Vector(one) => one
      case several     => new OneOfVectors(several.toArray)
    }
    new PositionVectors(node, value.orNull, typed)
  }

  private def typed(typedValue: TypedValue): TypedVectors =
    typedValue match {
      case primitive: TypedValue.Primitive =>
        val (dataType, descriptor) = LeafDecoding.typed(primitive)
        val wider = decodeAs.getOrElse(primitive.leaf.index, dataType)
        new PrimitiveVectors(primitive, flat(primitive.leaf, wider, descriptor))
      case array: TypedValue.ListGroup =>
        val shape = VariantShape.list(array)
        val column = new AssembledColumn(
          shape,
          shape.sparkType,
          java.util.Collections.emptySet(),
          null,
          isTopLevel = false,
          settings,
          _ => true
        )
        lists(array.parquetPath) = column
        VariantShape.listVectors(array, column.vector.asInstanceOf[WritableColumnVector], objects)
      case obj: TypedValue.ObjectGroup => objectGroup(obj)
      case _: TypedValue.OneOf         =>
        throw new IllegalStateException("each branch has its own columns")
    }

  private def objectGroup(obj: TypedValue.ObjectGroup): TypedVectors = {
    val fields = obj.fields.map(position)
    val presence =
      if (!demand.needsPresence(obj)) Presence.Unknown
      else {
        demand.levels.objects
          .get(obj.parquetPath)
          .fold[Presence](Presence.Always)(presenceBy(_, obj.levels.definition))
      }
    objects.vectors(obj, fields, presence)
  }

  private def presenceBy(source: LevelSource, definition: Int): Presence = source match {
    case LevelSource.OfLeaf(leaf) =>
      new Presence.ByLevels(flatLeaves(leaf.index).definitionLevels, definition)
    case LevelSource.OfList(list) =>
      val column = lists(list.parquetPath)
      new Presence.ByRepeatedLevels(
        ParquetInternals.repetitionLevels(column.columnHandle),
        ParquetInternals.definitionLevels(column.columnHandle),
        definition,
        settings.capacity
      )
  }

  override def startRowGroup(rowGroup: FetchedRowGroup): Unit = {
    flatLeaves.values.foreach { leaf =>
      // The pages of `metadata` may have been fetched only for the struct around the Variant, which
      // decodes them itself.
      val skipped = rowGroup.isSkipped(leaf.leaf.descriptor.getPath) ||
        (!demand.readsMetadata && metadataLeaf.contains(leaf))
      leaf.startRowGroup(if (skipped) null else rowGroup.pages)
    }
    lists.values.foreach(_.startRowGroup(rowGroup))
    metadata.startRowGroup()
  }

  override def readBatch(rows: Int): Unit = {
    flatLeaves.values.foreach(_.readBatch(rows))
    lists.values.foreach(_.readBatch(rows))
    presence.foreach(_.startBatch())
    checked.values.forEach(_.startBatch())
  }

  override def close(): Unit = {
    flatLeaves.values.foreach(_.close())
    lists.values.foreach(_.close())
  }
}

package io.github.variantshredded.read

import scala.collection.mutable

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
import org.apache.spark.sql.vectorized.ColumnVector

/**
 * A Variant at the top level of a file.
 *
 * Leaves outside of arrays are decoded flat, one slot a row; definition levels are read for one leaf
 * per shredded object, to tell an empty object from none. Arrays go through Spark's assembly.
 */
private[read] final class FlatVariantColumn(
    group: VariantGroup,
    settings: DecoderSettings,
    context: VariantContext
) extends OutputColumn {

  private val flatLeaves = mutable.ArrayBuffer.empty[FlatLeaf]
  private val lists = mutable.ArrayBuffer.empty[AssembledColumn]
  private val objects = new ObjectNumbers

  private val metadata = {
    val (dataType, descriptor) = LeafDecoding.untyped(group.metadata)
    flat(group.metadata, dataType, descriptor)
  }
  private val root = position(group.root)._1

  private val nulls: VariantNulls =
    if (group.required) (_: Int) => false
    else if (group.metadata.required) {
      // The group is null just where its required child is.
      val values = metadata.values
      (slot: Int) => values.isNullAt(slot)
    } else {
      val levels = metadata.definitionLevels
      val definition = group.levels.definition
      (slot: Int) => levels.getInt(slot) < definition
    }

  private val variants =
    new VariantColumnVector(group, metadata.values, nulls, root, ShreddedNames.of(group), context)

  override def vector: ColumnVector = variants

  private def flat(leaf: VariantLeaf, dataType: DataType, descriptor: ColumnDescriptor) = {
    val result = new FlatLeaf(leaf, dataType, descriptor, settings)
    flatLeaves += result
    result
  }

  /** The vectors of a position, and the leaf or list that knows the definition levels below it. */
  private def position(node: VariantPosition): (PositionVectors, Option[LevelSource]) = {
    val value = node.value.map { leaf =>
      val (dataType, descriptor) = LeafDecoding.untyped(leaf)
      flat(leaf, dataType, descriptor)
    }
    val (typed, typedLevels) = node.typedValue match {
      case None                                  => (null, None)
      case Some(primitive: TypedValue.Primitive) =>
        val (dataType, descriptor) = LeafDecoding.typed(primitive)
        val leaf = flat(primitive.leaf, dataType, descriptor)
        (new PrimitiveVectors(primitive, leaf), Some(new LevelSource.OfLeaf(leaf)))
      case Some(array: TypedValue.ListGroup) =>
        val column = new AssembledColumn(
          VariantShape.list(array),
          VariantShape.list(array).sparkType,
          java.util.Collections.emptySet(),
          null,
          isTopLevel = false,
          settings,
          _ => true
        )
        lists += column
        val vectors =
          VariantShape.listVectors(array, column.vector.asInstanceOf[WritableColumnVector], objects)
        (vectors, Some(new LevelSource.OfList(column)))
      case Some(obj: TypedValue.ObjectGroup) => objectGroup(obj)
    }
    // A residual is mostly all null, its levels one run: the cheapest to read.
    val levels = LevelSource.best(value.map(new LevelSource.OfLeaf(_)).toSeq ++ typedLevels)
    (new PositionVectors(node, value.orNull, typed), levels)
  }

  private def objectGroup(obj: TypedValue.ObjectGroup): (TypedVectors, Option[LevelSource]) = {
    val (fields, sources) = obj.fields.map(position).unzip
    // Every position has a leaf somewhere below it, so there is one.
    val source = LevelSource.best(sources.flatten).get
    val presence =
      if (obj.required) Presence.Always
      else source.presence(obj.levels.definition, settings.capacity)
    (objects.vectors(obj, fields, presence), Some(source))
  }

  /** Whether the chunk of a leaf need not be fetched where all of its values are null. */
  def skippableLeaves: Seq[VariantLeaf] =
    flatLeaves.toSeq
      .filter(leaf => !leaf.isNeededForLevels && (leaf.leaf ne group.metadata))
      .map(_.leaf)

  override def startRowGroup(rowGroup: RowGroup): Unit = {
    flatLeaves.foreach { leaf =>
      val skipped = rowGroup.isAllNull(leaf.leaf.descriptor.getPath)
      leaf.startRowGroup(if (skipped) null else rowGroup.pages)
    }
    lists.foreach(_.startRowGroup(rowGroup))
    variants.startRowGroup()
  }

  override def readBatch(rows: Int): Unit = {
    flatLeaves.foreach(_.readBatch(rows))
    lists.foreach(_.readBatch(rows))
    variants.startBatch(rows)
  }

  override def close(): Unit = {
    flatLeaves.foreach(_.close())
    lists.foreach(_.close())
  }
}

/** Something below a shredded object whose definition levels tell whether the object is there. */
private[read] sealed trait LevelSource {

  /** What reading its levels costs more: 0 where they are read anyway. */
  def cost: Int

  def presence(definition: Int, capacity: Int): Presence
}

private[read] object LevelSource {

  /** The cheapest, and among those the first. */
  def best(sources: Seq[LevelSource]): Option[LevelSource] = sources.minByOption(_.cost)

  final class OfLeaf(leaf: FlatLeaf) extends LevelSource {
    override def cost: Int = if (leaf.isNeededForLevels) 0 else 1

    override def presence(definition: Int, capacity: Int): Presence =
      new Presence.ByLevels(leaf.definitionLevels, definition)
  }

  final class OfList(list: AssembledColumn) extends LevelSource {
    override def cost: Int = 2

    override def presence(definition: Int, capacity: Int): Presence =
      new Presence.ByRepeatedLevels(
        ParquetInternals.repetitionLevels(list.columnHandle),
        ParquetInternals.definitionLevels(list.columnHandle),
        definition,
        capacity
      )
  }
}

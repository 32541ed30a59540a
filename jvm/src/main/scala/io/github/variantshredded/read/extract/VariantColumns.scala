package io.github.variantshredded.read.extract

import scala.collection.mutable

import io.github.variantshredded.read.decode.{
  AssembledColumn,
  DecoderSettings,
  FlatLeaf,
  LeafDecoding,
  ObjectNumbers,
  OneOfVectors,
  PositionVectors,
  Presence,
  PrimitiveVectors,
  RowGroup,
  TypedVectors,
  VariantShape
}
import io.github.variantshredded.read.demand.DemandedLeaves
import io.github.variantshredded.read.options.VariantContext
import io.github.variantshredded.read.rebuild.{
  GatheredMetadata,
  RowMetadata,
  VariantColumnVector,
  VariantNulls
}
import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.DataType

/**
 * Decodes the leaf columns of one Variant group that is not within a repeated group: all of them,
 * or those that a query needs.
 *
 * Leaf columns outside of arrays are decoded with one slot per row. To tell an empty object from a
 * missing one, the definition levels of one leaf column are read for each shredded object. Spark
 * assembles arrays.
 *
 * @param demand
 *   the leaf columns to decode
 */
private[read] final class VariantColumns(
    demand: DemandedLeaves,
    settings: DecoderSettings,
    context: VariantContext
) {
  import demand.{decodeAs, names, needsMetadata, needsPresence}

  /** Returns the group without the leaf columns that are not needed. */
  def group: VariantGroup = demand.group

  private val flatLeaves = mutable.ArrayBuffer.empty[FlatLeaf]
  private val residuals = mutable.ArrayBuffer.empty[VariantLeaf]
  private val lists = mutable.ArrayBuffer.empty[AssembledColumn]
  private val listLeaves = mutable.ArrayBuffer.empty[VariantLeaf]
  private val objects = new ObjectNumbers

  private val metadataLeaf = group.metadata.map { leaf =>
    val (dataType, descriptor) = LeafDecoding.untyped(leaf)
    flat(leaf, dataType, descriptor)
  }

  private val (rootVectors, rootLevels) = position(group.root)

  def root: PositionVectors = rootVectors

  /** The metadata dictionaries of the rows. */
  val metadata: RowMetadata = metadataLeaf match {
    case Some(leaf) =>
      new RowMetadata.Shared(leaf.values, () => leaf.isSkipped, names, context)
    case None => new GatheredMetadata(names, context)
  }

  // Derives from definition levels in which rows the group is present.
  private var presence: Presence = Presence.Always

  /**
   * Says which Variants are SQL NULL. Must be requested before the first row group, because it may
   * need definition levels.
   */
  lazy val nulls: VariantNulls =
    if (group.required) (_: Int) => false
    else {
      metadataLeaf match {
        case Some(leaf) if needsMetadata && leaf.leaf.required =>
          // The group is null exactly where its required child is null.
          (slot: Int) => leaf.values.isNullAt(slot)
        case _ =>
          val others = flatLeaves.filterNot(leaf => !needsMetadata && metadataLeaf.contains(leaf))
          val sources = others.map(new LevelSource.OfLeaf(_)) ++ rootLevels
          presence = LevelSource
            .best(sources.toSeq)
            .get
            .presence(group.levels.definition, settings.capacity)
          (slot: Int) => !presence.isPresent(slot)
      }
    }

  /** Returns the rebuilt Variants. */
  def whole(context: VariantContext): VariantColumnVector =
    new VariantColumnVector(group, metadata, nulls, root, context)

  /** Returns the leaf columns to fetch. */
  def leaves: Seq[VariantLeaf] = {
    val all = flatLeaves.map(_.leaf).toSeq ++ listLeaves
    if (readsMetadata) all else all.filterNot(group.metadata.contains(_))
  }

  private def readsMetadata: Boolean = needsMetadata || residuals.nonEmpty

  /**
   * Returns the leaf columns that need not be fetched from a row group in which the leaf columns of
   * `allNull` are all null.
   */
  def skipped(allNull: VariantLeaf => Boolean): Seq[VariantLeaf] = {
    val empty = flatLeaves.toSeq
      .filter { leaf =>
        !leaf.isNeededForLevels && !metadataLeaf.contains(leaf) && allNull(leaf.leaf)
      }
      .map(_.leaf)
    val metadataUsed = needsMetadata || metadataLeaf.exists(_.isNeededForLevels) ||
      residuals.exists(!allNull(_))
    if (metadataUsed) empty else empty ++ group.metadata
  }

  private def flat(leaf: VariantLeaf, dataType: DataType, descriptor: ColumnDescriptor) = {
    val result = new FlatLeaf(leaf, dataType, descriptor, settings)
    flatLeaves += result
    result
  }

  /**
   * Returns the vectors of a position, and a leaf column or list below it from which definition
   * levels can be read.
   */
  private def position(node: VariantPosition): (PositionVectors, Option[LevelSource]) = {
    val value = node.value.map { leaf =>
      residuals += leaf
      val (dataType, descriptor) = LeafDecoding.untyped(leaf)
      flat(leaf, dataType, descriptor)
    }
    val typed = node.typedValue.toVector.flatMap(_.branches).map(this.typed)
    val vectors = typed match {
      case Vector()         => null
      case Vector((one, _)) => one
      case several          => new OneOfVectors(several.map(_._1).toArray)
    }
    // A residual column is usually all null. Its definition levels are then a single run, which is
    // cheapest to read.
    val levels = LevelSource.best(value.map(new LevelSource.OfLeaf(_)).toSeq ++ typed.flatMap(_._2))
    (new PositionVectors(node, value.orNull, vectors), levels)
  }

  private def typed(typedValue: TypedValue): (TypedVectors, Option[LevelSource]) =
    typedValue match {
      case primitive: TypedValue.Primitive =>
        val (dataType, descriptor) = LeafDecoding.typed(primitive)
        val wider = decodeAs.getOrElse(primitive.leaf.index, dataType)
        val leaf = flat(primitive.leaf, wider, descriptor)
        (new PrimitiveVectors(primitive, leaf), Some(new LevelSource.OfLeaf(leaf)))
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
        lists += column
        listLeaves ++= array.leaves
        residuals ++= array.residuals
        val vectors =
          VariantShape.listVectors(array, column.vector.asInstanceOf[WritableColumnVector], objects)
        (vectors, Some(new LevelSource.OfList(column)))
      case obj: TypedValue.ObjectGroup => objectGroup(obj)
      case _: TypedValue.OneOf         =>
        throw new IllegalStateException("each branch has its own columns")
    }

  private def objectGroup(obj: TypedValue.ObjectGroup): (TypedVectors, Option[LevelSource]) = {
    val (fields, sources) = obj.fields.map(position).unzip
    // Every group in the tree has at least one leaf column below it.
    val source = LevelSource.best(sources.flatten).get
    val presence =
      if (!needsPresence(obj)) Presence.Unknown
      // At definition level 0, the object and everything around it are required.
      else if (obj.levels.definition == 0) Presence.Always
      else source.presence(obj.levels.definition, settings.capacity)
    (objects.vectors(obj, fields, presence), Some(source))
  }

  def startRowGroup(rowGroup: RowGroup): Unit = {
    flatLeaves.foreach { leaf =>
      // The pages of `metadata` may have been fetched only for the struct around the Variant, which
      // decodes them itself.
      val skipped = rowGroup.isSkipped(leaf.leaf.descriptor.getPath) ||
        (!readsMetadata && metadataLeaf.contains(leaf))
      leaf.startRowGroup(if (skipped) null else rowGroup.pages)
    }
    lists.foreach(_.startRowGroup(rowGroup))
    metadata.startRowGroup()
  }

  def readBatch(rows: Int): Unit = {
    flatLeaves.foreach(_.readBatch(rows))
    lists.foreach(_.readBatch(rows))
    presence.startBatch()
  }

  def close(): Unit = {
    flatLeaves.foreach(_.close())
    lists.foreach(_.close())
  }
}

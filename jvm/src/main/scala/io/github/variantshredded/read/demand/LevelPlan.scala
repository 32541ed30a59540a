package io.github.variantshredded.read.demand

import scala.collection.mutable

import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}

/**
 * Says where a reader finds out in which rows the groups of a Variant are present.
 *
 * @param objects
 *   the source for each shredded object outside of lists whose presence is needed, by the Parquet
 *   path of the object. Objects that are present in every row are not included.
 * @param nulls
 *   how to tell which Variants are SQL NULL; None if it is not needed
 */
private[read] final case class LevelPlan(
    objects: Map[Seq[String], LevelSource],
    nulls: Option[NullSource]
) {

  /** Indexes of the leaf columns whose definition levels are decoded. */
  val leaves: Set[Int] = {
    val ofNulls = nulls.collect { case NullSource.OfLevels(source) => source }
    (objects.values ++ ofNulls).collect { case LevelSource.OfLeaf(leaf) => leaf.index }.toSet
  }
}

private[read] object LevelPlan {

  /**
   * Chooses the sources. Levels of a leaf column whose levels are decoded in any case cost nothing.
   * Next come residual columns: they are usually all null, so that their levels are a single run.
   *
   * @param group
   *   the group without the leaf columns that are not read
   * @param needsPresence
   *   the shredded objects whose presence is needed
   * @param needsNulls
   *   whether it is needed which Variants are SQL NULL
   * @param needsMetadata
   *   whether `metadata` is read in every row group
   */
  def of(
      group: VariantGroup,
      needsPresence: TypedValue.ObjectGroup => Boolean,
      needsNulls: Boolean,
      needsMetadata: Boolean
  ): LevelPlan = {
    val choice = new Choice(needsPresence)
    val root = choice.position(group.root)
    val nulls = Option.when(needsNulls) {
      // At definition level 0, everything around the group is required too.
      if (group.levels.definition == 0) NullSource.NeverNull
      else if (needsMetadata && group.metadata.exists(_.required)) NullSource.OfMetadata
      else {
        val metadata = group.metadata.filter(_ => needsMetadata)
        val flat = (metadata ++ flatLeaves(group.root)).map(LevelSource.OfLeaf(_))
        NullSource.OfLevels(choice.best(flat.toSeq ++ root).get)
      }
    }
    LevelPlan(choice.objects.toMap, nulls)
  }

  /** Returns the leaf columns of a position that are not in a list, in the order of the file. */
  def flatLeaves(node: VariantPosition): Seq[VariantLeaf] =
    node.value.toSeq ++ node.typedValue.toSeq.flatMap(_.branches).flatMap {
      case TypedValue.Primitive(leaf, _)                 => Seq(leaf)
      case obj: TypedValue.ObjectGroup                   => obj.fields.flatMap(flatLeaves)
      case _: TypedValue.ListGroup | _: TypedValue.OneOf => Nil
    }

  /** Returns the lists of a position that are not in another list. */
  def outerLists(node: VariantPosition): Seq[TypedValue.ListGroup] =
    node.typedValue.toSeq.flatMap(_.branches).flatMap {
      case list: TypedValue.ListGroup                    => Seq(list)
      case obj: TypedValue.ObjectGroup                   => obj.fields.flatMap(outerLists)
      case _: TypedValue.Primitive | _: TypedValue.OneOf => Nil
    }

  private final class Choice(needsPresence: TypedValue.ObjectGroup => Boolean) {
    val objects = mutable.Map.empty[Seq[String], LevelSource]
    private val decoded = mutable.Set.empty[Int]

    /** Returns the source with the lowest cost, the first if there are several. */
    def best(sources: Seq[LevelSource]): Option[LevelSource] = sources.minByOption {
      case LevelSource.OfLeaf(leaf) => if (decoded(leaf.index)) 0 else 1
      case _: LevelSource.OfList    => 2
    }

    /** Chooses for the objects of a position, and returns a source below the position. */
    def position(node: VariantPosition): Option[LevelSource] = {
      val typed = node.typedValue.toVector.flatMap(_.branches).map(this.typed)
      best(node.value.map(LevelSource.OfLeaf(_)).toSeq ++ typed)
    }

    private def typed(typedValue: TypedValue): LevelSource = typedValue match {
      case primitive: TypedValue.Primitive => LevelSource.OfLeaf(primitive.leaf)
      case list: TypedValue.ListGroup      => LevelSource.OfList(list)
      case obj: TypedValue.ObjectGroup     =>
        // Every group in the tree has at least one leaf column below it.
        val source = best(obj.fields.flatMap(position)).get
        // At definition level 0, the object and everything around it are required.
        if (needsPresence(obj) && obj.levels.definition > 0) {
          objects(obj.parquetPath) = source
          source match {
            case LevelSource.OfLeaf(leaf) => decoded += leaf.index
            case _: LevelSource.OfList    => ()
          }
        }
        source
      case _: TypedValue.OneOf =>
        throw new IllegalStateException("each branch has its own columns")
    }
  }
}

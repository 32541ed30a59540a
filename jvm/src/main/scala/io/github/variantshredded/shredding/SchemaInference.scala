package io.github.variantshredded.shredding

import java.nio.charset.StandardCharsets

import io.github.variantshredded.shredding.ColumnBudget._
import io.github.variantshredded.shredding.ShreddingSchema._

/**
 * Chooses the shredding schemas of one file from the statistics of its sample.
 *
 * The choice depends only on the rows of the sample (not on their order), on the limits and on the
 * user's requests: the same data give the same schema on every machine. docs/shredding.md contains
 * the contract, rule by rule.
 */
object SchemaInference {

  /** Returns the shredding schemas of `columns`, in their order. */
  def infer(columns: Seq[ColumnStatistics], limits: InferenceLimits): Seq[ShreddingSchema] = {
    val budget = new ColumnBudget
    val roots = columns.zipWithIndex.map { case (column, i) =>
      new ColumnInference(column, limits, i, budget).root
    }
    budget.spend(limits.columns)
    columns.zip(roots).map { case (column, root) =>
      column.choice.current.filter(_ => column.rows == 0) match {
        case Some(current) => requested(current, column.choice.wanted)
        case None          => root.schema
      }
    }
  }

  /** Returns a schema with what the user requests of its paths, without a look at data. */
  private def requested(schema: ShreddingSchema, asked: PathChoice): ShreddingSchema =
    (asked.verdict, schema) match {
      case (PathVerdict.Pin(pinned), _)                    => pinned
      case (PathVerdict.Exclude, _)                        => Unshredded
      case (_, ObjectOf(fields))                           => withFields(fields, asked)
      case (_, ArrayOf(element)) if asked.element.nonEmpty => withElement(element, asked)
      case _ if asked.forcesFields                         => withFields(Vector.empty, asked)
      case _ if asked.forcesElement                        => withElement(Unshredded, asked)
      case _                                               => schema
    }

  private def withFields(
      fields: Vector[(String, ShreddingSchema)],
      asked: PathChoice
  ): ShreddingSchema = {
    val present = fields.map(_._1).toSet
    val added = asked.fields.toSeq.collect {
      case (name, field) if field.forces && !present(name) => name -> Unshredded
    }
    val all = (fields ++ added)
      .filterNot { case (name, _) => asked.field(name).verdict == PathVerdict.Exclude }
      .map { case (name, field) => name -> requested(field, asked.field(name)) }
      .sortBy(_._1.getBytes(StandardCharsets.UTF_8))(ByBytes)
    if (all.isEmpty) Unshredded else ObjectOf(all)
  }

  private def withElement(element: ShreddingSchema, asked: PathChoice): ShreddingSchema =
    if (asked.elements.verdict == PathVerdict.Exclude) Unshredded
    else ArrayOf(requested(element, asked.elements))

  /** Finds the candidates of one column. */
  private final class ColumnInference(
      column: ColumnStatistics,
      limits: InferenceLimits,
      index: Int,
      budget: ColumnBudget
  ) {
    val root: Position =
      new Position(None, Array.emptyByteArray, cost = 0, isField = false)

    locally {
      val current = column.choice.current
      val asked = column.choice.wanted
      if (asked.verdict != PathVerdict.Exclude)
        decide(root, Some(column.root), asked, current, isCurrent = current.isDefined)
    }

    /**
     * Sets the shape of a position, and adds the candidates at and below it to the budget.
     *
     * @param path
     *   the statistics of the path; None if the path does not occur and is only requested
     * @param isCurrent
     *   whether the existing files have the position
     * @return
     *   whether there is a candidate
     */
    private def decide(
        position: Position,
        path: Option[PathStatistics],
        asked: PathChoice,
        current: Option[ShreddingSchema],
        isCurrent: Boolean
    ): Boolean = {
      val rank = asked.verdict match {
        case PathVerdict.Pin(_)  => Rank.Pinned
        case PathVerdict.Include => Rank.Included
        case _ if isCurrent      => Rank.Current
        case _                   => Rank.Free
      }
      def leaf(schema: ShreddingSchema, ownCost: Int): Boolean = {
        position.shape = Shape.Leaf(schema)
        val benefit = path.fold(0L)(_.weight)
        budget.add(new Candidate(rank, benefit, index, position, ownCost))
        true
      }
      def residualOnly(): Boolean =
        (position.isField || rank <= Rank.Included) && leaf(Unshredded, 0)
      // An included path is shredded even if the budget has no columns for its fields or elements.
      def container(found: Boolean): Boolean = {
        if (found && rank == Rank.Included)
          budget.add(new Candidate(rank, path.fold(0L)(_.weight), index, position, cost = 0))
        found || residualOnly()
      }
      def fields(current: Map[String, ShreddingSchema]): Boolean =
        container(decideFields(position, path, asked, current))
      def elements(current: Option[ShreddingSchema]): Boolean =
        container(decideElement(position, path, asked, current))

      (asked.verdict, current, path) match {
        case (PathVerdict.Pin(schema), _, _) => leaf(schema, columnsOf(schema))
        case _ if asked.forcesFields         => fields(fieldsOf(current))
        case _ if asked.forcesElement        => elements(elementOf(current))
        case (_, Some(Primitive(kept)), Some(seen)) if holds(seen, kept) =>
          leaf(Primitive(kept), 1)
        case (_, Some(ObjectOf(_)), Some(seen))
            if seen.types.objects >= limits.objectShare * seen.values =>
          fields(fieldsOf(current))
        case (_, Some(ArrayOf(_)), Some(seen))
            if seen.types.arrays >= limits.typeShare * seen.values =>
          elements(elementOf(current))
        case (_, _, None)       => residualOnly()
        case (_, _, Some(seen)) =>
          seen.types.dominant(limits) match {
            case DominantType.Scalar(shreddedType) => leaf(Primitive(shreddedType), 1)
            case DominantType.Object               => fields(Map.empty)
            case DominantType.Array                => elements(None)
            case DominantType.Mixed                => residualOnly()
          }
      }
    }

    private def holds(seen: PathStatistics, shreddedType: ShreddedType): Boolean =
      seen.types.held(shreddedType) >= limits.typeShare * seen.values

    private def decideFields(
        position: Position,
        path: Option[PathStatistics],
        asked: PathChoice,
        current: Map[String, ShreddingSchema]
    ): Boolean = {
      val seen = path.toSeq
        .flatMap(parent => parent.children.take(parent.childCount))
        .map(child => column.nameOf(child) -> child)
        .toMap
      val forced = asked.fields.collect { case (name, field) if field.forces => name }
      val leastOfMap = path.filter(isMap).fold(0.0)(_.types.objects * InferenceLimits.MapFieldShare)
      def isFrequent(name: String, child: PathStatistics) = {
        val part = if (current.contains(name)) InferenceLimits.RetainedPart else 1.0
        child.rows >= column.leastRows(limits.frequency * part, child) &&
        child.values >= leastOfMap * part
      }
      val wanted = forced ++ seen.collect { case (name, child) if isFrequent(name, child) => name }
      val chosen = wanted.toSeq.distinct
        .filter(asked.field(_).verdict != PathVerdict.Exclude)
        .flatMap { name =>
          val field =
            new Position(Some(position), name.getBytes(StandardCharsets.UTF_8), 1, isField = true)
          val here = current.get(name)
          val found = decide(field, seen.get(name), asked.field(name), here, here.isDefined)
          Option.when(found)(name -> field)
        }
      position.shape = Shape.Object(chosen)
      chosen.nonEmpty
    }

    // Elements without a type are better stored together in the `value` of the array.
    private def decideElement(
        position: Position,
        path: Option[PathStatistics],
        asked: PathChoice,
        current: Option[ShreddingSchema]
    ): Boolean = {
      val element = new Position(Some(position), Array.emptyByteArray, cost = 1, isField = false)
      val seen = path.flatMap(array => Option(array.element))
      val isTyped = asked.forcesElement || current.isDefined || seen.exists { elements =>
        elements.types.dominant(limits) != DominantType.Mixed
      }
      position.shape = Shape.Array(element)
      isTyped && asked.elements.verdict != PathVerdict.Exclude &&
      decide(element, seen, asked.elements, current, current.isDefined)
    }

    private def isMap(path: PathStatistics): Boolean = {
      val names = Option(path.names).fold(path.metChildren.toDouble)(_.estimate)
      names > limits.mapKeys
    }

    private def fieldsOf(schema: Option[ShreddingSchema]): Map[String, ShreddingSchema] =
      schema match {
        case Some(ObjectOf(fields)) => fields.toMap
        case _                      => Map.empty
      }

    private def elementOf(schema: Option[ShreddingSchema]): Option[ShreddingSchema] =
      schema match {
        case Some(ArrayOf(element)) => Some(element)
        case _                      => None
      }
  }

  /** Returns the number of columns that a schema adds to the `value` of its position. */
  def columnsOf(schema: ShreddingSchema): Int = schema match {
    case Unshredded       => 0
    case Primitive(_)     => 1
    case ArrayOf(element) => 1 + columnsOf(element)
    case ObjectOf(fields) => fields.map { case (_, field) => 1 + columnsOf(field) }.sum
  }

  /** Returns the number of columns that the cheapest part of a schema adds. */
  def leastColumnsOf(schema: ShreddingSchema): Int = schema match {
    case ArrayOf(element) => 1 + leastColumnsOf(element)
    case ObjectOf(fields) => 1 + fields.map { case (_, field) => leastColumnsOf(field) }.min
    case leaf             => columnsOf(leaf)
  }
}

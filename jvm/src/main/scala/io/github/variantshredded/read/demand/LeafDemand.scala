package io.github.variantshredded.read.demand

import scala.collection.mutable

import io.github.variantshredded.extraction.{ExtractionResult, PathStep}
import io.github.variantshredded.extraction.PathStep.{Element, Field}
import io.github.variantshredded.read.footer.LeafChunks
import io.github.variantshredded.read.options.VariantRules
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{
  Layout,
  ShreddedNames,
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.spark.sql.types._

/**
 * Collects which leaf columns of one Variant group a query needs.
 *
 * A shredded field is read from its own columns only. If the object around it is present, the
 * object's residual value cannot hold the field. If it is not, the residual value is not an object
 * (section "Objects" of the Parquet shredding specification). `validation=permissive` reads files that
 * break this rule, and so it reads these residual values too (`searchesAncestors`).
 *
 * Leaf columns of repeated groups that are all null in the whole file are treated as missing.
 * (Other leaf columns are left out for single row groups.)
 *
 * @param chunks
 *   sizes and null counts of the leaf columns
 */
private[read] final class LeafDemand(
    group: VariantGroup,
    rules: VariantRules,
    chunks: LeafChunks
) {
  import rules.searchesAncestors

  private val needed = mutable.Set.empty[Int]
  // How many requests use the values of each leaf column.
  private val uses = mutable.Map.empty[Int, Int].withDefaultValue(0)
  private val wider = mutable.Map.empty[Int, DataType]
  private val levelsWanted = mutable.ArrayBuffer.empty[Seq[VariantLeaf]]
  private val presences = mutable.Set.empty[Seq[String]]
  private var metadataAlways = false
  // Whether a leaf column must tell in which rows the Variant is present.
  private var rootPresence = false
  // Whether it is asked which Variants are SQL NULL.
  private var needsNulls = false

  // Whether a value may be in both columns of a position. `typed_value` counts then.
  private val readsBoth = !rules.strict

  // What the current request may see (see LeafView).
  private val used = mutable.Set.empty[Int]
  private val seen = mutable.Set.empty[Int]
  private val groups = mutable.Set.empty[Seq[String]]

  /** Requests the whole Variant. */
  def whole(): Unit = {
    asking(all(group.root))
    metadataAlways = true
    rootPresence = true
    needsNulls = true
  }

  /** Requests an extraction. Returns the leaf columns that it may see. */
  def extraction(path: Seq[PathStep], what: ExtractionResult): LeafView = {
    asking(locate(group.root, path.toList, what, isField = false))
    new LeafView(seen.toSet ++ used, groups.toSet)
  }

  private def asking(ask: => Unit): Unit = {
    used.clear()
    seen.clear()
    groups.clear()
    ask
    used.foreach(leaf => uses(leaf) += 1)
  }

  /** Returns the leaf columns that all requests so far need. */
  def result: DemandedLeaves = {
    // Any leaf column below a group shows where the group is present. If none is needed in any
    // case, the smallest one is added.
    levelsWanted.foreach { leaves =>
      if (!leaves.exists(isNeeded)) needed += leaves.minBy(chunks.size).index
    }
    if (rootPresence && group.levels.definition > 0) {
      val flat = group.leaves.toSeq.filter(_.maxRepetition == group.levels.repetition)
      val telling = if (flat.nonEmpty) flat else group.leaves.toSeq
      if (!telling.exists(isNeeded)) needed += telling.minBy(chunks.size).index
    }
    val pruned = new VariantGroup(
      group.column,
      group.parquetPath,
      group.levels,
      group.required,
      group.metadata,
      prune(group.root),
      group.leaves
    )
    val needsMetadata = metadataAlways || group.metadata.exists(isNeeded)
    val wanted = presences.toSet
    // If ancestors are searched, the Variant may have to be rebuilt from all of its objects. The
    // function is kept longer than this object, which refers to a footer.
    val needsAll = searchesAncestors
    val needsPresence = (obj: TypedValue.ObjectGroup) => needsAll || wanted(obj.parquetPath)
    new DemandedLeaves(
      pruned,
      ShreddedNames.of(group),
      needsMetadata,
      needsPresence,
      LevelPlan.of(pruned, needsPresence, needsNulls, needsMetadata),
      // A leaf column that several requests use is decoded in its stored type.
      wider.filter { case (leaf, _) => uses(leaf) == 1 }.toMap
    )
  }

  private def widen(node: VariantPosition, target: DataType): Unit = node.typedValue match {
    case Some(TypedValue.Primitive(leaf, stored)) if leaf.maxRepetition == 0 =>
      (stored, target) match {
        case (ShreddedType.Int32, LongType | DoubleType) => wider(leaf.index) = target
        case (ShreddedType.FloatType, DoubleType)        => wider(leaf.index) = target
        case _                                           => ()
      }
    case _ => ()
  }

  private def isNeeded(leaf: VariantLeaf): Boolean = needed(leaf.index)

  private def prune(node: VariantPosition): VariantPosition = {
    val branches = node.typedValue.toVector.flatMap(_.branches)
    node.only(
      node.value.filter(isNeeded),
      TypedValue.of(branches.filter(_.leaves.exists(isNeeded)).map(prune))
    )
  }

  private def prune(branch: TypedValue): TypedValue = branch match {
    case list: TypedValue.ListGroup  => list.copy(element = prune(list.element))
    case obj: TypedValue.ObjectGroup => obj.copy(fields = obj.fields.map(prune))
    case other @ (_: TypedValue.Primitive | _: TypedValue.OneOf) => other
  }

  private def need(leaf: VariantLeaf): Unit =
    if (leaf.maxRepetition == 0 || !chunks.isAllNull(leaf)) {
      needed += leaf.index
      used += leaf.index
    }

  private def all(node: VariantPosition): Unit = {
    node.value.foreach(need)
    node.typedValue.foreach(all)
  }

  private def all(typed: TypedValue): Unit = typed match {
    case primitive: TypedValue.Primitive => need(primitive.leaf)
    case list: TypedValue.ListGroup      =>
      presence(list)
      all(list.element)
    case obj: TypedValue.ObjectGroup =>
      presence(obj)
      obj.fields.foreach(all)
    case TypedValue.OneOf(several) => several.foreach(all)
  }

  /**
   * Requests a Variant value that is rebuilt: all of its leaf columns, and the metadata if it has
   * fields.
   */
  private def rebuilt(node: VariantPosition): Unit = {
    all(node)
    if (hasObject(node)) metadataAlways = true
  }

  private def hasObject(node: VariantPosition): Boolean = node.typedValue.exists { typed =>
    typed.asObject.isDefined || typed.asList.exists(list => hasObject(list.element))
  }

  private def locate(
      node: VariantPosition,
      path: List[PathStep],
      what: ExtractionResult,
      isField: Boolean
  ): Unit = path match {
    case Nil          => value(node, what, isField)
    case step :: rest =>
      val below = LeafDemand.below(node, step)
      if (below.isEmpty || searchesAncestors) node.value.foreach(need)
      // If a residual value holds the next object of the path, the Variant is rebuilt.
      if (searchesAncestors) {
        metadataAlways = true
        rootPresence = true
        needsNulls = true
        node.typedValue.foreach(presence)
      }
      below.foreach { node =>
        if (rest.isEmpty && step.isInstanceOf[Element]) {
          check(node)
          if (isOfVariant(what)) levelsWanted += node.leaves
        }
        locate(node, rest, what, isField = step.isInstanceOf[Field])
      }
  }

  // The result for an element whose columns are all null, a Variant null, is not that for an
  // element that does not exist.
  private def isOfVariant(what: ExtractionResult): Boolean = what match {
    case ExtractionResult.Value(target, _, _, _) => target == VariantType
    case _: ExtractionResult.Flag                => true
  }

  /** Requests what tells of an element whether it has a value: Spark's reader raises an error. */
  private def check(element: VariantPosition): Unit = if (rules.asSpark) {
    element.value.foreach(need)
    element.typedValue.foreach(presence)
    levelsWanted += element.leaves
  }

  private def value(node: VariantPosition, what: ExtractionResult, isField: Boolean): Unit =
    what match {
      case ExtractionResult.IsPresent if node eq group.root =>
        rootPresence = true
        needsNulls = true
      case ExtractionResult.IsPresent =>
        node.value.foreach(need)
        node.typedValue.foreach(presence)
      case ExtractionResult.IsVariantNull =>
        node.value.foreach(need)
        if (!isField || readsBoth) node.typedValue.foreach(presence)
        // A required value that is missing is a Variant null.
        if (!isField) {
          rootPresence = true
          if (node eq group.root) needsNulls = true
        }
      case ExtractionResult.Value(target, failOnError, _, _) =>
        if (node eq group.root) {
          rootPresence = true
          if (target == VariantType) needsNulls = true
        }
        if (!searchesAncestors) widen(node, target)
        cast(node, target, failOnError)
    }

  private def presence(typedValue: TypedValue): Unit = typedValue.branches.foreach { typed =>
    levelsWanted += typed.leaves
    typed match {
      case obj: TypedValue.ObjectGroup =>
        presences += obj.parquetPath
        groups += obj.parquetPath
      case list: TypedValue.ListGroup => groups += list.parquetPath
      // Nulls are visible in whatever type the leaf column is decoded as.
      case primitive: TypedValue.Primitive => seen += primitive.leaf.index
      case _: TypedValue.OneOf             => ()
    }
  }

  private def cast(node: VariantPosition, target: DataType, failOnError: Boolean): Unit = {
    // The message of a failed cast contains the value, so it is rebuilt.
    def otherwise(): Unit =
      if (failOnError) rebuilt(node)
      else {
        node.value.foreach(need)
        if (readsBoth) node.typedValue.foreach(presence)
      }
    (target, node.typedValue) match {
      case (VariantType | _: MapType, _) | (_, Some(_: TypedValue.OneOf)) => rebuilt(node)
      case (_: StringType, Some(_: TypedValue.ObjectGroup | _: TypedValue.ListGroup)) =>
        rebuilt(node)
      case (ArrayType(element, _), Some(list: TypedValue.ListGroup)) =>
        node.value.foreach(need)
        // If an element group is null, the array is rebuilt.
        if (!list.element.required && hasObject(list.element)) metadataAlways = true
        presence(list)
        check(list.element)
        cast(list.element, element, failOnError)
      case (struct: StructType, Some(_: TypedValue.ObjectGroup)) if !LeafDemand.isUnique(struct) =>
        rebuilt(node)
      case (struct: StructType, Some(obj: TypedValue.ObjectGroup)) =>
        val shredded = obj.names.zip(obj.fields).toMap
        // The residual value may be an object although the shredded one is null: the layout overview
        // allows it.
        val mayBeObject = readsBoth || node.layout == Layout.Overview
        if (mayBeObject || failOnError || struct.exists(f => !shredded.contains(f.name))) {
          node.value.foreach(need)
        }
        if (searchesAncestors) metadataAlways = true
        presence(obj)
        struct.foreach(f => shredded.get(f.name).foreach(cast(_, f.dataType, failOnError)))
      case (_: ArrayType | _: StructType, None) => node.value.foreach(need)
      // Spark's cast fails for the values.
      case (_: ArrayType | _: StructType, Some(TypedValue.Primitive(_, stored)))
          if !stored.isOfSpark =>
        rebuilt(node)
      case (_: ArrayType | _: StructType, Some(_)) => otherwise()
      case (_, Some(_: TypedValue.Primitive))      => all(node)
      case (_, None)                               => node.value.foreach(need)
      case (_, Some(_))                            => otherwise()
    }
  }
}

private[read] object LeafDemand {

  /** Returns the position to which one step of a path leads, if it is shredded. */
  def below(node: VariantPosition, step: PathStep): Option[VariantPosition] =
    step match {
      case Field(name) => node.typedValue.flatMap(_.asObject).flatMap(field(_, name))
      case _: Element  => node.typedValue.flatMap(_.asList).map(_.element)
    }

  /** Returns the position of a field, if it is shredded. */
  def field(obj: TypedValue.ObjectGroup, name: String): Option[VariantPosition] =
    Option(obj.names.indexOf(name)).filter(_ >= 0).map(obj.fields)

  /** Returns true if no two fields have the same name. */
  def isUnique(struct: StructType): Boolean =
    struct.fieldNames.distinct.length == struct.length
}

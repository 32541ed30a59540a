package io.github.variantshredded.read.skip

import scala.annotation.tailrec

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.read.demand.LeafDemand
import io.github.variantshredded.read.options.VariantRules
import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.spark.sql.types._

/**
 * Translates tests of extractions from one Variant group into predicates on its leaf columns.
 *
 * The value of an extraction is in the leaf columns of its own position. If the path is not
 * shredded, the value is in the residual `value` of the deepest shredded position around it. If
 * these residual columns hold only nulls and Variant nulls, the `typed_value` decides alone. (The
 * specification says that no other `value` can hold it. `validation=permissive` reads files that break
 * this rule.)
 */
private[skip] final class VariantPredicates(
    group: VariantGroup,
    rules: VariantRules,
    rebase: CalendarRebase
) {
  import LeafPredicate._
  import VariantPredicates._

  /** Returns the predicate that the extracted value passes `test`. */
  def ofValue(extraction: ScanExtraction, test: ValueTest): LeafPredicate = {
    val what = extraction.what
    def constant(values: PossibleValues) = ofConstant(test, what.dataType, values)
    val end = locate(extraction.path)
    val direct =
      if (!end.isFound) {
        notVoid(end.node) or constant(absent(what))
      } else {
        what match {
          case ExtractionResult.IsPresent     => present(end, constant)
          case ExtractionResult.IsVariantNull => variantNull(end, constant)
          case value: ExtractionResult.Value  =>
            value.target match {
              case VariantType                => subVariant(end, test)
              case target if isScalar(target) =>
                scalar(end.node, value, target, test, end.inArray)
              case _ => Always
            }
        }
      }
    broken(end) or direct
  }

  /**
   * Returns the predicate that an element of the extracted array passes `test`, or the field of an
   * element to which the ordinals `fields` lead.
   */
  def ofElements(extraction: ScanExtraction, fields: Seq[Int], test: ValueTest): LeafPredicate = {
    val end = locate(extraction.path)
    val direct = extraction.what match {
      case value @ ExtractionResult.Value(ArrayType(elementType, _), _, _, _) =>
        val typed = if (end.isFound) end.node.typedValue else None
        val typedPredicate = typed match {
          case Some(list: TypedValue.ListGroup) =>
            element(list.element, elementType, fields.toList, value, test)
          case Some(_: TypedValue.OneOf) => Always
          case Some(other)               => ofUncastable(other, value)
          case None                      => Never
        }
        notVoid(end.node) or typedPredicate
      case _ => Always
    }
    broken(end) or direct
  }

  /**
   * Returns the predicate that an object or array on the path has a residual value. If
   * ancestors are searched, such a row may have any value.
   */
  private def broken(end: PathEnd): LeafPredicate =
    if (rules.searchesAncestors) notNull(end.ancestors.flatMap(_.value)) else Never

  private def locate(path: Seq[PathStep]): PathEnd = {
    @tailrec
    def walk(
        node: VariantPosition,
        steps: List[PathStep],
        ancestors: List[VariantPosition],
        inArray: Boolean
    ): PathEnd = steps match {
      case Nil          => PathEnd(node, isFound = true, ancestors, inArray)
      case step :: rest =>
        LeafDemand.below(node, step) match {
          case None        => PathEnd(node, isFound = false, ancestors, inArray)
          case Some(below) =>
            walk(below, rest, node :: ancestors, inArray || step.isInstanceOf[PathStep.Element])
        }
    }
    walk(group.root, path.toList, Nil, inArray = false)
  }

  private def notVoid(node: VariantPosition): LeafPredicate =
    anyOf(node.value.map(leaf => Of(LeafTest.NotVariantNull(pathOf(leaf), node.layout))))

  private def notNull(leaves: Iterable[VariantLeaf]): LeafPredicate =
    anyOf(leaves.map(leaf => Of(LeafTest.NotNull(pathOf(leaf)))))

  private def hasNull(leaf: Option[VariantLeaf]): LeafPredicate =
    leaf.fold[LeafPredicate](Always)(leaf => Of(LeafTest.HasNull(pathOf(leaf))))

  /**
   * Returns the leaf columns of a field that is present exactly if one of them is not null; None
   * for other positions.
   */
  private def ownLeaves(end: PathEnd): Option[Seq[VariantLeaf]] =
    if ((end.node eq group.root) || end.inArray) None
    else {
      end.node.typedValue match {
        case Some(TypedValue.Primitive(leaf, _)) => Some(leaf +: end.node.value.toSeq)
        case None                                => Some(end.node.value.toSeq)
        case _                                   => None
      }
    }

  private def present(end: PathEnd, constant: PossibleValues => LeafPredicate): LeafPredicate =
    ownLeaves(end).fold[LeafPredicate](Always) { leaves =>
      val isTrue = constant(PossibleValues.only(true)) and notNull(leaves)
      val isFalse = constant(PossibleValues.only(false)) and hasNull(leaves.headOption)
      isTrue or isFalse
    }

  private def variantNull(end: PathEnd, constant: PossibleValues => LeafPredicate): LeafPredicate =
    ownLeaves(end).fold[LeafPredicate](Always) { _ =>
      (constant(PossibleValues.only(true)) and notNull(end.node.value)) or constant(
        PossibleValues.only(false)
      )
    }

  private def subVariant(end: PathEnd, test: ValueTest): LeafPredicate =
    (ownLeaves(end), test) match {
      case (Some(leaves), ValueTest.IsNotNull) => notNull(leaves)
      case (Some(leaves), ValueTest.IsNull)    => hasNull(leaves.headOption)
      case _                                   => Always
    }

  private def scalar(
      node: VariantPosition,
      what: ExtractionResult.Value,
      target: DataType,
      test: ValueTest,
      orNull: Boolean
  ): LeafPredicate = {
    val typed = node.typedValue match {
      case None => ofConstant(test, target, PossibleValues.OnlyNull)
      case Some(primitive: TypedValue.Primitive) =>
        val values = VariantValues.of(primitive, what, target, rebase)
        Of(new LeafTest.Passes(pathOf(primitive.leaf), values, test, target, orNull))
      case Some(_: TypedValue.OneOf)                  => Always
      case Some(_) if target.isInstanceOf[StringType] => Always
      case Some(other)                                =>
        ofUncastable(other, what) or ofConstant(test, target, PossibleValues.OnlyNull)
    }
    notVoid(node) or typed
  }

  /**
   * Returns the predicate for a cast that always fails: a row raises an error, or its result is
   * null.
   */
  private def ofUncastable(typed: TypedValue, what: ExtractionResult.Value): LeafPredicate =
    typed match {
      // Spark's `try_variant_get` fails for values of types that its Variants lack.
      case TypedValue.Primitive(leaf, stored)
          if what.failOnError || !stored.isOfSpark && !what.isTryCast =>
        notNull(Seq(leaf))
      case _ if !what.failOnError => Never
      // The leaf columns do not show in which rows the group is present.
      case _ => Always
    }

  private def element(
      node: VariantPosition,
      dataType: DataType,
      fields: List[Int],
      what: ExtractionResult.Value,
      test: ValueTest
  ): LeafPredicate = (dataType, fields) match {
    case (_, Nil) if isScalar(dataType) => scalar(node, what, dataType, test, orNull = false)
    case (struct: StructType, field :: rest) if LeafDemand.isUnique(struct) =>
      val wanted = struct(field)
      val absent = ofConstant(test, fieldType(wanted.dataType, rest), PossibleValues.OnlyNull)
      node.typedValue match {
        case Some(obj: TypedValue.ObjectGroup) =>
          val others = if (what.failOnError) raising(obj, struct, wanted, what) else Never
          LeafDemand.field(obj, wanted.name) match {
            case Some(position) =>
              // If the file keeps the rules, a residual value does not hold the field, and one that
              // is not an object is cast to null.
              val residual = if (!rules.strict || what.failOnError) notVoid(node) else Never
              residual or others or element(position, wanted.dataType, rest, what, test)
            case None => notVoid(node) or others or absent
          }
        case Some(_: TypedValue.OneOf) => Always
        case Some(other)               => notVoid(node) or ofUncastable(other, what) or absent
        case None                      => notVoid(node) or absent
      }
    case _ => Always
  }

  /** Returns the predicate that the cast of another field of the struct may raise an error. */
  private def raising(
      obj: TypedValue.ObjectGroup,
      struct: StructType,
      wanted: StructField,
      what: ExtractionResult.Value
  ): LeafPredicate = anyOf(for {
    field <- struct.fields if field.name != wanted.name
    position <- LeafDemand.field(obj, field.name)
  } yield raising(position, field.dataType, what))

  private def raising(
      position: VariantPosition,
      target: DataType,
      what: ExtractionResult.Value
  ): LeafPredicate = (target, position.typedValue) match {
    case (VariantType, _)                           => Never
    case _ if !isScalar(target)                     => Always
    case (_, None)                                  => notVoid(position)
    case (_, Some(primitive: TypedValue.Primitive)) =>
      val values = VariantValues.of(primitive, what, target, rebase)
      val typed = if (values.exists(_.isTotal)) Never else notNull(Seq(primitive.leaf))
      notVoid(position) or typed
    case _ => Always
  }
}

private[skip] object VariantPredicates {

  /**
   * Says where a path leads.
   *
   * @param node
   *   the position at the path, or else the deepest shredded position around it
   * @param isFound
   *   whether `node` is the position at the path
   * @param ancestors
   *   the positions on the path to `node`
   * @param inArray
   *   whether the path to `node` has an array index
   */
  private final case class PathEnd(
      node: VariantPosition,
      isFound: Boolean,
      ancestors: List[VariantPosition],
      inArray: Boolean
  )

  /** Returns the values of an extraction whose path does not exist. */
  def absent(what: ExtractionResult): PossibleValues = what match {
    case _: ExtractionResult.Value => PossibleValues.OnlyNull
    case _: ExtractionResult.Flag  => PossibleValues.only(false)
  }

  /** Returns the type to which the field ordinals lead. */
  @tailrec
  def fieldType(dataType: DataType, fields: List[Int]): DataType = (dataType, fields) match {
    case (struct: StructType, field :: rest) => fieldType(struct(field).dataType, rest)
    case _                                   => dataType
  }

  private def isScalar(dataType: DataType): Boolean = dataType match {
    case VariantType | _: StructType | _: ArrayType | _: MapType => false
    case _                                                       => true
  }

  private def pathOf(leaf: VariantLeaf): Seq[String] = leaf.descriptor.getPath.toIndexedSeq
}

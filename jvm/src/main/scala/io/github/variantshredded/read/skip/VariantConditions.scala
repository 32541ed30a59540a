package io.github.variantshredded.read.skip

import scala.annotation.tailrec

import io.github.variantshredded.extraction.{Extracted, PathExtraction, PathStep}
import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.read.demand.LeafDemand
import io.github.variantshredded.shredding.layout.{
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import org.apache.spark.sql.types._

/**
 * Tests of what is extracted from one Variant group, as conditions on its leaves.
 *
 * A value lies in the leaves of its own position, or in the `value` of the deepest object or array
 * around it if it is not shredded. Where those `value`s are void, the `typed_value` tells all. (By
 * the spec's rules no other `value` can hold it; `validation=permissive` reads files that break them.)
 */
private[skip] final class VariantConditions(
    group: VariantGroup,
    strict: Boolean,
    rebase: CalendarRebase
) {
  import Condition._
  import VariantConditions._

  /** The extracted value passes `test`. */
  def ofValue(extraction: PathExtraction, test: ValueTest): Condition = {
    val what = extraction.what
    def constant(values: Values) = ofConstant(test, what.dataType, values)
    val place = locate(extraction.path)
    val direct =
      if (!place.isFound) {
        notVoid(place.node) or constant(absent(what))
      } else {
        what match {
          case Extracted.IsPresent     => present(place, constant)
          case Extracted.IsVariantNull => variantNull(place, constant)
          case value: Extracted.Value  =>
            value.target match {
              case VariantType                => subVariant(place, test)
              case target if isScalar(target) =>
                scalar(place.node, value, target, test, place.inArray)
              case _ => Always
            }
        }
      }
    broken(place) or direct
  }

  /** An element of the extracted array, or the field in it that `fields` lead to, passes `test`. */
  def ofElements(extraction: PathExtraction, fields: Seq[Int], test: ValueTest): Condition = {
    val place = locate(extraction.path)
    val direct = extraction.what match {
      case value @ Extracted.Value(ArrayType(elementType, _), _, _) =>
        val typed = if (place.isFound) place.node.typedValue else None
        val typedCondition = typed match {
          case Some(list: TypedValue.ListGroup) =>
            element(list.element, elementType, fields.toList, value, test)
          case Some(_: TypedValue.OneOf) => Always
          case Some(other)               => ofUncastable(other, value)
          case None                      => Never
        }
        notVoid(place.node) or typedCondition
      case _ => Always
    }
    broken(place) or direct
  }

  /** Where the spec is broken, as `validation=permissive` allows, anything may be. */
  private def broken(place: Place): Condition =
    if (strict) Never
    else anyOf(place.ancestors.flatMap(_.value).map(leaf => Of(LeafTest.NotNull(pathOf(leaf)))))

  private def locate(path: Seq[PathStep]): Place = {
    @tailrec
    def walk(
        node: VariantPosition,
        steps: List[PathStep],
        ancestors: List[VariantPosition],
        inArray: Boolean
    ): Place = steps match {
      case Nil          => Place(node, isFound = true, ancestors, inArray)
      case step :: rest =>
        LeafDemand.below(node, step) match {
          case None        => Place(node, isFound = false, ancestors, inArray)
          case Some(below) =>
            walk(below, rest, node :: ancestors, inArray || step.isInstanceOf[PathStep.Element])
        }
    }
    walk(group.root, path.toList, Nil, inArray = false)
  }

  private def notVoid(node: VariantPosition): Condition =
    anyOf(node.value.map(leaf => Of(LeafTest.NotVoid(pathOf(leaf), node.layout))))

  private def notNull(leaves: Iterable[VariantLeaf]): Condition =
    anyOf(leaves.map(leaf => Of(LeafTest.NotNull(pathOf(leaf)))))

  private def hasNull(leaf: Option[VariantLeaf]): Condition =
    leaf.fold[Condition](Always)(leaf => Of(LeafTest.HasNull(pathOf(leaf))))

  /** The leaves of a field that is there just where one of them is; None for other positions. */
  private def ownLeaves(place: Place): Option[Seq[VariantLeaf]] =
    if ((place.node eq group.root) || place.inArray) None
    else {
      place.node.typedValue match {
        case Some(TypedValue.Primitive(leaf, _)) => Some(leaf +: place.node.value.toSeq)
        case None                                => Some(place.node.value.toSeq)
        case _                                   => None
      }
    }

  private def present(place: Place, constant: Values => Condition): Condition =
    ownLeaves(place).fold[Condition](Always) { leaves =>
      val isTrue = constant(Values.only(true)) and notNull(leaves)
      val isFalse = constant(Values.only(false)) and hasNull(leaves.headOption)
      isTrue or isFalse
    }

  private def variantNull(place: Place, constant: Values => Condition): Condition =
    ownLeaves(place).fold[Condition](Always) { _ =>
      (constant(Values.only(true)) and notNull(place.node.value)) or constant(Values.only(false))
    }

  private def subVariant(place: Place, test: ValueTest): Condition =
    (ownLeaves(place), test) match {
      case (Some(leaves), ValueTest.IsNotNull) => notNull(leaves)
      case (Some(leaves), ValueTest.IsNull)    => hasNull(leaves.headOption)
      case _                                   => Always
    }

  private def scalar(
      node: VariantPosition,
      what: Extracted.Value,
      target: DataType,
      test: ValueTest,
      orNull: Boolean
  ): Condition = {
    val typed = node.typedValue match {
      case None                                  => ofConstant(test, target, Values.OnlyNull)
      case Some(primitive: TypedValue.Primitive) =>
        val values = VariantValues.of(primitive, what, target, rebase)
        Of(new LeafTest.Passes(pathOf(primitive.leaf), values, test, target, orNull))
      case Some(_: TypedValue.OneOf)                  => Always
      case Some(_) if target.isInstanceOf[StringType] => Always
      case Some(other)                                =>
        ofUncastable(other, what) or ofConstant(test, target, Values.OnlyNull)
    }
    notVoid(node) or typed
  }

  /** A cast that always fails: it raises, or there is nothing. */
  private def ofUncastable(typed: TypedValue, what: Extracted.Value): Condition = typed match {
    case _ if !what.failOnError        => Never
    case TypedValue.Primitive(leaf, _) => notNull(Seq(leaf))
    // Where the group is there cannot be seen from its leaves.
    case _ => Always
  }

  private def element(
      node: VariantPosition,
      dataType: DataType,
      fields: List[Int],
      what: Extracted.Value,
      test: ValueTest
  ): Condition = (dataType, fields) match {
    case (_, Nil) if isScalar(dataType) => scalar(node, what, dataType, test, orNull = false)
    case (struct: StructType, field :: rest) if LeafDemand.isUnique(struct) =>
      val wanted = struct(field)
      val absent = ofConstant(test, fieldType(wanted.dataType, rest), Values.OnlyNull)
      node.typedValue match {
        case Some(obj: TypedValue.ObjectGroup) =>
          val others = if (what.failOnError) raising(obj, struct, wanted, what) else Never
          LeafDemand.field(obj, wanted.name) match {
            case Some(position) =>
              // Nothing in `value` has the field then, and what is no object is cast to null.
              val residual = if (strict && !what.failOnError) Never else notVoid(node)
              residual or others or element(position, wanted.dataType, rest, what, test)
            case None => notVoid(node) or others or absent
          }
        case Some(_: TypedValue.OneOf) => Always
        case Some(other)               => notVoid(node) or ofUncastable(other, what) or absent
        case None                      => notVoid(node) or absent
      }
    case _ => Always
  }

  /** The other fields of a struct: what of their casts may raise. */
  private def raising(
      obj: TypedValue.ObjectGroup,
      struct: StructType,
      wanted: StructField,
      what: Extracted.Value
  ): Condition = anyOf(for {
    field <- struct.fields if field.name != wanted.name
    position <- LeafDemand.field(obj, field.name)
  } yield raising(position, field.dataType, what))

  private def raising(
      position: VariantPosition,
      target: DataType,
      what: Extracted.Value
  ): Condition = (target, position.typedValue) match {
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

private[skip] object VariantConditions {

  /**
   * Where a path leads.
   *
   * @param isFound
   *   whether `node` is what the path names, else the deepest position around it that is shredded
   * @param ancestors
   *   the positions that lead to `node`
   * @param inArray
   *   whether the path has an index
   */
  private final case class Place(
      node: VariantPosition,
      isFound: Boolean,
      ancestors: List[VariantPosition],
      inArray: Boolean
  )

  /** What an extraction gives where nothing is. */
  def absent(what: Extracted): Values = what match {
    case _: Extracted.Value => Values.OnlyNull
    case _                  => Values.only(false)
  }

  /** Type of what field ordinals lead to. */
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

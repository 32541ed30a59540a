package io.github.variantshredded.shredding.layout

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.shredding.{ShreddedType, ShreddingSchema}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition

/**
 * Reads the Parquet group of a Variant by the VariantShredding spec, and refuses what it does not
 * allow.
 */
object SpecLayoutReader {

  private val Metadata = "metadata"
  private val Value = "value"
  private val TypedValueName = "typed_value"

  /**
   * Whether a group is a Variant by itself: annotated, or with exactly the binary columns
   * `metadata` and `value`, and perhaps a `typed_value`.
   */
  def isVariant(parquetType: Type): Boolean = !parquetType.isPrimitive && {
    val group = parquetType.asGroupType
    isAnnotated(group) || {
      val names = group.getFields.asScala.map(_.getName).toSet
      val bySpec = names == Set(Metadata, Value) || names == Set(Metadata, Value, TypedValueName)
      group.getLogicalTypeAnnotation == null && bySpec &&
      isBinary(group.getType(Metadata)) && isBinary(group.getType(Value))
    }
  }

  def isAnnotated(group: GroupType): Boolean =
    group.getLogicalTypeAnnotation.isInstanceOf[VariantLogicalTypeAnnotation]

  private def isBinary(field: Type): Boolean =
    field.isPrimitive && field.asPrimitiveType.getPrimitiveTypeName == BINARY &&
      field.getLogicalTypeAnnotation == null && !field.isRepetition(Repetition.REPEATED)

  /**
   * The Variant at `path` of `schema`.
   *
   * @param maxDepth
   *   deepest nesting of shredded positions that is accepted, up to `ShreddingSchema.MaxDepth`
   * @throws io.github.variantshredded.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDING_SCHEMA` where the group breaks the spec
   */
  def read(schema: MessageType, path: Seq[String], maxDepth: Int): VariantGroup = {
    var levels = Levels(0, 0)
    var node: Type = schema
    path.foreach { name =>
      node = node.asGroupType.getType(name)
      levels = below(levels, node)
    }
    if (node.isPrimitive) {
      throw invalid(s"A Variant must be stored as a group, found '$node'.", path.mkString("."), "$")
    }
    new SpecLayoutReader(path, math.min(maxDepth, ShreddingSchema.MaxDepth))
      .variant(node.asGroupType, levels)
  }

  private[layout] def below(levels: Levels, node: Type): Levels = node.getRepetition match {
    case Repetition.REQUIRED => levels
    case Repetition.OPTIONAL => Levels(levels.repetition, levels.definition + 1)
    case Repetition.REPEATED => Levels(levels.repetition + 1, levels.definition + 1)
  }

  private def invalid(reason: String, column: String, path: String) =
    VariantShreddedErrors.invalidShreddingSchema(
      reason,
      ErrorLocation(column = Some(column), path = Some(path))
    )

  /** The shredded type of a primitive `typed_value` ("Shredded Value Types"), or why it is none. */
  private[layout] def shreddedType(field: PrimitiveType): Either[String, ShreddedType] = {
    val annotation = Option(field.getLogicalTypeAnnotation)
    def unknown = Left(s"'$field' is not one of the shredded value types of the spec.")
    (field.getPrimitiveTypeName, annotation) match {
      case (BOOLEAN, None) => Right(ShreddedType.BooleanType)
      case (INT32, None)   => Right(ShreddedType.Int32)
      case (INT32, Some(i: IntLogicalTypeAnnotation)) if i.isSigned =>
        i.getBitWidth match {
          case 8  => Right(ShreddedType.Int8)
          case 16 => Right(ShreddedType.Int16)
          case 32 => Right(ShreddedType.Int32)
          case _  => unknown
        }
      case (INT64, None) => Right(ShreddedType.Int64)
      case (INT64, Some(i: IntLogicalTypeAnnotation)) if i.isSigned && i.getBitWidth == 64 =>
        Right(ShreddedType.Int64)
      case (FLOAT, None)                                     => Right(ShreddedType.FloatType)
      case (DOUBLE, None)                                    => Right(ShreddedType.DoubleType)
      case (physical, Some(d: DecimalLogicalTypeAnnotation)) =>
        val fits = physical match {
          case INT32                         => d.getPrecision <= 9
          case INT64                         => d.getPrecision <= 18
          case BINARY | FIXED_LEN_BYTE_ARRAY => d.getPrecision <= 38
          case _                             => false
        }
        if (fits && d.getScale >= 0 && d.getScale <= d.getPrecision) {
          Right(ShreddedType.DecimalOf(d.getPrecision, d.getScale))
        } else {
          unknown
        }
      case (INT32, Some(_: DateLogicalTypeAnnotation)) => Right(ShreddedType.Date)
      case (INT64, Some(t: TimeLogicalTypeAnnotation))
          if t.getUnit == TimeUnit.MICROS && !t.isAdjustedToUTC =>
        Right(ShreddedType.Time)
      case (INT64, Some(t: TimestampLogicalTypeAnnotation)) =>
        (t.getUnit, t.isAdjustedToUTC) match {
          case (TimeUnit.MICROS, true)  => Right(ShreddedType.TimestampMicros)
          case (TimeUnit.MICROS, false) => Right(ShreddedType.TimestampNtzMicros)
          case (TimeUnit.NANOS, true)   => Right(ShreddedType.TimestampNanos)
          case (TimeUnit.NANOS, false)  => Right(ShreddedType.TimestampNtzNanos)
          case _                        => unknown
        }
      case (BINARY, None)                                 => Right(ShreddedType.Binary)
      case (BINARY, Some(_: StringLogicalTypeAnnotation)) => Right(ShreddedType.StringType)
      case (FIXED_LEN_BYTE_ARRAY, Some(_: UUIDLogicalTypeAnnotation))
          if field.getTypeLength == 16 =>
        Right(ShreddedType.Uuid)
      case _ => unknown
    }
  }
}

private final class SpecLayoutReader(root: Seq[String], maxDepth: Int) {
  import SpecLayoutReader._

  private val column = root.mkString(".")
  private val leaves = mutable.ArrayBuffer.empty[VariantLeaf]
  private var shreddedFields = 0

  def variant(group: GroupType, levels: Levels): VariantGroup = {
    if (!group.containsField(Metadata)) {
      throw fail("A Variant group must have a binary column 'metadata', which is missing.", "$")
    }
    val metadata = binaryLeaf(group.getType(Metadata), root, levels, "$")
    val position = shredded(group, root, levels, "$", isRoot = true, depth = 0)
    new VariantGroup(
      column,
      root,
      levels,
      // The element of a two-level list is repeated; each is there.
      !group.isRepetition(Repetition.OPTIONAL),
      metadata,
      position,
      leaves.toArray
    )
  }

  private def shredded(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      isRoot: Boolean,
      depth: Int
  ): VariantPosition = {
    if (depth > maxDepth) {
      throw fail(s"Shredded values are nested deeper than $maxDepth.", path)
    }
    repeatedName(group).foreach { name =>
      throw fail(s"The column '$name' is there twice.", path)
    }
    group.getFields.asScala.foreach { field =>
      val name = field.getName
      val known = name == Value || name == TypedValueName || (isRoot && name == Metadata)
      if (!known && !name.startsWith("_")) {
        throw fail(
          s"Unknown column '$name' beside 'value' and 'typed_value': only names that begin with " +
            "'_' are reserved for extensions.",
          path
        )
      }
    }
    val value =
      if (group.containsField(Value)) Some(binaryLeaf(group.getType(Value), at, levels, path))
      else None
    val typed =
      if (group.containsField(TypedValueName)) {
        Some(typedValue(group.getType(TypedValueName), at, levels, path, depth))
      } else {
        None
      }
    if (value.isEmpty && typed.isEmpty) {
      throw fail("At least one of the columns 'value' and 'typed_value' must be present.", path)
    }
    new VariantPosition(path, at, levels, group.isRepetition(Repetition.REQUIRED), value, typed)
  }

  private def typedValue(
      field: Type,
      parent: Seq[String],
      parentLevels: Levels,
      path: String,
      depth: Int
  ): TypedValue = {
    val at = parent :+ field.getName
    val levels = below(parentLevels, field)
    if (field.isRepetition(Repetition.REPEATED)) {
      throw fail("'typed_value' must be optional, found repeated.", path)
    }
    if (field.isPrimitive) {
      val primitive = field.asPrimitiveType
      shreddedType(primitive) match {
        case Right(shreddedType) => TypedValue.Primitive(leaf(primitive, at, levels), shreddedType)
        case Left(reason)        => throw fail(s"Unsupported shredded value type: $reason", path)
      }
    } else {
      val group = field.asGroupType
      group.getLogicalTypeAnnotation match {
        case null                         => objectGroup(group, at, levels, path, depth)
        case _: ListLogicalTypeAnnotation => listGroup(group, at, levels, path, depth)
        case other                        =>
          throw fail(
            s"A group 'typed_value' must be a LIST or have no annotation, found $other.",
            path
          )
      }
    }
  }

  private def objectGroup(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue = {
    if (group.getFieldCount == 0) {
      throw fail("The 'typed_value' of a shredded object has no fields.", path)
    }
    repeatedName(group).foreach { name =>
      throw fail(s"The shredded field '$name' is there twice.", FieldPath.append(path, name))
    }
    val ordinal = shreddedFields
    shreddedFields += group.getFieldCount
    val fields = group.getFields.asScala.toVector.map { field =>
      val name = field.getName
      val fieldPath = FieldPath.append(path, name)
      if (field.isPrimitive) {
        throw fail(s"The shredded field '$name' must be a group, found '$field'.", fieldPath)
      }
      if (field.isRepetition(Repetition.REPEATED)) {
        throw fail(s"The group of the shredded field '$name' must not be repeated.", fieldPath)
      }
      if (field.getLogicalTypeAnnotation != null) {
        throw fail(
          s"The group of the shredded field '$name' must not be annotated, found " +
            s"${field.getLogicalTypeAnnotation}.",
          fieldPath
        )
      }
      shredded(
        field.asGroupType,
        at :+ name,
        below(levels, field),
        fieldPath,
        isRoot = false,
        depth + 1
      )
    }
    val names = group.getFields.asScala.toVector.map(_.getName)
    TypedValue.ObjectGroup(
      at,
      levels,
      group.isRepetition(Repetition.REQUIRED),
      names,
      fields,
      ordinal
    )
  }

  private def listGroup(
      group: GroupType,
      at: Seq[String],
      levels: Levels,
      path: String,
      depth: Int
  ): TypedValue = {
    def wrong(what: String) =
      fail(s"A shredded array must be a three-level list of a group 'element': $what", path)
    if (group.getFieldCount != 1) {
      throw wrong(s"the LIST group has ${group.getFieldCount} fields.")
    }
    val repeated = group.getType(0)
    if (!repeated.isRepetition(Repetition.REPEATED) || repeated.isPrimitive) {
      throw wrong(s"'${repeated.getName}' is not a repeated group.")
    }
    val list = repeated.asGroupType
    if (list.getFieldCount != 1 || list.getType(0).isPrimitive) {
      throw wrong(s"'${repeated.getName}' does not hold one group.")
    }
    val element = list.getType(0)
    if (element.isRepetition(Repetition.REPEATED)) {
      throw wrong(s"'${element.getName}' is repeated.")
    }
    val listLevels = below(levels, repeated)
    TypedValue.ListGroup(
      at,
      levels,
      group.isRepetition(Repetition.REQUIRED),
      shredded(
        element.asGroupType,
        at :+ repeated.getName :+ element.getName,
        below(listLevels, element),
        s"$path[*]",
        isRoot = false,
        depth + 1
      )
    )
  }

  private def binaryLeaf(field: Type, parent: Seq[String], levels: Levels, path: String) = {
    val isBinary = field.isPrimitive && field.asPrimitiveType.getPrimitiveTypeName == BINARY
    if (!isBinary || field.isRepetition(Repetition.REPEATED)) {
      throw fail(s"'${field.getName}' must be a binary column, found '$field'.", path)
    }
    if (field.getLogicalTypeAnnotation != null) {
      throw fail(
        s"'${field.getName}' must be a binary column without annotation, found '$field'.",
        path
      )
    }
    leaf(field.asPrimitiveType, parent :+ field.getName, below(levels, field))
  }

  private def leaf(field: PrimitiveType, at: Seq[String], levels: Levels): VariantLeaf = {
    val descriptor =
      new ColumnDescriptor(at.toArray, field, levels.repetition, levels.definition)
    val result =
      new VariantLeaf(leaves.size, descriptor, field.isRepetition(Repetition.REQUIRED))
    leaves += result
    result
  }

  private def repeatedName(group: GroupType): Option[String] = {
    val names = mutable.Set.empty[String]
    group.getFields.asScala.map(_.getName).find(!names.add(_))
  }

  private def fail(reason: String, path: String) = invalid(reason, column, path)
}

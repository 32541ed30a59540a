package io.github.variantshredded.read.footer

import java.util.Locale

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.shredding.layout.{LayoutReader, ListElement, VariantGroup}
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Type.Repetition.REPEATED
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.types._

/**
 * Holds the schema of a file, with a placeholder for each requested Variant.
 *
 * Spark's schema conversion and clipping handle all other columns. They must not see Variant
 * groups, because they refuse some of their leaf columns. So each requested Variant group is
 * replaced by a binary column of the same name and repetition, and put back afterwards.
 *
 * @param message
 *   the schema with the placeholders
 * @param variants
 *   the replaced groups, by their path in the file
 */
private[variantshredded] final class PlaceholderSchema(
    val message: MessageType,
    val variants: Map[Seq[String], VariantGroup]
)

private[variantshredded] object PlaceholderSchema {

  /**
   * Finds the Variants of `wanted` in the schema of a file.
   *
   * @param wanted
   *   the requested columns, with VariantType for each requested Variant
   * @param useFieldId
   *   whether columns with a Parquet field id are matched by this id
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDING_SCHEMA` if several columns match one requested column
   */
  def of(
      schema: MessageType,
      wanted: StructType,
      caseSensitive: Boolean,
      useFieldId: Boolean,
      maxDepth: Int
  ): PlaceholderSchema =
    new Search(schema, caseSensitive, useFieldId, Some(maxDepth)).run(wanted)

  /**
   * Returns the schema of a file in which Spark's code reads the Variants of `wanted`: without the
   * other Variants in structs of which it has no requested field. Spark reads an arbitrary leaf column
   * of such a struct to see where it is null, and refuses a Variant group with one leaf column.
   *
   * @param wanted
   *   the requested columns
   */
  def forSpark(
      schema: MessageType,
      wanted: StructType,
      caseSensitive: Boolean,
      useFieldId: Boolean
  ): MessageType =
    if (!wanted.exists(field => hasStruct(field.dataType))) schema
    else new Search(schema, caseSensitive, useFieldId, maxDepth = None).run(wanted).message

  /** Returns the Spark type with BinaryType in place of every VariantType. */
  def placeheld(dataType: DataType): DataType = dataType match {
    case _: VariantType     => BinaryType
    case struct: StructType =>
      StructType(struct.map(f => f.copy(dataType = placeheld(f.dataType))))
    case array: ArrayType => array.copy(elementType = placeheld(array.elementType))
    case map: MapType     =>
      map.copy(keyType = placeheld(map.keyType), valueType = placeheld(map.valueType))
    case other => other
  }

  /**
   * Returns the part of `schema` that leads to the given columns: the columns and the structs
   * around them.
   *
   * @param columns
   *   the path of each column: the names of the structs around it, then its own name
   */
  def only(schema: StructType, columns: Seq[Seq[String]], caseSensitive: Boolean): StructType =
    StructType(schema.fields.flatMap { field =>
      val below = columns.filter(c => isSame(c.head, field.name, caseSensitive)).map(_.tail)
      field.dataType match {
        case _ if below.isEmpty => None
        case inner: StructType  =>
          Some(field.copy(dataType = only(inner, below, caseSensitive)))
        case _ => Some(field)
      }
    })

  /** Returns true if Spark regards two column names as equal. */
  private def isSame(name: String, other: String, caseSensitive: Boolean): Boolean =
    name == other ||
      (!caseSensitive && name.toLowerCase(Locale.ROOT) == other.toLowerCase(Locale.ROOT))

  /**
   * Returns a type without Variant groups: their place is taken by ordinary groups with one of their
   * binary leaf columns.
   */
  private def withoutVariants(node: Type): Type =
    if (node.isPrimitive) node
    else {
      val group = node.asGroupType
      if (LayoutReader.isVariant(group)) {
        val plain = Types
          .buildGroup(group.getRepetition)
          .addFields(withOneBinary(group).getOrElse(group).getFields.asScala.toSeq: _*)
          .named(group.getName)
        if (group.getId == null) plain else plain.withId(group.getId.intValue)
      } else group.withNewFields(group.getFields.asScala.map(withoutVariants).asJava)
    }

  /** Returns a group with only one of its binary leaf columns, if possible one outside of lists. */
  private def withOneBinary(group: GroupType): Option[GroupType] = {
    val (repeated, single) = group.getFields.asScala.toSeq.partition(_.isRepetition(REPEATED))
    val (leaves, groups) = single.partition(_.isPrimitive)
    def below = groups ++ repeated.filterNot(_.isPrimitive)
    leaves
      .find(_.asPrimitiveType.getPrimitiveTypeName == BINARY)
      .orElse(below.iterator.flatMap(g => withOneBinary(g.asGroupType)).nextOption())
      .map(group.withNewFields(_))
  }

  /** Returns whether the type is or contains a struct. */
  private def hasStruct(dataType: DataType): Boolean = dataType match {
    case _: StructType           => true
    case array: ArrayType        => hasStruct(array.elementType)
    case map: MapType            => hasStruct(map.keyType) || hasStruct(map.valueType)
    case udt: UserDefinedType[_] => hasStruct(udt.sqlType)
    case _                       => false
  }

  /**
   * Searches a file's schema for requested columns.
   *
   * @param maxDepth
   *   None if the requested Variants keep their groups
   */
  private final class Search(
      schema: MessageType,
      caseSensitive: Boolean,
      useFieldId: Boolean,
      maxDepth: Option[Int]
  ) {
    private val variants = mutable.Map.empty[Seq[String], VariantGroup]

    def run(wanted: StructType): PlaceholderSchema = {
      val replaced =
        new MessageType(schema.getName, fields(schema, wanted, Vector.empty).asJava)
      new PlaceholderSchema(replaced, variants.toMap)
    }

    private def fields(group: GroupType, wanted: StructType, at: Seq[String]): Seq[Type] = {
      val found = new Fields(group)
      if (at.nonEmpty && wanted.forall(found(_).isEmpty)) found.all.map(withoutVariants)
      else {
        val byField = wanted.fields.toSeq
          .filter(f => VariantTypes.hasVariant(f.dataType) || hasStruct(f.dataType))
          .flatMap(f => find(found, f, at).map(_ -> f.dataType))
          .toMap
        found.all.map(field =>
          byField.get(field).fold(field)(replace(field, _, at :+ field.getName))
        )
      }
    }

    /** Finds the fields of a group by the rules of Spark. */
    private final class Fields(group: GroupType) {
      val all: Seq[Type] = group.getFields.asScala.toSeq

      private lazy val byName = all.groupBy(field => nameOf(field.getName))

      private lazy val byId = all.filter(_.getId != null).groupBy(_.getId.intValue)

      private def nameOf(name: String) = if (caseSensitive) name else name.toLowerCase(Locale.ROOT)

      // A column with an id is not found by its name: another column of the file can have this name.
      def apply(wanted: StructField): Seq[Type] =
        if (useFieldId && ParquetUtils.hasFieldId(wanted)) {
          byId.getOrElse(ParquetUtils.getFieldId(wanted), Nil)
        } else {
          byName.getOrElse(nameOf(wanted.name), Nil)
        }
    }

    private def find(fields: Fields, wanted: StructField, at: Seq[String]): Option[Type] = {
      val found = fields(wanted)
      // Spark reports it for the other columns.
      if (found.size > 1 && (maxDepth.isEmpty || !VariantTypes.hasVariant(wanted.dataType))) None
      else if (found.size > 1) {
        throw VariantShreddedErrors.invalidShreddingSchema(
          s"More than one column matches '${wanted.name}': ${found.map(_.getName).mkString(", ")}.",
          ErrorLocation(column = Some((at :+ wanted.name).mkString(".")))
        )
      } else {
        found.headOption
      }
    }

    private def replace(field: Type, wanted: DataType, at: Seq[String]): Type = wanted match {
      case _: VariantType if maxDepth.isEmpty => field
      case _: VariantType                     =>
        variants(at) = LayoutReader.read(schema, at, maxDepth.get)
        val binary = new PrimitiveType(field.getRepetition, BINARY, field.getName)
        if (field.getId == null) binary else binary.withId(field.getId.intValue)
      case array: ArrayType if field.isPrimitive && field.isRepetition(REPEATED) =>
        replace(field, array.elementType, at)
      case _ if field.isPrimitive => field
      case struct: StructType     =>
        val group = field.asGroupType
        group.withNewFields(fields(group, struct, at).asJava)
      case array: ArrayType        => replaceElement(field.asGroupType, array.elementType, at)
      case map: MapType            => replaceEntries(field.asGroupType, map, at)
      case udt: UserDefinedType[_] => replace(field, udt.sqlType, at)
      case _                       => field
    }

    /**
     * Replaces the element of a list, in any form that Parquet's backward-compatibility rules
     * allow.
     */
    private def replaceElement(list: GroupType, element: DataType, at: Seq[String]): Type =
      if (ListElement.isBareList(list)) {
        replace(list, element, at)
      } else if (list.getFieldCount == 1 && list.getType(0).isRepetition(REPEATED)) {
        val repeated = list.getType(0)
        val below = at :+ repeated.getName
        val replaced =
          if (ListElement.isRepeated(list, repeated)) replace(repeated, element, below)
          else {
            val group = repeated.asGroupType
            val inner = group.getType(0)
            group.withNewFields(replace(inner, element, below :+ inner.getName))
          }
        list.withNewFields(replaced)
      } else {
        list
      }

    private def replaceEntries(map: GroupType, wanted: MapType, at: Seq[String]): Type =
      if (map.getFieldCount == 1 && !map.getType(0).isPrimitive) {
        val entries = map.getType(0).asGroupType
        val below = at :+ entries.getName
        val replaced = entries.getFields.asScala.toSeq.zipWithIndex.map {
          case (key, 0)   => replace(key, wanted.keyType, below :+ key.getName)
          case (value, 1) => replace(value, wanted.valueType, below :+ value.getName)
          case (other, _) => other
        }
        map.withNewFields(entries.withNewFields(replaced.asJava))
      } else {
        map
      }
  }
}

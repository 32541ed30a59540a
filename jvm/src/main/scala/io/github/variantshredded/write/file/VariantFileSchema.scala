package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.{ShreddingSchema, VariantTypes}
import io.github.variantshredded.shredding.PathsText.PatternStep
import io.github.variantshredded.shredding.VariantTypes.hasVariant
import io.github.variantshredded.shredding.layout.{DottedNames, Layout}
import org.apache.parquet.schema.{GroupType, MessageType, Type}
import org.apache.spark.sql.types._

/**
 * Describes the schema of a file that is written, and the paths of its Variants in it.
 *
 * Spark's own writer writes everything else. It gets a schema in which each Variant is a binary, as
 * an `UnsafeRow` stores it, and makes the Parquet schema for it. Then Variant groups replace the
 * binary columns.
 *
 * @param binary
 *   the Parquet schema with a binary in place of each Variant
 * @param file
 *   the Parquet schema of the file, with the Variant groups
 * @param others
 *   the Parquet schema without Variants, and without groups that contain only Variants
 */
private[write] final case class VariantFileSchema(
    binary: MessageType,
    file: MessageType,
    others: MessageType,
    variants: Seq[WrittenVariant]
) {

  /** The leaf columns that get no bloom filter, because another leaf column would get it too. */
  lazy val withoutBloomFilter: Set[Seq[String]] = DottedNames.shared(file)

  /** Returns whether a top-level column is a Variant. */
  def isColumn(name: String): Boolean = variants.exists(_.path == Seq(name))
}

private[write] object VariantFileSchema {

  /** Returns `schema` with a binary in place of each Variant. */
  def asBinary(schema: StructType): StructType =
    StructType(schema.map(field => field.copy(dataType = asBinary(field.dataType))))

  private def asBinary(dataType: DataType): DataType = dataType match {
    case _: VariantType     => BinaryType
    case struct: StructType => asBinary(struct)
    case array: ArrayType   => array.copy(elementType = asBinary(array.elementType))
    case map: MapType       => map.copy(valueType = asBinary(map.valueType))
    case udt: UserDefinedType[_] if hasVariant(udt) => asBinary(udt.sqlType)
    case other                                      => other
  }

  /** Returns whether the type contains a map with Variants in its keys. */
  def hasVariantKey(dataType: DataType): Boolean = dataType match {
    case StructType(fields)      => fields.exists(field => hasVariantKey(field.dataType))
    case ArrayType(element, _)   => hasVariantKey(element)
    case MapType(key, value, _)  => hasVariant(key) || hasVariantKey(key) || hasVariantKey(value)
    case udt: UserDefinedType[_] => hasVariantKey(udt.sqlType)
    case _                       => false
  }

  /**
   * Returns the schema of a file.
   *
   * @param schema
   *   Spark's schema
   * @param binary
   *   the Parquet schema that Spark's writer makes for [[asBinary]]
   * @param schemas
   *   the shredding schema of each Variant, in the order of [[ShreddingSpec.columns]]
   * @param layout
   *   the layout of the Variants
   * @param bloomFilters
   *   the paths with bloom filters of each Variant, in the same order
   * @param legacyLists
   *   whether lists of required elements have two levels (`spark.sql.parquet.writeLegacyFormat`)
   */
  def of(
      schema: StructType,
      binary: MessageType,
      schemas: Seq[ShreddingSchema],
      layout: Layout,
      bloomFilters: BloomFilterPaths,
      legacyLists: Boolean
  ): VariantFileSchema = {
    val columns =
      new VariantGroupInserter(schemas.zip(bloomFilters.columns).iterator, layout, legacyLists)
    val (file, others) = columns.struct(schema, binary, Nil, "")
    VariantFileSchema(
      binary,
      new MessageType(binary.getName, file.getFields),
      new MessageType(binary.getName, others.fold(java.util.List.of[Type]())(_.getFields)),
      columns.found.result()
    )
  }
}

/** Replaces binary columns by Variant groups, and records the paths of these groups. */
private final class VariantGroupInserter(
    schemas: Iterator[(ShreddingSchema, Vector[Vector[PatternStep]])],
    layout: Layout,
    legacyLists: Boolean
) {
  val found = Seq.newBuilder[WrittenVariant]

  /**
   * Pairs the Parquet type of the file with the same type without Variants; None if nothing
   * remains.
   */
  private type Split[T <: Type] = (T, Option[T])

  def struct(
      schema: StructType,
      group: GroupType,
      parents: Seq[String],
      path: String
  ): Split[GroupType] = rebuild(
    group,
    schema.fields.toIndexedSeq.zipWithIndex.map { case (field, i) =>
      replace(field.dataType, group.getType(i), parents, s"$path${field.name}")
    }
  )

  private def replace(
      dataType: DataType,
      column: Type,
      parents: Seq[String],
      path: String
  ): Split[Type] = {
    val here = parents :+ column.getName
    dataType match {
      case _: VariantType =>
        val (schema, paths) = schemas.next()
        // An unshredded Variant is always stored as the specification says.
        val own = if (schema == ShreddingSchema.Unshredded) Layout.Spec else layout
        val leaves = paths.flatMap(BloomFilterPaths.leaf(schema, own, _)).toSet[Seq[String]]
        found += WrittenVariant(here, schema, own, leaves, path)
        val group = own.group(column.getName, schema, column.getRepetition)
        (if (column.getId == null) group else group.withId(column.getId.intValue), None)
      case struct: StructType if VariantTypes.hasVariant(struct) =>
        this.struct(struct, column.asGroupType, here, s"$path.")
      case ArrayType(element, containsNull) if VariantTypes.hasVariant(element) =>
        val list = column.asGroupType
        val at = s"$path.element"
        val repeated =
          if (legacyLists && !containsNull) replace(element, list.getType(0), here, at)
          else {
            val entry = list.getType(0).asGroupType
            val inner = replace(element, entry.getType(0), here :+ entry.getName, at)
            rebuild(entry, Seq(inner))
          }
        rebuild(list, Seq(repeated))
      case MapType(_, value, _) if VariantTypes.hasVariant(value) =>
        val map = column.asGroupType
        val entries = map.getType(0).asGroupType
        val key: Split[Type] = (entries.getType(0), Some(entries.getType(0)))
        val inside = here :+ entries.getName
        val inner = replace(value, entries.getType(1), inside, s"$path.value")
        rebuild(map, Seq(rebuild(entries, Seq(key, inner))))
      case udt: UserDefinedType[_] if VariantTypes.hasVariant(udt) =>
        replace(udt.sqlType, column, parents, path)
      case _ => (column, Some(column))
    }
  }

  private def rebuild(group: GroupType, children: Seq[Split[Type]]): Split[GroupType] = {
    val others = children.flatMap(_._2)
    (
      withFields(group, children.map(_._1)),
      Option.when(others.nonEmpty)(withFields(group, others))
    )
  }

  private def withFields(group: GroupType, fields: Seq[Type]): GroupType =
    group.withNewFields(java.util.Arrays.asList(fields: _*))
}

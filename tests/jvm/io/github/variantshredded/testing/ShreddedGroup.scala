package io.github.variantshredded.testing

import scala.util.Random

import org.apache.parquet.example.data.Group
import org.apache.parquet.io.api.{Binary => ParquetBinary}
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation => Annotation, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition
import org.apache.parquet.schema.Type.Repetition.{OPTIONAL, REPEATED, REQUIRED}

/**
 * The Parquet group of a Variant column, with every freedom that the spec leaves a writer drawn at
 * random: order of columns, columns left out that nothing needs, required and optional, the
 * annotation, further columns that begin with `_`.
 *
 * @param cells
 *   all Variants of the file; what they need, the group has
 * @param overview
 *   whether it is laid out as "Shredding Overview" has it
 */
final class ShreddedGroup(
    schema: DrawnSchema,
    cells: Seq[Cell],
    rng: Random,
    overview: Boolean = false
) {
  import ShreddedGroup._

  private val valueName = if (overview) "untyped_value" else "value"

  private val optionalFields = oneIn(4)
  private val extraColumns = oneIn(4)
  private val requiredColumns = oneIn(3)
  private val optionalMetadata = oneIn(5)
  private val annotated = !overview && !oneIn(3)

  private val columns: Vector[Column] = {
    val metadata = Column(
      binary("metadata", if (optionalMetadata) OPTIONAL else REQUIRED),
      (group, i, _, encoder) => add(group, i, encoder.metadata)
    )
    rng.shuffle(position(schema, cells) ++ Option.unless(overview)(metadata))
  }

  /** The group without its name and repetition. */
  def group(name: String, repetition: Repetition): GroupType = {
    val builder = Types.buildGroup(repetition)
    val typed = if (annotated) builder.as(Annotation.variantType(1)) else builder
    typed.addFields(columns.map(_.field): _*).named(name)
  }

  def put(group: Group, cell: Cell, encoder: DictionaryEncoder): Unit =
    write(group, columns, cell, encoder)

  /** With a dictionary of its own, or that of the row, where the layout has none for all. */
  private def untyped(tree: VariantTree, encoder: DictionaryEncoder): Array[Byte] =
    if (!overview) encoder.value(tree)
    else if (oneIn(3)) encoder.metadata ++ encoder.value(tree)
    else {
      val (metadata, value) =
        if (oneIn(2)) VariantTree.encode(tree, rng.nextLong()) else VariantTree.encode(tree)
      metadata ++ value
    }

  private def oneIn(n: Int) = rng.nextInt(n) == 0

  private def position(schema: DrawnSchema, cells: Seq[Cell]): Vector[Column] = {
    val more = if (overview && oneIn(5)) Some(secondType(schema)) else None
    def isLeft(cell: Cell) = cell.value.isDefined && !more.exists(_.takes(cell))
    val needsValue = schema == DrawnSchema.Untyped || cells.exists(_.value.isDefined)
    val value = Option.when(needsValue || !oneIn(3)) {
      Column(
        binary(valueName, repetition(cells.forall(isLeft))),
        (group, i, cell, encoder) =>
          if (isLeft(cell)) cell.value.foreach(v => add(group, i, untyped(v, encoder)))
      )
    }
    val extras =
      if (extraColumns && oneIn(2)) Vector.tabulate(1 + rng.nextInt(2))(extra) else Vector.empty
    rng.shuffle(value.toVector ++ typedColumn(schema, cells) ++ more.map(_.column) ++ extras)
  }

  /** A column of another type, beside that of the schema, for values that this cannot hold. */
  private def secondType(schema: DrawnSchema): SecondType = schema match {
    case DrawnSchema.Leaf(_) | DrawnSchema.Untyped =>
      val element = groupOf(OPTIONAL, "element", Vector(binary(valueName, OPTIONAL)))
      val field = Types
        .buildGroup(OPTIONAL)
        .as(Annotation.listType())
        .addField(groupOf(REPEATED, "list", Vector(element)))
        .named("array")
      def elements(cell: Cell) = cell.value.collect { case VariantTree.Arr(all) => all }
      val put: Put = (group, i, cell, encoder) =>
        elements(cell).foreach { all =>
          val array = group.addGroup(i)
          all.foreach { tree =>
            add(array.addGroup(0).addGroup(0), 0, untyped(tree, encoder))
          }
        }
      SecondType(Column(field, put), elements(_).isDefined)
    case DrawnSchema.Fields(_) | DrawnSchema.Elements(_) =>
      def number(cell: Cell) =
        cell.value.filter(_ => cell.typed.isEmpty).collect { case VariantTree.Int64(n) => n }
      val put: Put = (group, i, cell, _) => number(cell).foreach(group.add(i, _))
      SecondType(
        Column(Types.optional(INT64).named("typed_value"), put),
        number(_).isDefined
      )
  }

  /** Required only where every value allows it, and then sometimes. */
  private def repetition(canBeRequired: Boolean): Repetition =
    if (canBeRequired && requiredColumns && oneIn(2)) REQUIRED else OPTIONAL

  private def typedColumn(schema: DrawnSchema, cells: Seq[Cell]): Option[Column] = {
    def typed = repetition(cells.forall(_.typed.isDefined))
    schema match {
      case DrawnSchema.Untyped      => None
      case DrawnSchema.Leaf(column) =>
        val put: Put = {
          case (group, i, Cell(_, Some(Cell.Scalar(value))), _) => column.put(group, i, value)
          case _                                                => ()
        }
        Some(Column(column.field(typed, "typed_value"), put))
      case DrawnSchema.Elements(element) =>
        val below = position(element, cells.flatMap(elements))
        val list = Types
          .buildGroup(typed)
          .as(Annotation.listType())
          .addField(
            groupOf(
              REPEATED,
              "list",
              Vector(
                groupOf(
                  if (overview && oneIn(2)) OPTIONAL else REQUIRED,
                  "element",
                  below.map(_.field)
                )
              )
            )
          )
          .named(if (overview) "array" else "typed_value")
        val put: Put = {
          case (group, i, Cell(_, Some(Cell.Elements(elementCells))), encoder) =>
            val typedGroup = group.addGroup(i)
            elementCells.foreach { cell =>
              write(typedGroup.addGroup(0).addGroup(0), below, cell, encoder)
            }
          case _ => ()
        }
        Some(Column(list, put))
      case DrawnSchema.Fields(fields) =>
        val below = rng.shuffle(fields.zipWithIndex.map { case ((name, field), at) =>
          fieldGroup(name, at, field, cells)
        })
        val put: Put = {
          case (group, i, cell @ Cell(_, Some(_: Cell.Fields)), encoder) =>
            write(group.addGroup(i), below, cell, encoder)
          case _ => ()
        }
        val name = if (overview) "object" else "typed_value"
        Some(Column(groupOf(typed, name, below.map(_.field)), put))
    }
  }

  /** The group of the field that is at `at` in the cells of its object. */
  private def fieldGroup(name: String, at: Int, schema: DrawnSchema, objects: Seq[Cell]): Column = {
    val optional = optionalFields && oneIn(2)
    val below = position(schema, objects.flatMap(fields(_).map(_.cells(at))))
    val put: Put = { (group, i, obj, encoder) =>
      fields(obj).map(_.cells(at)).foreach { cell =>
        // In place of a group without values an optional group may be null.
        if (!optional || cell != Cell.Missing || oneIn(2)) {
          write(group.addGroup(i), below, cell, encoder)
        }
      }
    }
    Column(groupOf(if (optional) OPTIONAL else REQUIRED, name, below.map(_.field)), put)
  }

  private def extra(i: Int): Column = rng.nextInt(3) match {
    case 0 =>
      Column(
        Types.optional(INT32).named(s"_$i"),
        (group, at, _, _) => if (oneIn(2)) group.add(at, rng.nextInt())
      )
    case 1 =>
      Column(
        binary(s"_value$i", OPTIONAL),
        (group, at, _, _) => if (oneIn(2)) add(group, at, rng.nextBytes(5))
      )
    case _ =>
      Column(
        groupOf(OPTIONAL, s"_typed_value$i", Vector(Types.repeated(INT64).named("x"))),
        (group, at, _, _) => if (oneIn(2)) group.addGroup(at).add(0, rng.nextLong())
      )
  }
}

/**
 * The metadata of one Variant, and its parts as Variant binary with that metadata.
 */
final class DictionaryEncoder(val metadata: Array[Byte], seed: Long) {
  private val names = VariantTreeDecoder.names(metadata)

  def value(tree: VariantTree): Array[Byte] =
    VariantTreeEncoder.value(tree, names, seed ^ tree.hashCode)
}

object ShreddedGroup {
  private type Put = (Group, Int, Cell, DictionaryEncoder) => Unit

  /** A column of a group, and what puts a cell into it, at its index. */
  private final case class Column(field: Type, put: Put)

  private final case class SecondType(column: Column, takes: Cell => Boolean)

  private def write(
      group: Group,
      columns: Vector[Column],
      cell: Cell,
      encoder: DictionaryEncoder
  ): Unit = columns.zipWithIndex.foreach { case (column, i) => column.put(group, i, cell, encoder) }

  private def elements(cell: Cell): Seq[Cell] =
    cell.typed.collect { case Cell.Elements(cells) => cells }.getOrElse(Nil)

  private def fields(cell: Cell): Option[Cell.Fields] =
    cell.typed.collect { case fields: Cell.Fields => fields }

  private def groupOf(repetition: Repetition, name: String, fields: Vector[Type]): GroupType =
    Types.buildGroup(repetition).addFields(fields: _*).named(name)

  private def binary(name: String, repetition: Repetition): Type =
    Types.primitive(BINARY, repetition).named(name)

  private def add(group: Group, i: Int, bytes: Array[Byte]): Unit =
    group.add(i, ParquetBinary.fromConstantByteArray(bytes))
}

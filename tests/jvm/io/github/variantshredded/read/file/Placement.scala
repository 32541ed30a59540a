package io.github.variantshredded.read.file

import io.github.variantshredded.testing.VariantTree
import org.apache.parquet.example.data.Group
import org.apache.parquet.schema.{LogicalTypeAnnotation => Annotation, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.catalyst.InternalRow

/** Where in a row the Variants are. */
sealed abstract class Placement(val sparkType: String) {

  /** @param variant the group of the Variant, by its name */
  def field(name: String, variant: String => Type): Type

  /** @param slots what puts each Variant into its group; None for SQL NULL */
  def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit

  def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]]
}

object Placement {

  val all: Vector[Placement] = Vector(Top, InStruct, InArray, InMap, InArrayOfStructs)

  case object Top extends Placement("variant") {
    override def field(name: String, variant: String => Type): Type = variant(name)

    override def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit =
      slots.head.foreach(put => put(row.addGroup(field)))

    override def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]] =
      Some(Vector(Option(row.getVariant(ordinal)).map(FileRows.tree)))
  }

  case object InStruct extends Placement("struct<n: int, v: variant>") {
    override def field(name: String, variant: String => Type): Type =
      Types
        .optionalGroup()
        .addFields(variant("v"), Types.optional(INT32).named("n"))
        .named(name)

    override def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit = {
      val struct = row.addGroup(field)
      struct.add("n", 7)
      slots.head.foreach(put => put(struct.addGroup("v")))
    }

    override def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]] =
      Option(row.getStruct(ordinal, 2)).map { struct =>
        assert(struct.getInt(0) == 7)
        Vector(Option(struct.getVariant(1)).map(FileRows.tree))
      }
  }

  case object InArray extends Placement("array<variant>") {
    override def field(name: String, variant: String => Type): Type =
      listOf(name, variant("element"))

    override def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit = {
      val list = row.addGroup(field)
      slots.foreach { slot =>
        val entry = list.addGroup(0)
        slot.foreach(put => put(entry.addGroup(0)))
      }
    }

    override def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]] =
      Option(row.getArray(ordinal)).map { array =>
        Vector.tabulate(array.numElements()) { i =>
          Option.unless(array.isNullAt(i))(FileRows.tree(array.getVariant(i)))
        }
      }
  }

  case object InMap extends Placement("map<string, variant>") {
    override def field(name: String, variant: String => Type): Type =
      Types
        .optionalGroup()
        .as(Annotation.mapType())
        .addField(
          Types
            .repeatedGroup()
            .addFields(
              Types.required(BINARY).as(Annotation.stringType()).named("key"),
              variant("value")
            )
            .named("key_value")
        )
        .named(name)

    override def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit = {
      val map = row.addGroup(field)
      slots.zipWithIndex.foreach { case (slot, i) =>
        val entry = map.addGroup(0)
        entry.add(0, s"key $i")
        slot.foreach(put => put(entry.addGroup(1)))
      }
    }

    override def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]] =
      Option(row.getMap(ordinal)).map { map =>
        Vector.tabulate(map.numElements()) { i =>
          assert(map.keyArray().getUTF8String(i).toString == s"key $i")
          val values = map.valueArray()
          Option.unless(values.isNullAt(i))(FileRows.tree(values.getVariant(i)))
        }
      }
  }

  /** A null struct and a struct with a null Variant are not told apart here. */
  case object InArrayOfStructs extends Placement("array<struct<v: variant, n: int>>") {
    override def field(name: String, variant: String => Type): Type =
      listOf(
        name,
        Types
          .optionalGroup()
          .addFields(Types.optional(INT32).named("n"), variant("v"))
          .named("element")
      )

    override def put(row: Group, field: Int, slots: Vector[Option[Group => Unit]]): Unit = {
      val list = row.addGroup(field)
      slots.zipWithIndex.foreach { case (slot, i) =>
        val entry = list.addGroup(0)
        if (slot.isDefined || i % 2 == 0) {
          val struct = entry.addGroup(0)
          struct.add("n", i)
          slot.foreach(put => put(struct.addGroup("v")))
        }
      }
    }

    override def get(row: InternalRow, ordinal: Int): Option[Vector[Option[VariantTree]]] =
      Option(row.getArray(ordinal)).map { array =>
        Vector.tabulate(array.numElements()) { i =>
          Option.unless(array.isNullAt(i))(array.getStruct(i, 2)).flatMap { struct =>
            assert(struct.getInt(1) == i)
            Option.unless(struct.isNullAt(0))(FileRows.tree(struct.getVariant(0)))
          }
        }
      }
  }

  private def listOf(name: String, element: Type): Type =
    Types
      .optionalGroup()
      .as(Annotation.listType())
      .addField(Types.repeatedGroup().addField(element).named("list"))
      .named(name)
}

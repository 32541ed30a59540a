package io.github.variantshredded.write.shred

import io.github.variantshredded.testing.{VariantTree, VariantTreeDecoder}
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.example.data.Group

/**
 * Rebuilds Variants by the pseudo code of the section "Reconstructing a Variant" of the document
 * "Shredding Overview", slowly and without code of the product. What writers must not produce fails.
 */
object OverviewUnshredding {

  /** The Variant of a group that is one. */
  def variant(group: Group): VariantTree =
    constructVariant(group).getOrElse(throw new AssertionError("the topmost value is missing"))

  private def constructVariant(group: Group): Option[VariantTree] = {
    val untyped = column(group, "untyped_value").map(i => split(group.getBinary(i, 0).getBytes))
    val typed = column(group, "typed_value")
    val array = column(group, "array")
    val obj = column(group, "object")
    assert(Seq(typed, array, obj).flatten.size <= 1, "more than one typed column is non-null")
    if (obj.isDefined) Some(constructObject(untyped, group.getGroup("object", 0)))
    else if (array.isDefined) {
      assert(untyped.isEmpty, "untyped_value beside an array")
      Some(constructArray(group.getGroup("array", 0)))
    } else if (typed.isDefined) {
      assert(untyped.isEmpty, "untyped_value beside a typed_value")
      Some(Unshredding.primitive(group, group.getType.getType("typed_value").asPrimitiveType))
    } else {
      untyped.foreach {
        case _: Obj =>
          assert(!group.getType.containsField("object"), "an object that is not shredded")
        case _: Arr =>
          assert(!group.getType.containsField("array"), "an array that is not shredded")
        case _ => ()
      }
      untyped
    }
  }

  private def constructObject(untyped: Option[VariantTree], group: Group): VariantTree = {
    val names = (0 until group.getType.getFieldCount).map(group.getType.getFieldName)
    val shredded = names.zipWithIndex.flatMap { case (name, i) =>
      // Without a value there is no group either.
      if (group.getFieldRepetitionCount(i) == 0) None
      else {
        Some(
          name -> constructVariant(group.getGroup(i, 0))
            .getOrElse(throw new AssertionError(s"the group of the missing field '$name'"))
        )
      }
    }
    untyped match {
      case None            => Obj(shredded.toVector)
      case Some(Obj(rest)) =>
        assert(rest.nonEmpty, "an empty object in untyped_value")
        rest.foreach { case (name, _) =>
          assert(!names.contains(name), s"the shredded field '$name' is present in untyped_value")
        }
        Obj(shredded.toVector ++ rest)
      case Some(other) => throw new AssertionError(s"object is present, untyped_value is $other")
    }
  }

  private def constructArray(group: Group): VariantTree =
    Arr((0 until group.getFieldRepetitionCount("list")).map { i =>
      constructVariant(group.getGroup("list", i).getGroup("element", 0))
        .getOrElse(throw new AssertionError(s"element $i is missing"))
    }.toVector)

  private def column(group: Group, name: String): Option[Int] =
    Option.when(
      group.getType.containsField(name) && group.getFieldRepetitionCount(name) > 0
    )(group.getType.getFieldIndex(name))

  /** By the header, the size and the last offset of the metadata, which has no name in vain. */
  private def split(binary: Array[Byte]): VariantTree = {
    val width = ((binary(0) & 0xff) >>> 6) + 1
    def number(at: Int): Int =
      (0 until width).map(i => (binary(at + i) & 0xff) << (8 * i)).sum
    val size = number(1)
    val length = 1 + width * (size + 2) + number(1 + width * (size + 1))
    val (metadata, value) = binary.splitAt(length)
    val tree = VariantTree.decode(metadata, value)
    val used = VariantTree.subtrees(tree).collect { case Obj(fields) => fields.map(_._1) }
    assert(VariantTreeDecoder.names(metadata).sorted == used.flatten.toVector.distinct.sorted)
    tree
  }
}

package io.github.variantshredded.shredding.layout

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** Lists the names of the shredded fields of a Variant. */
private[variantshredded] object ShreddedNames {

  /** Returns the UTF-8 names of all shredded fields, by ordinal. */
  def of(variant: VariantGroup): Array[Array[Byte]] = {
    val names = mutable.ArrayBuffer.empty[(Int, String)]
    def visit(node: VariantPosition): Unit = node.typedValue.foreach { typed =>
      typed.asObject.foreach { obj =>
        obj.names.zipWithIndex.foreach { case (name, i) => names += (obj.ordinal + i) -> name }
        obj.fields.foreach(visit)
      }
      typed.asList.foreach(list => visit(list.element))
    }
    visit(variant.root)
    names.sortBy(_._1).map(_._2.getBytes(UTF_8)).toArray
  }
}

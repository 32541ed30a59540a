package io.github.variantshredded.fuzz

import scala.util.Try

import io.github.variantshredded.testing.VariantTree
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types.{DataType, VariantType}
import org.apache.spark.unsafe.types.VariantVal

/** What Spark casts a Variant to. */
object SampleCast {

  /** The value, as Catalyst has it; null if the Variant cannot be cast. */
  def apply(tree: VariantTree, target: DataType): Any = {
    val (metadata, value) = VariantTree.encode(tree)
    val variant = Literal(new VariantVal(value, metadata), VariantType)
    val get = VariantGet(variant, Literal("$"), target, failOnError = false, Some("UTC"))
    Try(get.eval()).getOrElse(null)
  }

  def literal(tree: VariantTree, target: DataType): Option[String] =
    Option(apply(tree, target)).map(Literal(_, target).sql)
}

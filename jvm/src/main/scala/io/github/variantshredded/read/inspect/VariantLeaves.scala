package io.github.variantshredded.read.inspect

import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.FileSchema
import io.github.variantshredded.read.options.VariantRules
import io.github.variantshredded.read.skip.PathSkipping
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.layout.{
  Layout,
  TypedValue,
  VariantGroup,
  VariantLeaf,
  VariantPosition
}
import io.github.variantshredded.variant.VariantPath

/** Describes the leaf columns of a Variant, with the paths of their values. */
private[inspect] object VariantLeaves {

  /** Returns the leaf columns of a Variant. */
  def of(
      group: VariantGroup,
      schema: FileSchema,
      rules: VariantRules,
      decoding: DecoderSettings
  ): Seq[FileLeaf] = {
    val predicates =
      new PathSkipping.OfVariant(group, schema, rules, decoding.variantRebaseMode)
    new VariantLeaves(group, predicates).all
  }
}

/** Walks through the positions of a Variant, and describes their leaf columns. */
private final class VariantLeaves(group: VariantGroup, predicates: PathSkipping.OfVariant) {

  private val layout =
    if (group.layout == Layout.Spec && group.root.typedValue.isEmpty) "unshredded"
    else group.layout.name

  /** Returns the leaf columns of the Variant. */
  def all: Seq[FileLeaf] =
    group.metadata.toSeq.map(described(_, VariantPath.Root, None, None, None)) ++
      at(group.root, Nil, None, inInnerArray = false)

  /**
   * Returns the leaf columns at a position, and at those below it.
   *
   * @param path
   *   the fields that lead to the position, or to the array that it is in
   * @param inElements
   *   the fields that lead from an element of that array to the position; None outside of arrays
   * @param inInnerArray
   *   whether the position is in an array in another array
   */
  private def at(
      position: VariantPosition,
      path: Seq[String],
      inElements: Option[Seq[String]],
      inInnerArray: Boolean
  ): Seq[FileLeaf] = {
    lazy val skipping =
      if (inInnerArray) predicates.nowhere else predicates.at(position, path, inElements)
    val residual = position.value.toSeq.map { value =>
      described(value, position.path, Some("variant"), Some(value), Some(skipping))
    }
    residual ++ position.typedValue.toSeq.flatMap(_.branches).flatMap {
      case _: TypedValue.OneOf                       => Nil
      case TypedValue.Primitive(typed, shreddedType) =>
        val dataType = ShreddingText.render(ShreddingSchema.Primitive(shreddedType))
        Seq(described(typed, position.path, Some(dataType), position.value, Some(skipping)))
      case list: TypedValue.ListGroup =>
        at(list.element, path, Some(Nil), inInnerArray = inElements.isDefined)
      case obj: TypedValue.ObjectGroup =>
        obj.names.zip(obj.fields).flatMap { case (name, field) =>
          inElements match {
            case None         => at(field, path :+ name, None, inInnerArray)
            case Some(fields) => at(field, path, Some(fields :+ name), inInnerArray)
          }
        }
    }
  }

  private def described(
      leaf: VariantLeaf,
      path: String,
      dataType: Option[String],
      residual: Option[VariantLeaf],
      skipping: Option[PathSkipping]
  ): FileLeaf = {
    val parquetPath = leaf.descriptor.getPath.toIndexedSeq
    FileLeaf(
      parquetPath,
      group.column,
      Some(LeafOfVariant(path, parquetPath.last, layout)),
      dataType,
      residual.map(value => ResidualLeaf(value.descriptor.getPath.toIndexedSeq, group.layout)),
      skipping
    )
  }
}

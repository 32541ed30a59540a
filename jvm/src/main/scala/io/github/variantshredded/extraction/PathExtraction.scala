package io.github.variantshredded.extraction

import io.github.variantshredded.variant.VariantPath

/**
 * Something that a scan reads out of a Variant column in place of the whole Variant.
 *
 * @param column
 *   name of the column, and of the fields that lead to the Variant where it is inside of structs
 * @param path
 *   steps from the Variant's root
 */
final case class PathExtraction(column: Seq[String], path: Seq[PathStep], what: Extracted) {

  /** As a plan shows it and as the scan's column is called: `v:a.b[0]::bigint`. */
  def name: String = {
    val steps = path.foldLeft(new StringBuilder) {
      case (text, PathStep.Field(name))    => VariantPath.appendField(text, name)
      case (text, PathStep.Element(index)) => VariantPath.appendElement(text, index)
    }
    val at =
      column.mkString(".") + (if (path.isEmpty) "" else s":${steps.toString.stripPrefix(".")}")
    what match {
      case Extracted.Value(target, true, _)  => s"$at::${target.simpleString}"
      case Extracted.Value(target, false, _) => s"try($at::${target.simpleString})"
      case Extracted.IsVariantNull           => s"is_variant_null($at)"
      case Extracted.IsPresent               => s"is_present($at)"
    }
  }
}

package io.github.variantshredded.extraction

import io.github.variantshredded.variant.VariantPath

/**
 * Describes an extraction that a scan delivers as a column in place of the whole Variant.
 *
 * @param column
 *   name of the column, followed by the names of struct fields if the Variant is within structs
 * @param path
 *   path in the Variant, from the root
 */
final case class ScanExtraction(column: Seq[String], path: Seq[PathStep], what: ExtractionResult) {

  /** Returns the name of the scan's column, which plans show: `v:a.b[0]::bigint`. */
  def name: String = {
    val steps = path.foldLeft(new StringBuilder) {
      case (text, PathStep.Field(name))    => VariantPath.appendField(text, name)
      case (text, PathStep.Element(index)) => VariantPath.appendElement(text, index)
    }
    val at =
      column.mkString(".") + (if (path.isEmpty) "" else s":${steps.toString.stripPrefix(".")}")
    what match {
      case ExtractionResult.Value(target, true, _, _)  => s"$at::${target.simpleString}"
      case ExtractionResult.Value(target, false, _, _) => s"try($at::${target.simpleString})"
      case ExtractionResult.IsVariantNull              => s"is_variant_null($at)"
      case ExtractionResult.IsPresent                  => s"is_present($at)"
    }
  }
}

package io.github.variantshredded.shredding.layout

/**
 * Describes a Variant column as one file stores it: its leaf columns, and what each of them holds.
 *
 * {{{
 * optional group v (VARIANT) {           <- this
 *   required binary metadata;            <- metadata
 *   optional binary value;               <- root.value
 *   optional int64 typed_value;          <- root.typedValue
 * }
 * }}}
 *
 * @param column
 *   dotted path of the group in the file
 * @param levels
 *   levels of the group itself; below its definition level, the Variant is SQL NULL
 * @param metadata
 *   the column `metadata`; None in the earlier layout, where each residual value has metadata of
 *   its own
 * @param leaves
 *   all leaf columns, in the order of the file; `metadata` first
 */
final class VariantGroup(
    val column: String,
    val parquetPath: Seq[String],
    val levels: Levels,
    val required: Boolean,
    val metadata: Option[VariantLeaf],
    val root: VariantPosition,
    val leaves: Array[VariantLeaf]
) {
  def layout: Layout = root.layout
}

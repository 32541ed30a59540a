package io.github.variantshredded.write.shred

import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.variant.MetadataDictionary

/** One encoded Variant through the shredder, for tests of other packages. */
object ShreddedVariant {
  private val own = new OwnVariant

  def write(
      schema: ShreddingSchema,
      layout: Layout,
      metadata: Array[Byte],
      value: Array[Byte]
  ): Unit = {
    val _ = ShreddedGroups.write(schema, ShredderSettings(layout = layout), Seq(metadata -> value))
  }

  /** As code of the tests puts it together again, and as the product does. */
  def roundTrip(
      schema: ShreddingSchema,
      layout: Layout,
      metadata: Array[Byte],
      value: Array[Byte]
  ): (VariantTree, VariantTree) = {
    val settings = ShredderSettings(layout = layout)
    val group = ShreddedGroups.shred(schema, settings, Seq(metadata -> value)).head
    val unshredded = layout match {
      case Layout.Spec     => Unshredding.variant(group)
      case Layout.Overview => OverviewUnshredding.variant(group)
    }
    val file = ShreddedGroups.write(schema, settings, Seq(metadata -> value))
    val rebuilt = FileRows.variants(file, "v").head.get
    (unshredded, rebuilt)
  }

  /** The value with the names that are in it alone. */
  def own(value: Array[Byte], names: MetadataDictionary): VariantTree = {
    own.encode(value, 0, value.length, names)
    val binary = own.bytes.take(own.length)
    val length = MetadataDictionary.lengthAt(binary, 0, binary.length)
    VariantTree.decode(binary.take(length), binary.drop(length))
  }
}

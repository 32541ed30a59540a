package io.github.variantshredded.variant

/** The two ways of `VariantValidator`, for tests of other packages. */
object ValidatorWays {
  private val validator = new VariantValidator

  def check(value: Array[Byte], names: MetadataDictionary): Unit =
    validator.check(value, 0, value.length, names)

  def checkInDepth(value: Array[Byte], names: MetadataDictionary): Unit = {
    VariantReader.checkRange(value, 0, value.length)
    validator.checkInDepth(value, 0, value.length, names, VariantConstants.DefaultMaxDepth)
  }
}

package io.github.variantshredded.takeover

/**
 * Describes another source, in the place of which this one reads files.
 *
 * @param name
 *   its name, which EXPLAIN shows
 * @param isV2
 *   whether it reads the files through Data Source V2
 * @param asSpark
 *   whether it reads its files by Spark's reader, whose values this source gives then
 */
private[takeover] final case class OtherSource(
    name: String,
    isV2: Boolean = false,
    asSpark: Boolean = true
)

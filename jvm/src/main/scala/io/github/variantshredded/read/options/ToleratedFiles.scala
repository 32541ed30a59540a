package io.github.variantshredded.read.options

/**
 * Says which files a read skips instead of ending in an error.
 *
 * @param corrupt
 *   whether corrupt files are skipped (`ignoreCorruptFiles`)
 * @param missing
 *   whether files that have been deleted since they were listed are skipped (`ignoreMissingFiles`)
 */
final case class ToleratedFiles(corrupt: Boolean, missing: Boolean)

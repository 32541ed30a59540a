package io.github.variantshredded.read.options

/**
 * Says which files a read skips instead of ending in an error.
 *
 * @param corrupt
 *   whether corrupt files are skipped (`ignoreCorruptFiles`)
 * @param missing
 *   whether files that have been deleted since they were listed are skipped (`ignoreMissingFiles`)
 * @param asDataSourceV2
 *   whether errors are treated as by Spark's readers of Data Source V2: a missing file is a corrupt
 *   one, too, and Spark looks for it only while it is opened. In Spark's readers of Data Source V1,
 *   and in those of this source, a missing file is skipped only by `missing`, at any time.
 */
final case class ToleratedFiles(
    corrupt: Boolean,
    missing: Boolean,
    asDataSourceV2: Boolean = false
)

package io.github.variantshredded.takeover.reshred

/**
 * Says how many rows, files and bytes were rewritten.
 *
 * @param version
 *   the version of the table that has the new files
 * @param checksum
 *   the sum of what the rows mean, before and after
 */
final case class DeltaReshredResult(
    version: Long,
    rows: Long,
    checksum: String,
    sourceFiles: Int,
    targetFiles: Int,
    sourceBytes: Long,
    targetBytes: Long
)

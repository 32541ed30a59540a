package io.github.variantshredded.read.options

/**
 * Says how dates and timestamps of old files, and of other writers, are converted.
 *
 * @param rebaseMode
 *   `EXCEPTION`, `LEGACY` or `CORRECTED`: how dates and timestamps are rebased, if the file does
 *   not tell its calendar
 * @param int96RebaseMode
 *   the same setting for INT96 timestamps
 * @param int96TimeZone
 *   the time zone to which INT96 timestamps of other writers are adjusted; None if they are not
 */
final case class DatetimeSettings(
    rebaseMode: String,
    int96RebaseMode: String,
    int96TimeZone: Option[String]
)

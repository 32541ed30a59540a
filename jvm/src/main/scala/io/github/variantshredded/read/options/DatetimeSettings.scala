package io.github.variantshredded.read.options

import org.apache.spark.sql.internal.LegacyBehaviorPolicy

/**
 * Says how dates and timestamps of old files, and of other writers, are converted.
 *
 * @param rebaseMode
 *   how dates and timestamps are rebased if the file does not say which calendar it uses
 * @param int96RebaseMode
 *   the same setting for INT96 timestamps
 * @param int96TimeZone
 *   the time zone to which INT96 timestamps of other writers are adjusted; None if they are not
 */
final case class DatetimeSettings(
    rebaseMode: LegacyBehaviorPolicy.Value,
    int96RebaseMode: LegacyBehaviorPolicy.Value,
    int96TimeZone: Option[String]
)

package io.github.variantshredded.read.skip

import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.internal.LegacyBehaviorPolicy

/**
 * Converts dates and timestamps of statistics, if they are the same in the legacy calendar and in
 * the proleptic Gregorian calendar.
 *
 * @param mode
 *   `CORRECTED` if the file was written with the proleptic Gregorian calendar, so that all values
 *   can be used; otherwise only those after the switch of calendars can
 */
private[skip] final class CalendarRebase(mode: LegacyBehaviorPolicy.Value) {

  /** True if all values can be used as they are stored. */
  val isNone: Boolean = mode == LegacyBehaviorPolicy.CORRECTED

  def date(days: Int): Option[Int] =
    Option.when(isNone || days >= RebaseDateTime.lastSwitchJulianDay)(days)

  def timestamp(micros: Long): Option[Long] =
    Option.when(isNone || micros >= RebaseDateTime.lastSwitchJulianTs)(micros)
}

private[skip] object CalendarRebase {
  val None: CalendarRebase = new CalendarRebase(LegacyBehaviorPolicy.CORRECTED)
}

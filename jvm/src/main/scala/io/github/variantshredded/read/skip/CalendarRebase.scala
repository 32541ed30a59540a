package io.github.variantshredded.read.skip

import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.internal.LegacyBehaviorPolicy

/**
 * Tells which dates and timestamps of a file mean the same in the old calendar and in the new one.
 *
 * @param mode
 *   `CORRECTED`: all of them, as the file was written in the new one; else only those after the change
 *   of calendars
 */
private[skip] final class CalendarRebase(mode: LegacyBehaviorPolicy.Value) {

  /** Whether every value is what it says. */
  val isNone: Boolean = mode == LegacyBehaviorPolicy.CORRECTED

  def date(days: Int): Option[Int] =
    Option.when(isNone || days >= RebaseDateTime.lastSwitchJulianDay)(days)

  def timestamp(micros: Long): Option[Long] =
    Option.when(isNone || micros >= RebaseDateTime.lastSwitchJulianTs)(micros)
}

private[skip] object CalendarRebase {
  val None: CalendarRebase = new CalendarRebase(LegacyBehaviorPolicy.CORRECTED)
}

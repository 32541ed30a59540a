package io.github.variantshredded.read.skip

import org.apache.spark.sql.catalyst.util.RebaseDateTime

/**
 * Dates and timestamps of files that may have been written by the old calendar.
 *
 * @param mode
 *   `CORRECTED`: they are what they say; else only those after the change of calendars are
 */
private[skip] final class CalendarRebase(mode: String) {

  /** Whether every value is what it says. */
  val isNone: Boolean = mode == "CORRECTED"

  def date(days: Int): Option[Int] =
    Option.when(isNone || days >= RebaseDateTime.lastSwitchJulianDay)(days)

  def timestamp(micros: Long): Option[Long] =
    Option.when(isNone || micros >= RebaseDateTime.lastSwitchJulianTs)(micros)
}

private[skip] object CalendarRebase {
  val None: CalendarRebase = new CalendarRebase("CORRECTED")
}

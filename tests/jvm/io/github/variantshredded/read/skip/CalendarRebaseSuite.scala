package io.github.variantshredded.read.skip

import java.time.LocalDate

import org.apache.spark.sql.internal.LegacyBehaviorPolicy.{CORRECTED, EXCEPTION, LEGACY}
import org.scalatest.funsuite.AnyFunSuite

/** From 1582-10-15 on, a date means the same in both calendars. */
class CalendarRebaseSuite extends AnyFunSuite {

  private val firstDay = LocalDate.of(1582, 10, 15).toEpochDay.toInt

  private val MicrosPerDay = 86400L * 1000 * 1000

  test("a file of the new calendar has all dates and timestamps as they are") {
    Seq(new CalendarRebase(CORRECTED), CalendarRebase.None).foreach { rebase =>
      assert(rebase.isNone)
      Seq(Int.MinValue, firstDay - 1, 0, Int.MaxValue).foreach { days =>
        assert(rebase.date(days) === Some(days))
      }
      Seq(Long.MinValue, firstDay * MicrosPerDay - 1, 0L, Long.MaxValue).foreach { micros =>
        assert(rebase.timestamp(micros) === Some(micros))
      }
    }
  }

  test("a file of the old or an unknown calendar has dates as they are from the change on") {
    Seq(LEGACY, EXCEPTION).foreach { mode =>
      val rebase = new CalendarRebase(mode)
      assert(!rebase.isNone)
      Seq(firstDay, firstDay + 1, 0, Int.MaxValue).foreach { days =>
        assert(rebase.date(days) === Some(days))
      }
      Seq(firstDay - 1, firstDay - 10, Int.MinValue).foreach { days =>
        assert(rebase.date(days) === None)
      }
    }
  }

  test("timestamps that may lie before the change in some time zone are not known") {
    Seq(LEGACY, EXCEPTION).foreach { mode =>
      val rebase = new CalendarRebase(mode)
      // Time zones are less than a day apart from UTC; Spark's bound of timestamps is much later.
      Seq(Long.MinValue, (firstDay + 1) * MicrosPerDay).foreach { micros =>
        assert(rebase.timestamp(micros) === None)
      }
      Seq(0L, Long.MaxValue).foreach(micros => assert(rebase.timestamp(micros) === Some(micros)))
      val bound = org.apache.spark.sql.catalyst.util.RebaseDateTime.lastSwitchJulianTs
      assert(rebase.timestamp(bound) === Some(bound))
      assert(rebase.timestamp(bound - 1) === None)
    }
  }
}

package io.github.variantshredded.testing

import org.apache.spark.sql.SparkSession

/** Settings of a session that hold for a part of a test. */
object Settings {

  /** Runs `body` with the settings, and puts back what was there before. */
  def within[T](spark: SparkSession, settings: (String, String)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally
      before.foreach {
        case (key, Some(value)) => spark.conf.set(key, value)
        case (key, None)        => spark.conf.unset(key)
      }
  }
}

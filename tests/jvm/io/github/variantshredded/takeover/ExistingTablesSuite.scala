package io.github.variantshredded.takeover

import io.github.variantshredded.VariantShreddedExtensions
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame

/**
 * Queries on tables of another source, in a session with the extension.
 *
 * @param source
 *   name of the other source
 */
abstract class ExistingTablesSuite(source: String) extends PathSuite {

  override protected def sessionSettings: Map[String, String] = Map(
    "spark.sql.extensions" -> classOf[VariantShreddedExtensions].getName
  )

  protected final val Setting = "spark.sql.variantShredded.takeOver"

  protected final val PushDown = "spark.sql.variant.pushVariantIntoScan"

  protected def isTakenOver(query: DataFrame): Boolean =
    query.queryExecution.executedPlan.toString.contains(s"TakenOverFrom: $source")

  /** The same query, planned anew by the settings of now. */
  private def planned(query: => DataFrame, takenOver: Boolean): Seq[String] = {
    val rows = query
    assert(isTakenOver(rows) == takenOver, rows.queryExecution)
    answer(rows)
  }

  protected def answer(query: => DataFrame): Seq[String] =
    query.collect().map(_.toString).sorted.toSeq

  /**
   * Compares the answers with the setting on and off, and returns them.
   *
   * @param takenOver
   *   whether this source is to read the table if the setting is on
   */
  protected def same(query: => DataFrame, takenOver: Boolean = true): Seq[String] = {
    val off = withConf(Setting -> "none")(planned(query, takenOver = false))
    assert(planned(query, takenOver) == off)
    off
  }
}

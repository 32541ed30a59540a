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

  /** Settings with which the other source reads its tables. */
  protected def off: Seq[(String, String)] = Seq(Setting -> "none")

  protected def isTakenOver(query: DataFrame): Boolean =
    query.queryExecution.executedPlan.toString.contains(s"TakenOverFrom: $source")

  protected def answer(query: DataFrame): Seq[String] =
    query.collect().map(_.toString).sorted.toSeq

  /** Checks who reads the table, and returns the answer. The query is planned once for both. */
  protected def answer(query: DataFrame, takenOver: Boolean): Seq[String] = {
    assert(isTakenOver(query) == takenOver, query.queryExecution)
    answer(query)
  }

  /** Checks that a relation of the query is left to Spark, and that EXPLAIN says why. */
  protected def declined(query: => DataFrame, reason: String): Unit = {
    same(query, takenOver = false)
    val plan = query.queryExecution.executedPlan.toString
    assert(plan.contains(s"(not variant-shredded: $reason"), plan)
  }

  /**
   * Compares the answers with the setting on and off, and returns them.
   *
   * @param takenOver
   *   whether this source is to read the table if the setting is on
   */
  protected def same(query: => DataFrame, takenOver: Boolean = true): Seq[String] = {
    val wanted = withConf(off: _*)(answer(query, takenOver = false))
    assert(answer(query, takenOver) == wanted)
    wanted
  }
}

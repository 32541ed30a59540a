package io.github.variantshredded.replace

import io.github.variantshredded.optimizer.ExtractionFixture
import org.apache.spark.sql.{classic, DataFrame}
import org.apache.spark.sql.catalyst.expressions.Expression

/** What suites of replaced expressions share. */
abstract class ReplacementSuite extends ExtractionFixture {

  /** Whether the optimized plan, or a subquery of it, has an expression of which `isOurs` holds. */
  protected def has(df: DataFrame)(isOurs: Expression => Boolean): Boolean =
    df.asInstanceOf[classic.Dataset[_]]
      .queryExecution
      .optimizedPlan
      .collectWithSubqueries { case plan => plan.expressions }
      .flatten
      .exists(_.exists(isOurs))

  /**
   * Compares the answers with Spark's, with and without generated code.
   *
   * @param isReplaced
   *   whether a query has the expression of this source
   */
  protected def sameInAllModes(queries: Seq[String])(isReplaced: DataFrame => Boolean): Unit = {
    val modes = Seq(
      "spark.sql.codegen.wholeStage" -> "true",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )
    for (query <- queries; mode <- modes) {
      withConf(mode) {
        val wanted = bySpark(rows(spark.sql(query)))
        byUs(pushed = true) {
          assert(isReplaced(spark.sql(query)), query)
          assert(rows(spark.sql(query)) === wanted, s"$query, $mode")
        }
      }
    }
  }
}

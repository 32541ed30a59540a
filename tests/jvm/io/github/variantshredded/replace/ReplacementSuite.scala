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
}

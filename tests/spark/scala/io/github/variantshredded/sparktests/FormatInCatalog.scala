package io.github.variantshredded.sparktests

import io.github.variantshredded.options.Format
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedTableSpec}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Creates tables `USING parquet` with the provider `variant_shredded`, as a user of this source
 * creates them. Spark's catalogs treat some providers in a special way, `parquet` among them.
 *
 * The build names this class in `spark.sql.extensions` for all sessions of Spark's tests.
 */
final class FormatInCatalog extends (SparkSessionExtensions => Unit) {

  // Rules for hints run before the tables of a statement are resolved.
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectHintResolutionRule(_ => FormatInCatalog)
}

private object FormatInCatalog extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveExpressions {
    case table: UnresolvedTableSpec if table.provider.exists(_.equalsIgnoreCase("parquet")) =>
      table.copy(provider = Some(Format.SqlName))
  }
}

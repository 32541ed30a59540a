package io.github.variantshredded.write.file

import java.util.Locale

import org.apache.spark.sql.connector.metric.CustomMetric

/**
 * Reports the share of residual values in the bytes of the Variants, in thousandths, as
 * [[WriteCount]] reports counts.
 */
final class ResidualShare extends CustomMetric {
  override def name(): String = "residualShare"

  override def description(): String = "Variants' bytes without a typed column"

  override def aggregateTaskMetrics(perMille: Array[Long]): String =
    ResidualShare.text(perMille.sum)
}

private[write] object ResidualShare {
  def text(perMille: Long): String = "%.1f %%".formatLocal(Locale.ROOT, perMille / 10.0)
}

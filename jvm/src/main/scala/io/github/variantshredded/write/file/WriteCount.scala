package io.github.variantshredded.write.file

import org.apache.spark.sql.connector.metric.CustomSumMetric

/**
 * Reports a count of a write that only the driver knows.
 *
 * To show a metric, Spark's UI creates another instance of its class by the constructor without
 * parameters; it knows the name and the description already.
 */
final class WriteCount private[write] (
    override val name: String,
    override val description: String
) extends CustomSumMetric {
  def this() = this("", "")
}

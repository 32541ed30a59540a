package io.github.variantshredded.testing

import org.scalatest.Assertions

/** Takes the scan out of the text of EXPLAIN FORMATTED, without what differs in each run. */
object ExplainedScan extends Assertions {

  /** Settings with which the text is the same whatever those of the session are. */
  val settings: Seq[(String, String)] = Seq(
    "spark.sql.session.timeZone" -> "UTC",
    "spark.sql.maxMetadataStringLength" -> "4000",
    "spark.sql.debug.maxToStringFields" -> "100"
  )

  /**
   * Returns what the text says about the only scan of files in it.
   *
   * @param path
   *   the path that is read, which the result calls PATH; each file in it is called FILE
   */
  def of(explanation: String, path: String): String = {
    val nodes = explanation
      .split("\n\n")
      .map(_.trim)
      .filter(_.matches("(?s)\\(\\d+\\) (Batch|MicroBatch)?Scan.*"))
    assert(nodes.length === 1, explanation)
    nodes.head
      .replaceAll("^\\(\\d+\\) ", "")
      .replace(path, "PATH")
      .replaceAll("file:PATH/[^,\\]]+", "FILE")
      .replaceAll("#\\d+L?", "")
      .replaceAll("(?m)[ ]+$", "")
      // Spark's own text of the predicates.
      .replaceAll("(?m)^DataFilters: .*\n", "")
  }
}

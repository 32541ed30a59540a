package io.github.variantshredded.testing

import org.apache.spark.sql.{DataFrame, Encoder, Encoders}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQuery

/** Gives suites of paths streams of their rows, and queries that write them. */
trait StreamedRows { this: PathSuite =>

  protected val ints: Encoder[Int] = Encoders.scalaInt

  /** Rows (n, p = n % 3, v = {"n": n}) for the numbers in the column `value`. */
  protected def variants(numbers: DataFrame): DataFrame = numbers.selectExpr(
    "value as n",
    "value % 3 as p",
    "parse_json(concat('{\"n\": ', value, '}')) as v"
  )

  /** A stream of such rows, for the numbers that are added to its source. */
  protected def stream(): (MemoryStream[Int], DataFrame) = {
    val source = MemoryStream[Int](ints, spark)
    (source, variants(source.toDF()))
  }

  /** Does `body` with a query that writes a stream to a path, and stops the query. */
  protected def withQuery[T](stream: DataFrame, to: String, partitionBy: String*)(
      body: StreamingQuery => T
  ): T = {
    val query = stream.writeStream
      .format("variant-shredded")
      .option("checkpointLocation", newPath())
      .partitionBy(partitionBy: _*)
      .start(to)
    try body(query)
    finally query.stop()
  }
}

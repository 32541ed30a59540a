package io.github.variantshredded.fuzz

import java.io.{ByteArrayOutputStream, PrintStream}

import io.github.variantshredded.testing.{Cases, TemporaryFolder}
import org.scalatest.funsuite.AnyFunSuite

/** A few of the queries of `make fuzz-queries`, always the same. */
class QueryFuzzSuite extends AnyFunSuite with TemporaryFolder {

  test("random queries of random files have Spark's answers") {
    val spark = FuzzSession.start(folder.resolve("warehouse").toUri.toString)
    val text = new ByteArrayOutputStream
    val out = new PrintStream(text, true)
    try {
      val fuzzer = new QueryFuzzer(spark, folder, seed = 18, out)
      fuzzer.run(Cases(10))
      // With this seed, the tables of these rounds are read in the place of Spark's Parquet source,
      // by its first and by its second interface.
      for (round <- Seq(1L, 3L)) {
        val before = fuzzer.queriesTakenOver
        fuzzer.only(round, 0 until 20)
        assert(fuzzer.queriesTakenOver > before, s"nothing is taken over in round $round")
      }
      info(fuzzer.summary)
      assert(!fuzzer.failed, s"${text.toString}\n${fuzzer.summary}")
    } finally spark.stop()
  }
}

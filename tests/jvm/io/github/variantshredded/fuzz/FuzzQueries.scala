package io.github.variantshredded.fuzz

import java.nio.file.Files

import org.apache.commons.io.FileUtils

/**
 * `make fuzz-queries`: asks random queries of random files, at length.
 *
 * Arguments: how many queries, the seed (by the clock if there is none), and the case, as
 * `round.query`, if only one is to be run.
 */
object FuzzQueries {

  def main(args: Array[String]): Unit = {
    val queries = args.headOption.fold(100000L)(_.toLong)
    val seed = args.lift(1).filter(_.nonEmpty).fold(System.currentTimeMillis)(_.toLong)
    val folder = Files.createTempDirectory("fuzz-queries")
    val spark = FuzzSession.start(folder.resolve("warehouse").toUri.toString)
    val fuzzer = new QueryFuzzer(spark, folder, seed, System.out)
    try
      args.lift(2).filter(_.nonEmpty).map(_.split('.')) match {
        case Some(Array(round, query)) => fuzzer.only(round.toLong, query.toInt to query.toInt)
        case Some(Array(round))        => fuzzer.only(round.toLong)
        case _                         => fuzzer.run(queries)
      }
    finally {
      System.out.println(fuzzer.summary)
      spark.stop()
      FileUtils.deleteDirectory(folder.toFile)
    }
    sys.exit(if (fuzzer.failed) 1 else 0)
  }
}

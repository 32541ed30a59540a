package io.github.variantshredded.fuzz

/** Random settings of the session that must not change what a query says about the files. */
object RandomSettings {

  def of(dice: Dice): Map[String, String] = {
    def flag(key: String, oneIn: Int) = key -> dice.oneIn(oneIn).toString
    val compiled = dice.oneIn(12)
    Map(
      "spark.sql.ansi.enabled" -> dice.oneIn(2).toString,
      "spark.sql.session.timeZone" -> dice.pick(
        Vector("UTC", "America/Los_Angeles", "Asia/Kathmandu", "Europe/Berlin")
      ),
      flag("spark.sql.caseSensitive", 4),
      flag("spark.sql.columnVector.offheap.enabled", 4),
      "spark.sql.parquet.columnarReaderBatchSize" -> dice.pick(
        Vector("1", "3", "16", "4096", "4096")
      ),
      "spark.sql.codegen.wholeStage" -> compiled.toString,
      // Interpreted expressions are as good, and need not be compiled for every query.
      "spark.sql.codegen.factoryMode" -> (if (compiled) "FALLBACK" else "NO_CODEGEN"),
      flag("spark.sql.adaptive.enabled", 6),
      "spark.sql.shuffle.partitions" -> dice.weighted(9 -> "1", 1 -> "3"),
      "spark.sql.autoBroadcastJoinThreshold" -> dice
        .weighted(3 -> "10485760", 2 -> "-1", 1 -> "9000"),
      flag("spark.sql.planChangeValidation", 25),
      "spark.sql.variantShredded.lateMaterializationMinBytes" -> dice.pick(
        Vector("0", "0", "100", "1048576")
      ),
      "spark.sql.variantShredded.planningFooters" -> dice.pick(Vector("0", "1", "8")),
      "spark.sql.variantShredded.pushDownPredicates" -> (!dice.oneIn(5)).toString,
      "spark.sql.parquet.filterPushdown" -> (!dice.oneIn(4)).toString,
      "spark.sql.files.maxPartitionBytes" -> dice.weighted(15 -> "128m", 1 -> "9000b")
    )
  }

  /** For the answers to compare with: nothing is pushed down and nothing is left out. */
  val nothingPushed: Map[String, String] = Map(
    "spark.sql.variantShredded.pushDownExtractions" -> "false",
    "spark.sql.variantShredded.pushDownPredicates" -> "false"
  )
}

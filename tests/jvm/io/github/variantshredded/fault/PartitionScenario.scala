package io.github.variantshredded.fault

import org.apache.spark.sql.DataFrame

/**
 * A statement on partitions of a table by name. As it may change nothing but the partition of a row,
 * the numbers that are read are `n + 100 * p`.
 */
final case class PartitionScenario(name: String, after: Seq[Int], statement: String)
    extends Scenario {

  import PartitionScenario._

  private val table = TableScenario(name, Some(Scenario.Old), Nil, TableScenario.sql(statement))

  override val before: Option[Seq[Int]] = Some(Scenario.Old.map(inPartition))

  override def prepare(place: Place): Unit = table.prepare(place)

  override def run(place: Place): Unit = table.run(place)

  override def read(place: Place): DataFrame = withPartition(table.read(place))

  override def readBySpark(place: Place): DataFrame = withPartition(table.readBySpark(place))

  override def keep(place: Place): () => Unit = table.keep(place)

  /** Other jobs, and the statement itself if it is not done yet, with an append after it. */
  override def next: Seq[NextJob] = again +: table.next.map { job =>
    // The job adds rows of the numbers 20 and 21.
    job.copy(after = job.after(_).map(n => if (n == 21) inPartition(n) else n))
  }

  private def again: NextJob = NextJob(
    "the same statement, and an append",
    place => {
      val found = read(place).select("n").collect().map(_.getInt(0)).toSeq.sorted
      if (found != after.sorted) run(place)
      table.next.head.run(place)
    },
    _ => after ++ Seq(20, inPartition(21))
  )
}

object PartitionScenario {

  import Scenario.Old

  private def inPartition(n: Int): Int = n + 100 * (n % 2)

  private def withPartition(rows: DataFrame): DataFrame = rows.selectExpr(
    "n + 100 * p AS n",
    "parse_json(concat('{\"a\":', v:a::int + 100 * p, '}')) AS v"
  )

  private val kept = Old.filter(_ % 2 == 0)

  val Rename: PartitionScenario = PartitionScenario(
    "rename partition",
    Old.map(n => n + 700 * (n % 2)),
    "ALTER TABLE {t} PARTITION (p = 1) RENAME TO PARTITION (p = 7)"
  )

  val Drop: PartitionScenario =
    PartitionScenario("drop partition", kept, "ALTER TABLE {t} DROP PARTITION (p = 1)")

  val All: Seq[PartitionScenario] = Seq(
    Rename,
    Drop,
    PartitionScenario("truncate partition", kept, "TRUNCATE TABLE {t} PARTITION (p = 1)"),
    PartitionScenario("delete partition, by name", kept, "DELETE FROM {t} WHERE p = 1")
  )
}

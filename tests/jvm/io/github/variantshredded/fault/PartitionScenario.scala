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

  override def prepare(target: Target): Unit = table.prepare(target)

  override def run(target: Target): Unit = table.run(target)

  override def read(target: Target): DataFrame = withPartition(table.read(target))

  override def readBySpark(target: Target): DataFrame = withPartition(table.readBySpark(target))

  override def keep(target: Target): () => Unit = table.keep(target)

  /** Other jobs, and the statement itself if it is not done yet, with an append after it. */
  override def next: Seq[NextJob] = again +: table.next.map { job =>
    // The job adds rows of the numbers 20 and 21.
    job.copy(after = job.after(_).map(n => if (n == 21) inPartition(n) else n))
  }

  private def again: NextJob = NextJob(
    "the same statement, and an append",
    target => {
      val found = read(target).select("n").collect().map(_.getInt(0)).toSeq.sorted
      if (found != after.sorted) run(target)
      table.next.head.run(target)
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

package io.github.variantshredded.fault

import scala.util.Random

/** A write that runs at the same time as others. */
sealed trait ConcurrentJob {

  /** The numbers that are there after it, if `numbers` are there before. */
  def after(numbers: Set[Int]): Set[Int]

  /** Whether it reads files that others may delete. */
  def reads: Boolean = false

  def run(target: Target, partitionBy: Seq[String]): Unit
}

object ConcurrentJob {

  private final case class Append(from: Int, until: Int) extends ConcurrentJob {
    override def after(numbers: Set[Int]): Set[Int] = numbers ++ (from until until)
    override def run(target: Target, partitionBy: Seq[String]): Unit =
      target.save(target.rows(from, until, 2), "append", partitionBy)
  }

  private final case class Overwrite(from: Int, until: Int) extends ConcurrentJob {
    override def after(numbers: Set[Int]): Set[Int] = (from until until).toSet
    override def run(target: Target, partitionBy: Seq[String]): Unit =
      target.save(target.rows(from, until, 2), "overwrite", partitionBy)
  }

  private final case class Dynamic(from: Int, until: Int) extends ConcurrentJob {
    private val numbers = (from until until).toSet
    private val partitions = numbers.map(_ % 2)
    override def after(before: Set[Int]): Set[Int] =
      before.filterNot(number => partitions(number % 2)) ++ numbers
    override def run(target: Target, partitionBy: Seq[String]): Unit = {
      val rows = target.rows(from, until, 2)
      target.save(rows, "overwrite", partitionBy, "partitionOverwriteMode" -> "dynamic")
    }
  }

  private case object Delete extends ConcurrentJob {
    override def reads: Boolean = true
    override def after(numbers: Set[Int]): Set[Int] = Set.empty
    override def run(target: Target, partitionBy: Seq[String]): Unit = {
      target.spark.sql(s"DELETE FROM variant_shredded.`${target.path}`")
      ()
    }
  }

  def random(random: Random, from: Int, partitioned: Boolean): ConcurrentJob = {
    val until = from + 1 + random.nextInt(6)
    random.nextInt(if (partitioned) 8 else 5) match {
      case 0 | 1 => Append(from, until)
      case 2 | 3 => Overwrite(from, until)
      case 4     => if (random.nextBoolean()) Delete else Append(from, until)
      case _     => Dynamic(from, from + 1 + random.nextInt(2))
    }
  }
}

/**
 * What serial orders of jobs allow.
 *
 * @param jobs
 *   each with whether it succeeded; one that failed may have done its work or not
 */
final class SerialOrders(start: Set[Int], jobs: Seq[(ConcurrentJob, Boolean)]) {

  private val histories: Set[Seq[Set[Int]]] = jobs.permutations.flatMap { order =>
    order.foldLeft(Seq(Seq(start))) { case (histories, (job, succeeded)) =>
      histories.flatMap { history =>
        val done = history :+ job.after(history.last)
        if (succeeded) Seq(done) else Seq(done, history)
      }
    }
  }.toSet

  /** What may be there when all have ended. */
  val ends: Set[Set[Int]] = histories.map(_.last)

  /** What a reader may see meanwhile. */
  val visible: Set[Set[Int]] = histories.flatten
}

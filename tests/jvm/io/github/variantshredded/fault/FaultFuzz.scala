package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import scala.util.Random

import io.github.variantshredded.simulation.SimulatedCommits
import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession

/**
 * `make fuzz-faults`: every kind of write ends or fails at every operation on files, and jobs write
 * to one directory at the same time, as long as there is time.
 *
 * Arguments: seconds, seed, and a regular expression for a part of the names of the cases to be run,
 * such as `Refused, append, fault$`; after `@`, the number of the only operation that fails, or the
 * seed of a simulation. With an odd seed, tasks that fail are tried again; with one that 3 divides,
 * more is looked at in each case.
 *
 * First every end of the process, then every operation with every fault, in between some schedules and
 * processes of their own; then these as long as there is time.
 */
object FaultFuzz {

  def main(args: Array[String]): Unit = {
    val seconds = args.lift(0).filter(_.nonEmpty).fold(600L)(_.toLong)
    val seed = args.lift(1).filter(_.nonEmpty).fold(System.currentTimeMillis)(_.toLong)
    val deep = seed % 3 == 0
    val (only, at) = args.lift(2).getOrElse("").split('@') match {
      case Array(name, number) => (name.trim, Some(number.takeWhile(_.isDigit).toInt))
      case names               => (names.headOption.getOrElse(""), None)
    }
    val master = if (seed % 2 == 0) "local[2]" else "local[2,3]"
    println(s"seed $seed, $seconds s, $master, cases: ${if (only.isEmpty) "all" else only}")
    val folder = Files.createTempDirectory("fault-fuzz")
    val spark = session(master, folder.resolve("warehouse").toUri.toString)
    val findings = new Findings
    val until = System.nanoTime + seconds * 1000000000L
    def run(what: Case, round: Int): Unit = if (System.nanoTime < until) {
      val before = findings.failures.size
      what.run(new Random(seed ^ (what.name, round).hashCode))
      findings.failures.drop(before).foreach(failure => println(s"FAILED $failure"))
      val passed = (until - System.nanoTime) / 1000000000L
      println(s"${what.name}: ${findings.cases.values.sum} cases so far, $passed s left")
    }
    try {
      val all = cases(spark, folder, findings, deep, at).filter(_.name.matches(s".*($only).*"))
      val order = new Random(seed)
      val (halts, others) = all.filter(_.once).partition(_.name.startsWith("halt"))
      val repeated = all.filterNot(_.once)
      var round = 0
      def turn(): Unit = {
        round += 1
        order.shuffle(repeated).take(2).foreach(run(_, round))
      }
      halts.foreach(run(_, 0))
      order.shuffle(others).foreach { what =>
        run(what, 0)
        turn()
      }
      while (repeated.nonEmpty && System.nanoTime < until) turn()
    } finally {
      spark.stop()
      FileUtils.deleteQuietly(folder.toFile)
    }
    println(s"seed $seed: ${findings.cases.values.sum} cases, ${findings.failures.size} failures")
    findings.cases.foreach { case (kind, count) => println(f"$count%7d $kind") }
    findings.failures.foreach { failure =>
      println(s"FAILED $failure")
      println(s"  again: make fuzz-faults SEED=$seed CASE='${failure.takeWhile(_ != ':')}'")
    }
    sys.exit(if (findings.failures.isEmpty) 0 else 1)
  }

  private final case class Case(name: String, once: Boolean, run: Random => Unit)

  private def cases(
      spark: SparkSession,
      folder: Path,
      findings: Findings,
      deep: Boolean,
      at: Option[Int]
  ): Seq[Case] = {
    val ofCommits = for {
      scheme <- Seq(FaultFileSystem.Scheme, CheckedFaultFileSystem.Scheme)
      faults = new CommitFaults(spark, folder, scheme, findings, deep)
      scenario <- Scenario.All
      name = s"${scenario.name}, $scheme"
      halts = Case(s"halt, $name", once = true, _ => faults.halts(scenario))
      fails = Fault.InProcess.filter(!_.lasts || scenario.survivesHalt).map { fault =>
        Case(s"$fault, $name", once = true, _ => faults.fails(scenario, those(at), Seq(fault)))
      }
      found <- if (scenario.survivesHalt) halts +: fails else fails
    } yield found
    val kills = for {
      scheme <- Seq(FaultFileSystem.Scheme, CheckedFaultFileSystem.Scheme)
      faults = new CommitFaults(spark, folder, scheme, findings, deep)
      scenario <- Scenario.ByPath
      name = s"kill, ${scenario.name}, $scheme"
    } yield Case(name, once = false, random => faults.kills(scenario, one(random, at)))
    val schedules = new Schedules(spark, folder, findings)
    val simulated = "simulated commits"
    ofCommits ++ kills ++ Seq(
      Case("schedules", once = false, random => schedules.run(random, 20)),
      Case(
        simulated,
        once = false,
        random =>
          at.fold(Seq.fill(500)(random.nextInt(Int.MaxValue)))(Seq(_)).foreach { seed =>
            findings.add(simulated, s"$simulated@$seed")(new SimulatedCommits(seed).check())
          }
      )
    )
  }

  private def those(at: Option[Int])(operations: Seq[Operation]): Seq[Int] =
    operations.map(_.number).filter(number => at.forall(_ == number))

  private def one(random: Random, at: Option[Int])(operations: Seq[Operation]): Seq[Int] =
    at.fold(random.shuffle(operations.map(_.number)).take(1))(Seq(_))

  private[fault] def session(master: String, warehouse: String): SparkSession = {
    val spark = SparkSession
      .builder()
      .master(master)
      .appName("fuzz-faults")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.warehouse.dir", warehouse)
      // Small jobs take less time so.
      .config("spark.sql.adaptive.enabled", "false")
      .config("spark.sql.codegen.wholeStage", "false")
      .getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    spark
  }
}

package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import scala.util.Random

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession

/**
 * `make fuzz-faults`: every kind of write ends or fails at every operation on files, and jobs write
 * to one directory at the same time, as long as there is time.
 *
 * Arguments: seconds, seed, and a part of the names of the cases to be run, such as
 * `Refused, append`; after `@`, the number of the only operation that fails. With an odd seed, tasks
 * that fail are tried again.
 */
object FaultFuzz {

  def main(args: Array[String]): Unit = {
    val seconds = args.lift(0).filter(_.nonEmpty).fold(600L)(_.toLong)
    val seed = args.lift(1).filter(_.nonEmpty).fold(System.currentTimeMillis)(_.toLong)
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
      println(s"${what.name}: ${findings.cases.values.sum} cases so far")
    }
    try {
      val all = cases(spark, folder, findings, at).filter(_.name.contains(only))
      // Those that are exhaustive in one go first, then the others in turns.
      all.filter(_.once).foreach(run(_, 0))
      val repeated = all.filterNot(_.once)
      val order = new Random(seed)
      Iterator
        .from(1)
        .takeWhile(_ => repeated.nonEmpty && System.nanoTime < until)
        .foreach(round => order.shuffle(repeated).foreach(run(_, round)))
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
      at: Option[Int]
  ): Seq[Case] = {
    val ofCommits = for {
      scheme <- Seq(FaultFileSystem.Scheme, CheckedFaultFileSystem.Scheme)
      faults = new CommitFaults(spark, folder, scheme, findings, deep = true)
      scenario <- Scenario.ByPath
      name = s"${scenario.name}, $scheme"
      halts = Case(s"halt, $name", once = true, _ => faults.halts(scenario))
      kills = Case(
        s"kill, $name",
        once = false,
        random => faults.kills(scenario, some(random, 1, at))
      )
      fails = Fault.InProcess.map { fault =>
        def run(random: Random): Unit = faults.fails(scenario, some(random, 20, at), Seq(fault))
        Case(s"$fault, $name", once = false, run)
      }
      found <- halts +: kills +: fails
    } yield found
    val schedules = new Schedules(spark, folder, findings)
    ofCommits :+ Case("schedules", once = false, random => schedules.run(random, 50))
  }

  private def some(random: Random, number: Int, at: Option[Int])(
      operations: Seq[Operation]
  ): Seq[Int] = at.fold(random.shuffle(operations.map(_.number)).take(number).sorted)(Seq(_))

  private[fault] def session(master: String, warehouse: String): SparkSession = {
    val spark = SparkSession
      .builder()
      .master(master)
      .appName("fuzz-faults")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.warehouse.dir", warehouse)
      .getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    spark
  }
}

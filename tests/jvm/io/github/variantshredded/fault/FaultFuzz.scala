package io.github.variantshredded.fault

import java.nio.file.Files

import scala.util.Random

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.SparkSession

/**
 * `make fuzz-faults`: every kind of write ends or fails at every operation on files, as long as
 * there is time.
 *
 * Arguments: seconds, seed, and a part of the names of the cases to be run, such as
 * `Refused, append`.
 */
object FaultFuzz {

  def main(args: Array[String]): Unit = {
    val seconds = args.lift(0).filter(_.nonEmpty).fold(600L)(_.toLong)
    val seed = args.lift(1).filter(_.nonEmpty).fold(System.nanoTime)(_.toLong)
    val only = args.lift(2).getOrElse("")
    println(s"seed $seed, $seconds s, cases: ${if (only.isEmpty) "all" else only}")
    val folder = Files.createTempDirectory("fault-fuzz")
    val spark = session(folder.resolve("warehouse").toUri.toString)
    val findings = new Findings
    val until = System.nanoTime + seconds * 1000000000L
    val random = new Random(seed)
    try {
      cases(spark, folder, findings).filter(_.name.contains(only)).toSeq match {
        case all =>
          // Those that are exhaustive in one go first, then the others in turns.
          all.filter(_.once).foreach(run(_, random, until, findings))
          val repeated = all.filterNot(_.once)
          while (repeated.nonEmpty && System.nanoTime < until)
            random.shuffle(repeated).foreach(run(_, random, until, findings))
      }
    } finally {
      spark.stop()
      FileUtils.deleteQuietly(folder.toFile)
    }
    println(s"seed $seed: ${findings.cases.values.sum} cases, ${findings.failures.size} failures")
    findings.cases.foreach { case (kind, count) => println(f"$count%7d $kind") }
    findings.failures.foreach { failure =>
      println(
        s"FAILED $failure\n  again: make fuzz-faults SEED=$seed CASE='${failure.takeWhile(_ != ':')}'"
      )
    }
    if (findings.failures.nonEmpty) sys.exit(1)
  }

  private final case class Case(name: String, once: Boolean, run: Random => Unit)

  private def run(what: Case, random: Random, until: Long, findings: Findings): Unit =
    if (System.nanoTime < until) {
      val before = findings.failures.size
      what.run(random)
      findings.failures.drop(before).foreach(failure => println(s"FAILED $failure"))
      println(s"${what.name}: ${findings.cases.values.sum} cases so far")
    }

  private def cases(
      spark: SparkSession,
      folder: java.nio.file.Path,
      findings: Findings
  ): Seq[Case] =
    for {
      scheme <- Seq(FaultFileSystem.Scheme, CheckedFaultFileSystem.Scheme)
      faults = new CommitFaults(spark, folder, scheme, findings, deep = true)
      scenario <- Scenario.ByPath
      found <- Case(s"halt, ${scenario.name}, $scheme", once = true, _ => faults.halts(scenario)) +:
        Fault.InProcess.map { fault =>
          Case(
            s"$fault, ${scenario.name}, $scheme",
            once = false,
            random =>
              faults.fails(
                scenario,
                count => random.shuffle((1 to count).toList).take(20).sorted,
                Seq(fault)
              )
          )
        }
    } yield found

  private def session(warehouse: String): SparkSession = {
    val spark = SparkSession
      .builder()
      .master("local[2]")
      .appName("fuzz-faults")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.warehouse.dir", warehouse)
      .getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark
  }
}

package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

/** What was found: how many cases were tried, and which failed. */
final class Findings {

  val cases: mutable.Map[String, Int] = mutable.LinkedHashMap.empty
  val failures: mutable.Buffer[String] = mutable.Buffer.empty

  /** Counts a case of `kind`; its failure, if it has one, goes into the report. */
  def add(kind: String, clue: => String)(check: => Unit): Unit = {
    cases(kind) = cases.getOrElse(kind, 0) + 1
    try check
    catch {
      case e: Throwable if !e.isInstanceOf[VirtualMachineError] => failures += s"$clue: $e"
    }
  }
}

/**
 * Lets a write fail at an operation, or end there, and looks at what is left.
 *
 * @param deep
 *   whether states that differ in `_temporary` alone are looked at too, and each with every
 *   [[NextJob]]
 */
final class CommitFaults(
    spark: SparkSession,
    folder: Path,
    scheme: String,
    findings: Findings,
    deep: Boolean = false
) {

  FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)

  private val place = Place(spark, folder.resolve("table"), scheme)

  /** What others have in the directory: no job may touch it. */
  private val foreign = Seq(
    "_delta_log/00000000000000000000.json",
    ".hidden",
    ".notes/notes.txt",
    "_temporary/7/_temporary/attempt_7/part-7.parquet",
    "p=0/_notes.txt",
    "p=0/.notes.txt"
  )

  private def initial(scenario: Scenario): Tree = {
    Tree(Map.empty, None).restore(place.root)
    scenario.prepare(place)
    if (scenario.before.isDefined) foreign.foreach { name =>
      val file = place.root.resolve(name)
      Files.createDirectories(file.getParent)
      Files.writeString(file, name)
    }
    Tree.of(place.root)
  }

  /** The operations of the write when nothing fails. */
  def operations(scenario: Scenario): Seq[Operation] = operations(initial(scenario), scenario)

  private def operations(start: Tree, scenario: Scenario): Seq[Operation] = {
    start.restore(place.root)
    val counting = new Counting
    Faults.watched(place.root.toString, counting)(scenario.run(place))
    counting.operations
  }

  /** Looks at what the end of the process leaves before each operation. */
  def halts(scenario: Scenario): Unit = {
    val start = initial(scenario)
    val snapshots = new Snapshots(place.root)
    Faults.watched(place.root.toString, snapshots)(scenario.run(place))
    val last = Operation(Int.MaxValue, "none", null, changes = true)
    val states = snapshots.all :+ (last -> Tree.of(place.root))
    val seen = mutable.Set.empty[Set[(String, Int)]]
    val different = states.filter { case (_, tree) =>
      seen.add(tree.signature(path => deep || !path.startsWith("_temporary")))
    }
    different.zipWithIndex.foreach { case ((operation, tree), i) =>
      val kind = s"halt, ${scenario.name}"
      val next = if (deep) NextJob.All else Seq(NextJob.All(i % 2))
      findings.add(kind, s"$kind, $scheme: before $operation") {
        tree.restore(place.root)
        checkState(scenario, start, tree, succeeded = operation == last, next)
      }
    }
  }

  /** Lets operations fail, one each time: those whose numbers `choose` gives. */
  def fails(scenario: Scenario, choose: Seq[Operation] => Seq[Int], faults: Seq[Fault]): Unit = {
    val start = initial(scenario)
    for (at <- choose(operations(start, scenario)); fault <- faults) {
      val kind = s"$fault, ${scenario.name}"
      val failing = new Failing(at, fault)
      findings.add(kind, s"$kind, $scheme @$at: ${failing.met.getOrElse("not met")}") {
        start.restore(place.root)
        val result = Try(Faults.watched(place.root.toString, failing)(scenario.run(place)))
        val tree = Tree.of(place.root)
        try checkState(scenario, start, tree, result.isSuccess, Seq(NextJob.All(at % 2)))
        catch { case e: Throwable => result.failed.foreach(e.addSuppressed); throw e }
      }
    }
  }

  /** Ends processes of their own, at the operations whose numbers `choose` gives. */
  def kills(scenario: Scenario, choose: Seq[Operation] => Seq[Int]): Unit = {
    val start = initial(scenario)
    choose(operations(start, scenario)).foreach { at =>
      val kind = s"kill, ${scenario.name}"
      findings.add(kind, s"$kind, $scheme @$at: a process of its own") {
        start.restore(place.root)
        val ended = FaultChild.run(place.root, scheme, scenario, at)
        // Tasks run at the same time, so that the number of operations differs by some.
        require(ended == Failing.Halted || ended == 0, s"exit code $ended")
        val tree = Tree.of(place.root)
        checkState(scenario, start, tree, succeeded = ended == 0, NextJob.All)
      }
    }
  }

  private def checkState(
      scenario: Scenario,
      start: Tree,
      tree: Tree,
      succeeded: Boolean,
      next: Seq[NextJob]
  ): Unit = {
    val old = scenario.before.getOrElse(Nil)
    val found = ours
    if (succeeded) same(found, scenario.after, "a job that succeeded")
    else if (found != scenario.after.sorted) same(found, old, "a job that failed")
    next.zipWithIndex.foreach { case (job, i) =>
      if (i > 0) tree.restore(place.root)
      place.save(place.rows(20, 22, 1), job.mode, scenario.partitionBy)
      val expected = job.kept(found) ++ Seq(20, 21)
      same(ours, expected, s"the next job, ${job.mode}")
      same(byParquet, expected, s"Spark's reader after the next job, ${job.mode}")
      val left = Tree.of(place.root).files.keySet
      val notes = left.filter(_.matches("_variant_shredded_commits/[^.].*[.](adding|replacing)"))
      require(notes.isEmpty, s"notes after the next job: $notes")
    }
    start.files.filter { case (path, _) => foreign.contains(path) }.foreach { case (path, file) =>
      val now = place.root.resolve(path)
      require(Files.exists(now), s"$path is gone")
      require(Files.readAllBytes(now).sameElements(file.content), s"$path has changed")
    }
  }

  private def same(found: Seq[Int], expected: Seq[Int], what: String): Unit =
    require(found == expected.sorted, s"$what: $found for ${expected.sorted}")

  private def ours: Seq[Int] = numbers {
    spark.read.format("variant-shredded").load(place.path)
  }

  private def byParquet: Seq[Int] = numbers(spark.read.parquet(s"file://${place.root}"))

  private def numbers(table: => DataFrame): Seq[Int] =
    try
      table
        .selectExpr("n", "v:a::int")
        .collect()
        .map { row =>
          require(row.getInt(0) == row.getInt(1), row)
          row.getInt(0)
        }
        .toSeq
        .sorted
    catch {
      case e: AnalysisException if CommitFaults.Nothing(e.getCondition) => Nil
    }
}

object CommitFaults {
  private val Nothing = Set("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")
}

/** A job that comes after one that failed. */
sealed abstract class NextJob(val mode: String) {

  /** The numbers that stay, of those there. */
  def kept(found: Seq[Int]): Seq[Int]
}

object NextJob {

  private case object Append extends NextJob("append") {
    override def kept(found: Seq[Int]): Seq[Int] = found
  }

  private case object Overwrite extends NextJob("overwrite") {
    override def kept(found: Seq[Int]): Seq[Int] = Nil
  }

  val All: Seq[NextJob] = Seq(Append, Overwrite)
}

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
 *   whether states that differ in `_temporary` alone are looked at too, each with every [[NextJob]]
 *   and each time also by Spark's own reader
 */
final class CommitFaults(
    spark: SparkSession,
    folder: Path,
    scheme: String,
    findings: Findings,
    deep: Boolean = false
) {

  FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)

  private val target = Target(spark, folder.resolve("table"), scheme)

  /** What others have in the directory: no job may touch it. */
  private val foreign = Seq(
    "_log/00000000000000000000.json",
    ".hidden",
    ".notes/notes.txt",
    "_temporary/7/_temporary/attempt_7/part-7.parquet",
    "p=0/_notes.txt",
    "p=0/.notes.txt"
  )

  private def initial(scenario: Scenario): State = {
    Tree(Map.empty, None).restore(target.root)
    scenario.prepare(target)
    if (scenario.before.isDefined) foreign.foreach { name =>
      val file = target.root.resolve(name)
      Files.createDirectories(file.getParent)
      Files.writeString(file, name)
    }
    State.of(target, scenario)
  }

  /** The operations of the write when nothing fails. */
  def operations(scenario: Scenario): Seq[Operation] = operations(initial(scenario), scenario)

  private def operations(start: State, scenario: Scenario): Seq[Operation] = {
    start.restore(target.root)
    val counting = new Counting
    Faults.watched(target.root.toString, counting)(scenario.run(target))
    counting.operations
  }

  /** Looks at what the end of the process leaves before each operation, or one of `every`. */
  def halts(scenario: Scenario, every: Int = 1): Unit = {
    val start = initial(scenario)
    val snapshots = new Snapshots(() => State.of(target, scenario))
    Faults.watched(target.root.toString, snapshots)(scenario.run(target))
    val last = Operation(Int.MaxValue, "none", null, changes = true)
    val states = snapshots.all :+ (last -> State.of(target, scenario))
    val seen = mutable.Set.empty[Set[(String, Int)]]
    val different = states.filter { case (_, state) =>
      seen.add(state.tree.signature(path => deep || !path.startsWith("_temporary")))
    }
    val chosen = different.reverse.zipWithIndex.collect { case (one, i) if i % every == 0 => one }
    chosen.zipWithIndex.foreach { case ((operation, state), i) =>
      val kind = s"halt, ${scenario.name}"
      val next = if (deep) scenario.next else Seq(scenario.next(i % scenario.next.size))
      findings.add(kind, s"$kind, $scheme: before $operation") {
        state.restore(target.root)
        checkState(scenario, start, state, succeeded = operation == last, lost = true, next)
      }
    }
  }

  /**
   * Lets operations fail, one each time: those whose numbers `choose` gives, of those at which the
   * fault is one of its own.
   */
  def fails(scenario: Scenario, choose: Seq[Operation] => Seq[Int], faults: Seq[Fault]): Unit = {
    val start = initial(scenario)
    val all = operations(start, scenario)
    for (fault <- faults; at <- choose(all.filter(fault.isOwn))) {
      val kind = s"$fault, ${scenario.name}"
      val failing = new Failing(at, fault)
      findings.add(kind, s"$kind, $scheme @$at: ${failing.met.getOrElse("not met")}") {
        start.restore(target.root)
        val result = Try(Faults.watched(target.root.toString, failing)(scenario.run(target)))
        val state = State.of(target, scenario)
        val next = Seq(scenario.next(at % scenario.next.size))
        val isInDoubt = fault.leavesInDoubt && all.exists { operation =>
          operation.number == at && operation.kind == "delete" &&
          operation.path.getName.endsWith(".adding")
        }
        // A failed append may be repeated, which would double its rows.
        if (result.isFailure && scenario.appends && !isInDoubt) {
          if (fault.lasts) scenario.putRight(target)
          same(ours(scenario), scenario.before.getOrElse(Nil), "an append that failed")
        }
        try checkState(scenario, start, state, result.isSuccess, fault.lasts, next)
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
        start.restore(target.root)
        val ended = FaultChild.run(target.root, scheme, scenario, at)
        // Tasks run at the same time, so that the number of operations differs by some.
        require(ended == Failing.Halted || ended == 0, s"exit code $ended")
        val state = State.of(target, scenario)
        checkState(scenario, start, state, succeeded = ended == 0, lost = true, scenario.next)
      }
    }
  }

  private def checkState(
      scenario: Scenario,
      start: State,
      state: State,
      succeeded: Boolean,
      lost: Boolean,
      next: Seq[NextJob]
  ): Unit = {
    val old = scenario.before.getOrElse(Nil)
    if (lost) scenario.putRight(target)
    val found = ours(scenario)
    if (succeeded) same(found, scenario.after, "a job that succeeded")
    else if (found != scenario.after.sorted) same(found, old, "a job that failed")
    next.zipWithIndex.foreach { case (job, i) =>
      if (i > 0) {
        state.restore(target.root)
        if (lost) scenario.putRight(target)
      }
      job.run(target)
      val expected = job.after(found)
      same(ours(scenario), expected, s"the next job, ${job.name}")
      if (deep || state.tree.files.size % 3 == 0)
        same(bySpark(scenario), expected, s"Spark's reader after the next job, ${job.name}")
      val left = Tree.of(target.root).files.keySet
      // What a hidden directory has, such as one in which a table was to be made, concerns nobody.
      val notes = left.filter(
        _.matches("([^.].*/)?_variant_shredded_commits/[^.].*[.](adding|replacing)")
      )
      require(notes.isEmpty, s"notes after the next job: $notes")
    }
    start.tree.files.filter { case (path, _) => foreign.contains(path) }.foreach {
      case (path, file) =>
        val now = target.root.resolve(path)
        require(Files.exists(now), s"$path is gone")
        require(Files.readAllBytes(now).sameElements(file.content), s"$path has changed")
    }
  }

  private def same(found: Seq[Int], expected: Seq[Int], what: String): Unit =
    require(found == expected.sorted, s"$what: $found for ${expected.sorted}")

  private def ours(scenario: Scenario): Seq[Int] = numbers(scenario.read(target))

  private def bySpark(scenario: Scenario): Seq[Int] = numbers(scenario.readBySpark(target))

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
  private val Nothing = Set("PATH_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA")
}

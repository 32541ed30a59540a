package io.github.variantshredded.fuzz

import scala.util.control.NonFatal

import io.github.variantshredded.optimizer.PushVariantExtractions
import io.github.variantshredded.testing.Settings
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.{QueryExecution, SQLExecution, TakeOrderedAndProjectExec}

/** What is wrong with the answer to a query. */
final case class Difference(kind: String, wanted: String, found: String) {

  /** Alike for what is likely the same defect. */
  def signature: String = s"$kind | ${Difference.general(wanted)} | ${Difference.general(found)}"
}

object Difference {

  /** The conditions of casts that fail. */
  val OfCasts: Set[String] =
    Set("INVALID_VARIANT_CAST", "CAST_INVALID_INPUT", "CAST_OVERFLOW", "NUMERIC_VALUE_OUT_OF_RANGE")

  /** The text without what differs from query to query. */
  private def general(text: String): String =
    text
      .takeWhile(c => c != '\n')
      .replaceAll("[0-9a-f-]{36}", "X")
      .replaceAll("'[^']*'|`[^`]*`|\"[^\"]*\"", "'X'")
      .replaceAll("/tmp/\\S+", "FILE")
      .replaceAll("\\d+", "N")
      .take(160)
}

/**
 * The answers that were compared.
 *
 * @param takenOver
 *   whether this source read a relation of Spark's Parquet source
 */
final case class Verdict(answer: Answer, difference: Option[Difference], takenOver: Boolean)

/**
 * Compares the answers to a query with those of this source without push-down and of Spark's Parquet
 * source, and looks whether the optimizer's rule comes to an end.
 *
 * @param ours
 *   the view by which this source reads a table
 * @param theirs
 *   the view by which Spark's does
 * @param byV2
 *   the view by which Spark's does through its other interface, with other plans
 */
final class QueryOracle(
    spark: classic.SparkSession,
    warnings: OptimizerWarnings,
    ours: String => String,
    theirs: String => String,
    byV2: String => String
) {

  def check(query: FuzzQuery): Verdict = {
    warnings.take()
    val theirAnswer = answer(query.sql(theirs), query.ordered)._1
    val usual = warnings.take()
    val (found, execution) = ownAnswer(query)
    val loops = warnings.take().diff(usual)
    val plan = execution.flatMap(planDifference)
    val takenOver = execution.exists(_.executedPlan.toString.contains("TakenOverFrom"))
    lazy val (unpushed, plain) =
      Settings.within(spark, RandomSettings.nothingPushed.toSeq: _*)(ownAnswer(query))
    def lost = limitDifference(query, execution, plain)
    val wanted = if (losesSort(query)) unpushed else theirAnswer
    val difference =
      if (isOfSpark(wanted) || failsLess(wanted, found)) None
      else if (failsLess(found, wanted) && (isLimited(query) || mayFail(query))) None
      else if (found != wanted) {
        val kind = if (unpushed == wanted) "pushed" else "pushed and unpushed"
        Some(differing(kind, wanted, found))
      } else if (loops.nonEmpty) Some(Difference("does not converge", "", loops.head))
      else if (plan.isDefined) plan
      else if (lost.isDefined) lost
      else if (unpushed != wanted && !failsLess(unpushed, wanted) && !failsLess(wanted, unpushed)) {
        Some(differing("unpushed", wanted, unpushed))
      } else None
    Verdict(wanted, difference, takenOver)
  }

  /**
   * Asks this source. It takes over relations only in a session with push-down of Variants. Spark's
   * own push-down has defects, so a query that reads a table by Spark's Parquet source too is asked
   * without it.
   */
  private def ownAnswer(query: FuzzQuery): (Answer, Option[QueryExecution]) = {
    val pushed = query.tables.forall(table => ours(table) != theirs(table))
    Settings.within(spark, "spark.sql.variant.pushVariantIntoScan" -> pushed.toString) {
      answer(query.sql(ours), query.ordered)
    }
  }

  /**
   * Whether one met a cast that fails, and the other has left out its row by another condition. Spark
   * says nothing of the order of conditions.
   */
  private def failsLess(one: Answer, other: Answer): Boolean = (one, other) match {
    case (Answer.Error(condition, _), _: Answer.Rows) => Difference.OfCasts(condition)
    case _                                            => false
  }

  /**
   * Whether a cast fails in Spark's source too, with another plan. Which casts a query evaluates depends
   * on it: on the order of conditions, on the rows that a condition pushed into the scan leaves out, and
   * on which side of a join is empty and found to be.
   */
  private def mayFail(query: FuzzQuery): Boolean = {
    val plans = for {
      view <- Seq(theirs, byV2)
      broadcast <- Seq("-1", "10485760")
      pushed <- Seq("true", "false")
    } yield () =>
      Settings.within(
        spark,
        "spark.sql.autoBroadcastJoinThreshold" -> broadcast,
        "spark.sql.parquet.filterPushdown" -> pushed
      ) {
        answer(query.sql(view), query.ordered)._1
      }
    plans.exists { answer =>
      answer() match {
        case Answer.Error(condition, _) => Difference.OfCasts(condition)
        case _: Answer.Rows             => false
      }
    }
  }

  /** A rule of Spark's for its own source gives an invalid plan, and this session looks for those. */
  private def isOfSpark(wanted: Answer): Boolean = wanted match {
    case Answer.Error("PLAN_VALIDATION_FAILED_RULE_IN_BATCH", message) =>
      message.contains(".SchemaPruning ")
    case _ => false
  }

  private val ScalarSubquery = raw"(SELECT|,) \(SELECT ".r

  /**
   * Spark loses the sort of a derived table with ORDER BY and LIMIT below a scalar subquery: which rows
   * it takes depends on the order of the files, whatever their format.
   */
  private def losesSort(query: FuzzQuery): Boolean =
    isLimited(query) && ScalarSubquery.findFirstIn(query.sql(identity)).isDefined

  /** Which rows a LIMIT reads, and so whose casts fail, depends on the order of the files. */
  private def isLimited(query: FuzzQuery): Boolean = query.sql(identity).contains(" LIMIT ")

  private def differing(kind: String, wanted: Answer, found: Answer): Difference =
    (wanted, found) match {
      case (a: Answer.Rows, b: Answer.Rows) if a.types == b.types =>
        val missing = a.rows.diff(b.rows)
        val more = b.rows.diff(a.rows)
        val what =
          if (missing.isEmpty && more.isEmpty) "order"
          else if (more.isEmpty) "missing rows"
          else if (missing.isEmpty) "rows too many"
          else "other values"
        Difference(
          s"$kind: $what",
          s"\n${a.rows.size} rows, not found: ${missing.take(5).mkString("; ").take(1500)}",
          s"\n${b.rows.size} rows, not wanted: ${more.take(5).mkString("; ").take(1500)}"
        )
      case (a: Answer.Rows, b: Answer.Rows) => Difference(s"$kind: types", a.toString, b.toString)
      case (a: Answer.Rows, b)              => Difference(s"$kind: error", s"\n$a", b.toString)
      case (a, b: Answer.Rows)              => Difference(s"$kind: no error", a.toString, s"\n$b")
      case (a, b) => Difference(s"$kind: another error", a.toString, b.toString)
    }

  private def answer(sql: String, ordered: Boolean): (Answer, Option[QueryExecution]) =
    try {
      val execution = spark.sql(sql).queryExecution
      val rows = SQLExecution.withSQLConfPropagated(spark) {
        execution.executedPlan.executeCollect()
      }
      (Answer.rows(execution.analyzed.schema, rows, ordered), Some(execution))
    } catch {
      case NonFatal(e)           => (Answer.error(e), None)
      case e: StackOverflowError => (Answer.error(e), None)
      case e: AssertionError     => (Answer.error(e), None)
    }

  private def planDifference(execution: QueryExecution): Option[Difference] = {
    val plan = execution.optimizedPlan
    val again = PushVariantExtractions(plan)
    if (again.fastEquals(plan)) None
    else Some(Difference("the rule applied again changes the plan", s"\n$plan", s"\n$again"))
  }

  /** Finds a Limit above a Sort that Spark plans in another way because of push-down. */
  private def limitDifference(
      query: FuzzQuery,
      pushed: Option[QueryExecution],
      plain: => Option[QueryExecution]
  ): Option[Difference] = {
    def limits(execution: QueryExecution): Int =
      execution.sparkPlan.collect { case limit: TakeOrderedAndProjectExec => limit }.size
    for {
      found <- pushed if isLimited(query)
      wanted <- plain if limits(wanted) != limits(found)
    } yield {
      Difference("other limits above sorts", s"\n${wanted.sparkPlan}", s"\n${found.sparkPlan}")
    }
  }
}

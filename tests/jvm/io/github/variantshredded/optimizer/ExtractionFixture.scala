package io.github.variantshredded.optimizer

import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.testing.{Clue, SparkSuite, TemporaryFolder}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.{LimitExec, SortExec, TakeOrderedAndProjectExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastHashJoinExec}
import org.apache.spark.sql.execution.window.{WindowExec, WindowGroupLimitExec}

/** Two tables that Spark wrote, `t` and `u`, to be read by this source and by Spark's own. */
abstract class ExtractionFixture extends SparkSuite with TemporaryFolder {

  private val pushDown = ReadOptions.PushDownExtractions.name

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.planChangeValidation", "true")
    // These files are small.
    spark.conf.set(ReadOptions.LateMaterializationMinBytes.name, "0")
    // Spark's own push-down raises for rows that the query leaves out.
    spark.conf.set("spark.sql.variant.pushVariantIntoScan", "false")
    write(
      "t",
      """SELECT id, IF(id % 7 = 6, NULL, parse_json(concat('{"k":', id % 5, ',"name":"n', id % 4,
        |  '","x":', IF(id % 3 = 0, concat('"', id, '"'), string(id)), ',"l":[', id, ',', id + 1,
        |  '],"o":{"p":', id / 2, IF(id % 2 = 0, ',"q":null', ''), '}',
        |  IF(id % 6 = 0, '', ',"bad":"no"'), '}'))) AS v,
        |  IF(id % 8 = 7, NULL, named_struct('n', id * 2, 'v', parse_json(concat('{"a":', id, '}')),
        |    'd', named_struct('w', parse_json(concat('[', id, ']')), 'm', id))) AS s,
        |  cast(id % 3 AS int) AS i FROM range(0, 40, 1, 2)""".stripMargin
    )
    write(
      "u",
      """SELECT id + 2 AS id, parse_json(concat('{"k":', id, ',"name":"u', id, '","y":', id * 1.5,
        |  '}')) AS v, parse_json(concat('[', id, ']')) AS w FROM range(0, 10, 1, 1)""".stripMargin
    )
  }

  private def write(table: String, query: String): Unit =
    spark.sql(query).write.parquet(folder.resolve(table).toString)

  /** Makes the views `t` and `u` of one of the formats. */
  protected def views(format: String): Unit = Seq("t", "u").foreach { table =>
    spark.read.format(format).load(folder.resolve(table).toString).createOrReplaceTempView(table)
  }

  protected def bySpark[T](body: => T): T = {
    views("parquet")
    body
  }

  protected def byUs[T](pushed: Boolean)(body: => T): T =
    withConf(pushDown -> pushed.toString) {
      views("variant-shredded")
      body
    }

  /** The scans of ours in the optimized plan, those in subqueries too. */
  protected def scans(query: DataFrame): Seq[VariantScan] = query match {
    case ours: classic.DataFrame => scans(ours.queryExecution.optimizedPlan)
    case other                   => fail(s"not a classic DataFrame: $other")
  }

  protected def scans(plan: LogicalPlan): Seq[VariantScan] =
    plan
      .collectWithSubqueries { case relation: DataSourceV2ScanRelation => relation.scan }
      .collect { case scan: VariantScan =>
        scan
      }

  protected def rows(query: DataFrame): Seq[String] = query.collect().map(show).toSeq.sorted

  private def show(row: Row): String = row.toSeq
    .map {
      case inner: Row => show(inner)
      case other      => String.valueOf(other)
    }
    .mkString("[", ", ", "]")

  /**
   * The rule leaves its own result as it is. (Behind it, Spark may make more of a plan's common table
   * expressions.)
   */
  /** Checks that the rule changes nothing in a plan that it has changed. */
  protected def assertConverged(query: DataFrame): Unit = query match {
    case ours: classic.DataFrame =>
      val plan = PushVariantExtractions(ours.queryExecution.optimizedPlan)
      val again = PushVariantExtractions(plan)
      assert(again.fastEquals(plan), Clue(s"the rule applied again:\n$again\nafter\n$plan"))
    case other => fail(s"not a classic DataFrame: $other")
  }

  /**
   * The physical operators that Spark chooses by how logical operators stand to each other: with
   * another operator between them, it would not find, say, a Sort below a Limit.
   */
  protected def chosenOperators(sql: String): Seq[String] =
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.exchange.reuse" -> "false",
      "spark.sql.execution.reuseSubquery" -> "false"
    ) {
      spark
        .sql(sql)
        .queryExecution
        .executedPlan
        .collectWithSubqueries {
          case join: BroadcastHashJoinExec if join.isNullAwareAntiJoin => "null-aware anti-join"
          case operator @ (_: LimitExec | _: TakeOrderedAndProjectExec | _: SortExec) =>
            operator.nodeName
          case operator @ (_: WindowExec | _: WindowGroupLimitExec) => operator.nodeName
          case operator @ (_: BaseJoinExec | _: BaseAggregateExec)  => operator.nodeName
        }
        .sorted
    }

  /**
   * The answers with push-down, without, and by Spark's own source are the same; Spark's planner
   * chooses the same operators with push-down and without, and the columns may hold null in the
   * same cases; and what the rule made of the query is final.
   */
  protected def sameAnswers(sql: String): DataFrame = {
    def nullable(query: DataFrame) = query.queryExecution.optimizedPlan.output.map(_.nullable)
    val wanted = bySpark(rows(spark.sql(sql)))
    val (operators, nulls) = byUs(pushed = false) {
      val query = spark.sql(sql)
      assert(rows(query) === wanted, "push-down off")
      (chosenOperators(sql), nullable(query))
    }
    byUs(pushed = true) {
      val query = spark.sql(sql)
      assert(rows(query) === wanted, Clue(s"push-down on\n${query.queryExecution}"))
      assert(chosenOperators(sql) === operators, Clue(s"${query.queryExecution}"))
      assert(nullable(query) === nulls, Clue(s"${query.queryExecution}"))
      assertConverged(query)
      query
    }
  }
}

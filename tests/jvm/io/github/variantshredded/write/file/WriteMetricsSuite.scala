package io.github.variantshredded.write.file

import java.nio.file.Files
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

import io.github.variantshredded.testing.Warnings
import io.github.variantshredded.write.WriteSuite
import org.apache.spark.sql.execution.{CommandResultExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.util.QueryExecutionListener

class WriteMetricsSuite extends WriteSuite {

  private def metricsOf(action: => Unit): Map[String, Long] = {
    val found = new LinkedBlockingQueue[Map[String, Long]]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit =
        writeOf(query.executedPlan).foreach(plan =>
          found.add(plan.metrics.map { case (name, metric) => name -> metric.value })
        )
      override def onFailure(name: String, query: QueryExecution, e: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    try {
      action
      Option(found.poll(60, TimeUnit.SECONDS)).getOrElse(fail("no write was seen"))
    } finally spark.listenerManager.unregister(listener)
  }

  private def writeOf(plan: SparkPlan): Option[SparkPlan] = plan match {
    case command: CommandResultExec      => writeOf(command.commandPhysicalPlan)
    case adaptive: AdaptiveSparkPlanExec => writeOf(adaptive.executedPlan)
    case other                           => other.find(_.metrics.contains("rowsWritten"))
  }

  test("rows, bytes, files, leaf columns and the share without a type") {
    val path = newPath()
    val df = json((0 until 25).map(i => s"""{"id": "${"x" * 30}", "r$i": "${"y" * 9}"}"""): _*)
    val metrics = metricsOf(
      writer(
        df,
        path,
        "shredding" -> """{"v": "id string"}""",
        "maxRecordsPerFile" -> "10"
      ).save()
    )
    assert(metrics("filesWritten") === 3)
    assert(metrics("rowsWritten") === 25)
    assert(metrics("bytesWritten") === files(path).map(f => Files.size(path.resolve(f))).sum)
    // n, and of v: metadata, value, and both columns of id.
    assert(metrics("leavesWritten") === 5)
    // 30 bytes typed; an object of one field in 15 bytes without a type.
    assert(metrics("residualShare") === 333)
    assert(metrics("filesRolled") === 0)
  }

  test("files that end because data change") {
    val df = spark
      .range(0, 3000, 1, 1)
      .selectExpr("parse_json(if(id < 1000, '{\"a\": 1}', '{\"b\": 1}')) AS v")
    val metrics = metricsOf(
      writer(df, newPath(), "inferRows" -> "100", "driftRows" -> "1200").save()
    )
    assert(metrics("filesRolled") === 1)
    assert(metrics("filesWritten") === 2)
    assert(metrics("rowsWritten") === 3000)
  }

  test("paths of clusterBy, bloomFilter and pins that no row has: a metric, and a warning each") {
    val df = json((0 until 25).map(i => s"""{"id": "x$i", "tags": ["a$i"], "o": {"k": $i}}"""): _*)
    var metrics = Map.empty[String, Long]
    val warnings = Warnings.of("io.github.variantshredded.write.file.WriteStatsTracker") {
      metrics = metricsOf(
        writer(
          df.repartition(3),
          newPath(),
          "clusterBy" -> "$.o.k, $.kynd",
          "bloomFilter" -> "$.id, $.tags[*], $.idd, $.o",
          "shredding.pin" -> "$.o.k bigint, $['no such'] int, $.list[*].c string"
        ).save()
      )
    }
    assert(metrics("filesWritten") === 3)
    assert(metrics("pathsUnused") === 5)
    val noRow = "no row has the path"
    val noColumn = "no file has a typed column with values for the path"
    assert(
      warnings === Seq(
        s"Option 'clusterBy': $noRow $$.kynd of the column v",
        s"Option 'bloomFilter': $noColumn $$.idd of the column v",
        s"Option 'bloomFilter': $noColumn $$.o of the column v",
        s"Option 'shredding.pin': $noRow $$.list[*].c of the column v",
        s"Option 'shredding.pin': $noRow $$['no such'] of the column v"
      )
    )
  }

  test("a path that the rows of one file have is in use; without rows nothing is unused") {
    val df = spark
      .range(0, 100, 1, 4)
      .selectExpr("parse_json(if(id < 25, '{\"a\": 1}', '{\"b\": \"x\"}')) AS v")
    val options = Seq("clusterBy" -> "$.a", "shredding.pin" -> "$.a int", "layout" -> "overview")
    assert(metricsOf(writer(df, newPath(), options: _*).save())("pathsUnused") === 0)
    assert(metricsOf(writer(df.limit(0), newPath(), options: _*).save())("pathsUnused") === 0)
    val others = options.filterNot(_._1 == "clusterBy") :+ ("clusterBy" -> "$.b")
    val withoutA = df.where("v:a is null")
    assert(metricsOf(writer(withoutA, newPath(), others: _*).save())("pathsUnused") === 1)
  }

  test("how the share is shown") {
    assert(new ResidualShare().aggregateTaskMetrics(Array(333L)) === "33.3 %")
    assert(new ResidualShare().aggregateTaskMetrics(Array(1000L, 0L)) === "100.0 %")
    assert(new WriteCount().aggregateTaskMetrics(Array(1L, 2L)) === "3")
    assert(
      WriteStats(1, 10, 99, 5, 30, 10).toString ===
        "10 rows, 99 bytes, 5 leaf columns, 25.0 % of the Variants' bytes in residual values"
    )
    assert(WriteStats.Empty.residualPerMille === 0)
  }
}

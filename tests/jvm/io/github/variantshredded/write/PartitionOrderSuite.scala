package io.github.variantshredded.write

import java.nio.file.Path

import io.github.variantshredded.testing.{DataFiles, TableSuite}
import org.apache.spark.sql.{classic, DataFrame}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Sort}
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution}
import org.apache.spark.sql.functions._

/** The order of the rows in the files of partitions, and how many files a task writes. */
class PartitionOrderSuite extends TableSuite {

  private val count = 600

  /** Rows in no order, in three tasks, with two partition columns. */
  private def mixed: DataFrame = spark
    .range(0, count.toLong, 1, 3)
    .selectExpr(
      s"cast(id * 7919 % $count as int) as ts",
      s"parse_json(concat('{\"ts\": ', id * 7919 % $count, '}')) as v",
      "date_add(date'2026-01-01', cast(id % 3 as int)) as day",
      "cast(id % 2 as string) as part"
    )

  private def times(file: Path): Seq[Int] =
    reader.load(file.toString).select("ts").collect().map(_.getInt(0)).toSeq

  /** Checks that all rows are there, and that each file has its rows in ascending order of `ts`. */
  private def assertSorted(root: String, descending: Boolean = false, all: Int = count): Unit = {
    val found = DataFiles.below(Path.of(root)).map(times)
    assert(found.map(_.size).sum === all)
    assert(found.forall(_.size > 10))
    found.foreach(rows => assert(rows === (if (descending) rows.sorted.reverse else rows.sorted)))
  }

  private def byDay(df: DataFrame): DataFrame = df.repartition(2, col("day"))

  private val days = Seq("day")

  for {
    (name, partitions, arranged) <- Seq[(String, Seq[String], DataFrame => DataFrame)](
      ("the partition column first", days, byDay(_).sortWithinPartitions("day", "ts")),
      ("no partition column", days, byDay(_).sortWithinPartitions("ts")),
      ("the partition column downwards", days, _.orderBy(col("day").desc, col("ts"))),
      ("the rows of all tasks", days, _.orderBy("ts")),
      (
        "the partition columns in another order",
        Seq("day", "part"),
        _.sortWithinPartitions("part", "day", "ts")
      ),
      (
        "one of two partition columns",
        Seq("day", "part"),
        _.sortWithinPartitions("day", "ts")
      ),
      (
        "a path of a Variant",
        days,
        byDay(_).sortWithinPartitions(col("day"), expr("v:ts::int"))
      ),
      (
        "a path of a Variant alone, below a filter and other columns",
        days,
        _.sortWithinPartitions(expr("v:ts::int")).where("part >= '0'").withColumn("more", lit(1))
      ),
      (
        "an expression with a literal that is a column too",
        days,
        _.sortWithinPartitions(round(col("ts") / 10, 2)).withColumn("more", lit(2))
      ),
      (
        "columns that are cast afterwards or dropped",
        days,
        _.withColumn("n", col("ts").cast("string"))
          .sortWithinPartitions(col("day"), col("ts"))
          .selectExpr("cast(n as int) as ts", "v", "date_add(day, 0) as day")
      )
    )
    source <- Seq("memory", "files")
  } test(s"a save keeps the order by $name, from $source") {
    val df = if (source == "memory") mixed else reader.load(written(mixed))
    assertSorted(written(arranged(df), partitions: _*))
  }

  // One numeric partition column with nulls: Spark's sort by it does not keep the order of rows.
  for {
    (name, arranged) <- Seq[(String, DataFrame => DataFrame)](
      "LIMIT" -> (_.orderBy("ts").limit(count - 3)),
      "LIMIT and OFFSET" -> (_.orderBy("ts").offset(1).limit(count - 3).drop("part")),
      "fewer tasks" -> (_.orderBy("ts").coalesce(1)),
      "a column that is not deterministic" -> (_.orderBy("ts").withColumn("r", rand())),
      "a filter that is not deterministic" -> (_.sortWithinPartitions("ts").where(rand() >= 0)),
      "metrics" -> (_.sortWithinPartitions("ts").observe("last", max(col("ts"))))
    )
    dropped <- Seq(false, true)
  } test(s"a save keeps the order after $name if days are null, and drops the column: $dropped") {
    val days = mixed.withColumn("day", when(col("ts") % 5 =!= 0, col("day")))
    val df =
      if (dropped)
        arranged(days.withColumn("ts", col("ts").cast("double")))
          .withColumn("ts", col("ts").cast("int"))
      else arranged(days)
    val path = written(df, "day")
    assertSorted(path, all = reader.load(path).count().toInt)
    assert(reader.load(path).count() >= count - 3)
    assert(reader.load(path).columns.toSet === df.columns.toSet)
  }

  test("a partition column whose letters differ, and columns whose names need quotes") {
    val df = mixed.withColumnRenamed("day", "A `day`.x")
    val sorted = df.sortWithinPartitions(col("`A ``day``.x`"), col("ts"))
    assertSorted(written(sorted, "`a ``day``.x`"))
  }

  /** Runs the test with a table that has two partition columns. */
  private def withPartitioned(test: String => Unit): Unit = withTable { t =>
    spark.sql(
      s"CREATE TABLE $t (ts INT, v VARIANT, day DATE, part STRING) USING variant_shredded " +
        "PARTITIONED BY (day, part)"
    )
    mixed.createOrReplaceTempView("mixed")
    test(t)
  }

  private val day = "DATE'2026-01-01'"

  for {
    (statement, rows) <- Seq(
      "INSERT INTO T SELECT * FROM mixed DISTRIBUTE BY day SORT BY day, part, ts" -> count,
      "INSERT INTO T SELECT * FROM mixed SORT BY ts" -> count,
      s"INSERT OVERWRITE T PARTITION (day = $day, part = '0') " +
        "SELECT ts, v FROM mixed SORT BY ts" -> count,
      s"INSERT OVERWRITE T PARTITION (day = $day, part) " +
        "SELECT ts, v, part FROM mixed SORT BY part, ts" -> count,
      s"INSERT INTO T PARTITION (part, day = $day) " +
        "SELECT ts, v, part FROM mixed SORT BY v:ts::int" -> count,
      s"INSERT INTO T REPLACE WHERE day = $day " +
        s"SELECT ts, v, $day, part FROM mixed SORT BY part, ts" -> count,
      "INSERT INTO T BY NAME SELECT part, day, v, ts FROM mixed SORT BY part, day, ts" -> count,
      "INSERT INTO T WITH m AS (SELECT * FROM mixed) SELECT * FROM m SORT BY day, part, ts" -> count
    )
  } test(s"an insert keeps the order: $statement") {
    withPartitioned { t =>
      spark.sql(statement.replaceFirst("\\bT\\b", t))
      assertSorted(directory(t).toString, all = rows)
    }
  }

  test("a dynamic overwrite and new tables keep the order") {
    withPartitioned { t =>
      mixed.sortWithinPartitions("day", "part", "ts").writeTo(t).overwritePartitions()
      assertSorted(directory(t).toString)
    }
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t USING variant_shredded PARTITIONED BY (day) AS " +
          "SELECT * FROM mixed DISTRIBUTE BY day SORT BY day, ts DESC"
      )
      assertSorted(directory(t).toString, descending = true)
      val sorted = mixed.sortWithinPartitions("day", "ts")
      writer(sorted).partitionBy("day").mode("overwrite").saveAsTable(t)
      assertSorted(directory(t).toString)
    }
  }

  test("an insert that checks NOT NULL keeps the order") {
    withConf("spark.sql.fileSource.insert.enforceNotNull" -> "true") {
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (ts INT NOT NULL, v VARIANT, part STRING, day DATE NOT NULL) " +
            "USING variant_shredded PARTITIONED BY (day)"
        )
        mixed.createOrReplaceTempView("mixed")
        val rows =
          "SELECT if(ts < 0, NULL, ts) AS ts, v, part, if(ts < 0, NULL, day) AS day FROM mixed"
        spark.sql(s"INSERT INTO $t $rows SORT BY day, ts")
        assertSorted(directory(t).toString)
        spark.sql(s"INSERT INTO $t PARTITION (day = $day) SELECT ts, v, part FROM mixed SORT BY ts")
        assertSorted(directory(t).toString, all = 2 * count)
        mixed.withColumn("day", expr(day)).writeTo(t).append()
        assert(spark.table(t).count() === 3 * count)
        val insert = analyzed(classicSession, s"INSERT INTO $t SELECT ts, v, part, day FROM mixed")
        assert(sorts(insert.optimizedPlan) === Seq(Seq("day")))
      }
    }
  }

  for (sorted <- Seq(false, true))
    test(s"a task writes one file for each partition, sorted within tasks: $sorted") {
      val df = if (sorted) mixed.sortWithinPartitions("ts") else mixed
      assert(dataFiles(written(df, "day")).size === 3 * 3)
      assert(dataFiles(written(df, "day", "part")).size === 3 * 6)
      withPartitioned { t =>
        df.writeTo(t).append()
        assert(DataFiles.below(directory(t)).size === 3 * 6)
      }
    }

  private def sorts(plan: LogicalPlan): Seq[Seq[String]] =
    plan.collect { case sort: Sort => sort.order.flatMap(_.references.map(_.name)) }

  /** Analyzes a statement, and does not run it. */
  private def analyzed(session: classic.SparkSession, statement: String): QueryExecution = {
    val parsed = session.sessionState.sqlParser.parsePlan(statement)
    val execution = session.sessionState.executePlan(parsed, CommandExecutionMode.SKIP)
    execution.assertAnalyzed()
    execution
  }

  private def classicSession = spark match {
    case ours: classic.SparkSession => ours
    case other                      => fail(s"not a classic session: $other")
  }

  test("an insert that casts the columns by which it sorts keeps the order") {
    withPartitioned { t =>
      mixed
        .selectExpr("cast(ts as smallint) as ts", "v", "string(day) as day", "int(part) as part")
        .createOrReplaceTempView("narrow")
      spark.sql(
        s"INSERT INTO $t SELECT ts, v, date(day), string(part) FROM narrow SORT BY day, part, ts"
      )
      spark.sql(s"INSERT INTO $t SELECT ts, v, date(day), part FROM narrow SORT BY ts")
      assertSorted(directory(t).toString, all = 2 * count)
    }
  }

  test("rows that were sorted and then put into fewer tasks keep their order") {
    assertSorted(written(mixed.orderBy("ts").coalesce(1), "day"))
  }

  test("a partition column is computed only for the rows that a filter keeps") {
    val dayOf = udf((ts: Int) => if (ts % 4 == 0) "" else f"2026-01-0${ts % 3 + 1}")
    val df = mixed
      .sortWithinPartitions("ts")
      .withColumn("d", dayOf(col("ts")))
      .where("d <> ''")
      .selectExpr("v:ts::int AS ts", "v", "cast(d AS date) AS day")
    assertSorted(written(df, "day"), all = 450)
  }

  test("partition columns and sort keys are computed once for each row") {
    val calls = spark.sparkContext.longAccumulator
    val hundreds = udf { (ts: Int) => calls.add(1); ts / 200 }
    val inverse = udf { (ts: Int) => calls.add(1); -ts }
    val arranged = Seq[DataFrame => DataFrame](
      _.sortWithinPartitions("ts").select(-col("ts") as "ts", hundreds(col("ts")) as "part"),
      _.orderBy("ts").select(-col("ts") as "ts", hundreds(col("ts")) as "part"),
      _.sortWithinPartitions(inverse(col("ts")))
    )
    arranged.foreach { by =>
      calls.reset()
      assertSorted(written(by(mixed.select("ts", "part")), "part"), descending = true)
      assert(calls.value === count)
    }
  }

  test("a task writes one file for each partition if another column leads the order") {
    val df = mixed.sortWithinPartitions("ts", "day").withColumn("other", col("day"))
    assert(dataFiles(written(df, "day", "other")).size === 3 * 3)
  }

  test("a task writes one file for each partition after OFFSET") {
    val df = mixed.sortWithinPartitions("day", "ts").offset(10)
    assert(dataFiles(written(df, "day")).size === 3)
  }

  test("the rows are sorted once") {
    val session = classicSession
    withPartitioned { t =>
      def orders(query: String) =
        sorts(analyzed(session, s"INSERT INTO $t $query").optimizedPlan)
      val insert = "SELECT * FROM mixed"
      assert(orders(insert) === Seq(Seq("day", "part")))
      assert(orders(s"$insert SORT BY ts") === Seq(Seq("day", "part", "ts")))
      assert(orders(s"$insert SORT BY part, day") === Seq(Seq("part", "day")))
      assert(orders(s"$insert SORT BY part") === Seq(Seq("day", "part")))
      val static = s"PARTITION (day = $day, part) SELECT ts, v, part FROM mixed"
      assert(orders(static) === Seq(Seq("part")))
      assert(orders(s"$static WHERE ts > 1 SORT BY ts") === Seq(Seq("part", "ts")))
      assert(orders(s"PARTITION (day = $day, part = 'x') SELECT ts, v FROM mixed") === Nil)
      val dropped = "SELECT -ts, v, day, part FROM mixed"
      assert(orders(s"$dropped SORT BY mixed.ts") === Seq(Seq("day", "part", "ts")))
      assert(orders(s"$insert SORT BY -ts") === Seq(Seq("day", "part", "sortKey")))
      val all = orders(s"$insert ORDER BY ts LIMIT 9")
      assert(all === Seq(Seq("day", "part", "ts"), Seq("ts")))
      val kept = "WITH m AS (SELECT *, rand() AS r FROM mixed) SELECT ts, v, day, part FROM m " +
        "WHERE r > (SELECT min(r) FROM m) SORT BY ts"
      assert(orders(kept) === Seq(Seq("day", "part", "ts")))
    }
  }

  test("Spark sorts the rows if the session has lost the rules of this source") {
    val session = classicSession
    withPartitioned { t =>
      val execution = analyzed(session, s"INSERT INTO $t SELECT * FROM mixed SORT BY ts")
      val rules = session.experimental.extraOptimizations
      session.experimental.extraOptimizations = Nil
      try assert(sorts(execution.optimizedPlan) === Seq(Seq("day", "part")))
      finally session.experimental.extraOptimizations = rules
    }
  }
}

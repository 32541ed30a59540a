package io.github.variantshredded.takeover

import java.nio.file.{Files, Path}

import io.github.variantshredded.SessionSetup
import io.github.variantshredded.fuzz.DuckDbFile
import io.github.variantshredded.read.file.CountedFiles
import io.github.variantshredded.read.scan.VariantScanBuilder
import io.github.variantshredded.testing.{DataFiles, Warnings}
import io.github.variantshredded.write.TestKeys
import org.apache.spark.{SparkException, SparkThrowable}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  HadoopFsRelation,
  LogicalRelation,
  PartitionDirectory
}
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper
import org.apache.spark.sql.functions.{broadcast, col, expr}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.{
  DataType,
  DateType,
  IntegerType,
  MetadataBuilder,
  StructType,
  VariantType
}

/** Existing Parquet tables and paths, read by this source and by Spark. */
class TakeOverSuite extends ExistingTablesSuite("parquet") {
  import TakeOverSuite._

  override protected def sessionSettings: Map[String, String] =
    super.sessionSettings + ("spark.sql.legacy.createHiveTableByDefault" -> "false") ++
      CountedFiles.settings.map { case (key, value) => s"spark.hadoop.$key" -> value }

  private val Rows = 1000

  // Numbers and strings at one path, nested values, and a field that some rows lack.
  private def json = """concat('{"a": ', id, ', "b": ', if(id % 7 = 0, '"x"', string(id)),
    ', "c": {"d": ', id, '.5, "e": [', id, ', ', id + 1, ']}',
    if(id % 3 = 0, '', concat(', "n": ', id % 5)), '}')"""

  private def rows: DataFrame = spark
    .range(Rows)
    .selectExpr(
      "id",
      s"if(id % 50 = 0, null, parse_json($json)) AS v",
      "CAST(id % 4 AS INT) AS p",
      s"named_struct('k', CAST(id AS STRING), 'w', parse_json($json)) AS s"
    )

  private def shredded[T](write: => T): T = withConf(
    "spark.sql.variant.writeShredding.enabled" -> "true",
    "spark.sql.variant.inferShreddingSchema" -> "true"
  )(write)

  private lazy val byPath: String = {
    val path = s"$folder/shredded"
    shredded(rows.repartition(3).write.parquet(path))
    path
  }

  private lazy val unshredded: String = {
    val path = s"$folder/unshredded"
    withConf("spark.sql.variant.writeShredding.enabled" -> "false")(rows.write.parquet(path))
    path
  }

  private lazy val ofOurs: String = {
    val path = s"$folder/ours"
    rows.write.format("variant-shredded").save(path)
    path
  }

  private lazy val table: String = {
    shredded(rows.write.partitionBy("p").format("parquet").saveAsTable("events"))
    "events"
  }

  private lazy val view: String = {
    spark.sql(s"CREATE VIEW seen AS SELECT * FROM $table WHERE id >= 0")
    "seen"
  }

  // DuckDB writes Variants only as columns, not inside structs.
  private lazy val ofDuckDb: String = {
    val source = s"$folder/duckdb-source"
    withConf("spark.sql.variant.writeShredding.enabled" -> "false") {
      rows.drop("s").repartition(1).write.parquet(source)
    }
    val path = Files.createDirectories(folder.resolve("duckdb"))
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), path.resolve("file.parquet"), None)
    path.toString
  }

  private def relations = Seq(
    "a path that Spark shredded" -> s"parquet.`$byPath`",
    "a path that is not shredded" -> s"parquet.`$unshredded`",
    "a path that this source wrote" -> s"parquet.`$ofOurs`",
    "a partitioned table" -> table
  )

  private def relationsOf(query: String) = relations ++
    // A view has no column `_metadata`.
    Option.when(!query.contains("_metadata"))("a view" -> view) ++
    Option.when(!query.contains("s.w"))("a file of DuckDB" -> s"parquet.`$ofDuckDb`")

  private val queries = Seq(
    "SELECT sum(v:a::bigint) FROM T",
    "SELECT v:b::string, v:c.d::double FROM T WHERE v:a::int BETWEEN 100 AND 200",
    "SELECT * FROM T WHERE id < 20",
    "SELECT v FROM T WHERE p = 2 AND id % 10 = 0",
    "SELECT p, count(*), max(v:c.e[1]::int) FROM T GROUP BY p",
    "SELECT p, v:a::int FROM T WHERE p = v:n::int",
    "SELECT s.w:c.d::string, s.k FROM T WHERE s.w:b::string = 'x'",
    "SELECT count(*) FROM T WHERE v:n IS NULL",
    "SELECT count(v), count(s.w:n), sum(id) FROM T",
    "SELECT v::string, s.w:c::string FROM T WHERE id < 100",
    "SELECT count(*) FROM T WHERE is_variant_null(v:n)",
    "SELECT v:c::struct<d: double, e: array<int>> FROM T WHERE v IS NOT NULL",
    "SELECT a.id FROM T a JOIN T b ON a.v:a::int = b.v:a::int + 1 WHERE b.p = 1",
    "SELECT id FROM T a WHERE EXISTS (SELECT 1 FROM T b WHERE b.v:n::int = a.id)",
    "SELECT id FROM T WHERE v:a::int = (SELECT max(v:a::int) FROM T WHERE p = 1)",
    "SELECT v:a::int AS x FROM T UNION ALL SELECT id FROM T",
    "SELECT v FROM T UNION ALL SELECT s.w FROM T",
    "WITH c AS (SELECT v, rand(1) >= 0 AS r FROM T) SELECT x.v:a::int FROM c x JOIN c y " +
      "ON x.v:a::int = y.v:a::int WHERE x.r",
    "SELECT v:a::int FROM T ORDER BY id LIMIT 7",
    "SELECT DISTINCT v:n::int FROM T",
    "SELECT row_number() OVER (PARTITION BY p ORDER BY id), v:a::int FROM T",
    "SELECT e.value::int FROM T, LATERAL variant_explode(v:c.e) e WHERE id < 50",
    "SELECT _metadata.file_name, count(v:a) FROM T GROUP BY 1",
    "SELECT _metadata.row_index, _metadata.file_size, v:a::int FROM T WHERE id < 100",
    "SELECT count(v:a) FROM T WHERE _metadata.file_name LIKE '%part-00001%'",
    "SELECT input_file_name(), v:a::int FROM T",
    "SELECT schema_of_variant_agg(v) FROM T",
    "SELECT to_json(v) FROM T WHERE id = 77"
  )

  for (query <- queries) test(query) {
    relationsOf(query).foreach { case (relation, name) =>
      withClue(relation) {
        same(spark.sql(query.replaceAll("\\bT\\b", java.util.regex.Matcher.quoteReplacement(name))))
      }
    }
  }

  /** Compares with Spark's answer without its push-down, which gives nulls in Data Source V2. */
  private def sameWithoutPushDown(query: => DataFrame): Seq[String] = {
    val wanted = withConf(off :+ (PushDown -> "false"): _*)(answer(query, takenOver = false))
    assert(answer(query, takenOver = true) == wanted)
    wanted
  }

  test("a relation of Data Source V2 has Spark's answers without push-down") {
    withConf("spark.sql.sources.useV1SourceList" -> "") {
      def read = spark.read.parquet(byPath)
      assert(read.queryExecution.analyzed.toString.contains("RelationV2"))
      def sum = read.selectExpr("sum(v:a::int)")
      // Spark's push-down of Variants in this interface gives null for `v:a::int` here.
      val sparks = withConf(PushDown -> "false")(answer(sum))
      assert(answer(sum, takenOver = true) == sparks)
      same(read.where("v:b::string = 'x'").select("id", "v"))
    }
  }

  test("EXPLAIN says why a relation of Data Source V2 for Parquet is left to Spark") {
    withConf("spark.sql.sources.useV1SourceList" -> "", PushDown -> "false") {
      def off = spark.read.option("variantShredded.takeOver", "false").parquet(byPath)
      declined(off.selectExpr("v:a::int"), "its option variantShredded.takeOver is false")
      def query = spark.read.parquet(byPath).selectExpr("v:a::int")
      declined(query, s"$PushDown is false")
      val plan = query.queryExecution.executedPlan.toString
      assert(plan.contains("BatchScan parquet file:"), plan)
      assert(plan.contains(s"$byPath (not variant-shredded: $PushDown is false)"), plan)
    }
  }

  test("a declined relation of Data Source V2 for Parquet shares exchanges and cached data") {
    withConf(
      "spark.sql.sources.useV1SourceList" -> "",
      "spark.sql.adaptive.enabled" -> "false",
      PushDown -> "false"
    ) {
      def counts = spark.read.parquet(byPath).selectExpr("v:a::int AS x").groupBy("x").count()
      declined(counts, s"$PushDown is false")
      val one = counts
      assert(one.union(one).queryExecution.executedPlan.toString.contains("ReusedExchange"))
      val cached = counts.cache()
      try {
        assert(counts.queryExecution.executedPlan.toString.contains("InMemoryTableScan"))
      } finally { val _ = cached.unpersist(blocking = true) }
    }
  }

  test("rows can be inserted into a declined relation of Data Source V2 for Parquet") {
    val path = s"$folder/second"
    rows.select("id", "v").write.parquet(path)
    withConf("spark.sql.sources.useV1SourceList" -> "", PushDown -> "false") {
      spark.read.parquet(path).createOrReplaceTempView("second")
      spark.sql("INSERT INTO second SELECT id + 5000, v FROM second WHERE v:a::int < 100")
      assert(spark.read.parquet(path).count() == Rows + 98)
    }
  }

  test("a session without push-down of Variants is left to Spark") {
    Seq("false", "FALSE").foreach { value =>
      withConf(PushDown -> value) {
        def sum = spark.read.parquet(byPath).selectExpr("sum(v:a::int)")
        same(sum, takenOver = false)
        assert(sum.queryExecution.executedPlan.toString.contains(s"$PushDown is false"))
      }
    }
  }

  test("a query that reads no Variant is left to Spark") {
    same(spark.read.parquet(byPath).selectExpr("sum(id)"), takenOver = false)
    same(spark.read.parquet(byPath).groupBy("p").count(), takenOver = false)
    spark.read.parquet(byPath).createOrReplaceTempView("all_columns")
    same(spark.sql("SELECT id FROM (SELECT * FROM all_columns) WHERE p = 1"), takenOver = false)
  }

  test("only the partitions of the query are listed and read") {
    def query = spark.sql(s"SELECT v:a::int FROM $table WHERE p = 3")
    assert(query.queryExecution.executedPlan.toString.contains("PartitionFilters: [isnotnull(p"))
    same(query)
  }

  test("rows are in the tasks in which Spark reads them") {
    val path = s"$folder/uneven"
    val uneven = rows.withColumn("p", expr("CAST(sqrt(id / 30) AS INT)"))
    shredded(uneven.repartition(3).write.partitionBy("p").parquet(path))
    shredded(uneven.repartition(2).write.partitionBy("p").format("parquet").saveAsTable("uneven"))
    try {
      for {
        (maxBytes, openCost) <- Seq("4000" -> "10", "9000" -> "3000", "100000" -> "5000")
        name <- Seq("uneven", s"parquet.`$path`")
      } withConf(
        "spark.sql.files.maxPartitionBytes" -> maxBytes,
        "spark.sql.files.openCostInBytes" -> openCost
      ) {
        def placed(condition: String) =
          spark.sql(s"SELECT monotonically_increasing_id(), id, v:a::int FROM $name $condition")
        Seq("", "WHERE p > 2", "WHERE id % 3 = 0").foreach(condition => same(placed(condition)))
        withConf("spark.sql.files.maxPartitionNum" -> "3")(same(placed("")))
        // One part is read by this source, the other by Spark.
        def part(index: Int) =
          spark.sql(s"SELECT * FROM $name").randomSplit(Array(0.9, 0.1), 7)(index)
        val train = answer(part(0).selectExpr("id", "v:a::int"), takenOver = true)
        val test = answer(part(1).selectExpr("id"), takenOver = false)
        val ids = train.map(_.takeWhile(_ != ',') + "]") ++ test
        assert(ids.sorted == answer(spark.range(Rows).toDF()))
      }
    } finally { val _ = spark.sql("DROP TABLE uneven") }
  }

  test("a plan names the first path of a relation, and the number of the others") {
    Seq(Seq(byPath), Seq(byPath, ofOurs), Seq(byPath, ofOurs, unshredded)).foreach { paths =>
      def read = spark.read.parquet(paths: _*).selectExpr("v:a::int")
      same(read)
      val others = if (paths.size == 1) "" else s" and ${paths.size - 1} more"
      val node = read.queryExecution.executedPlan.collectLeaves().head
      assert(node.nodeName === s"BatchScan variant-shredded file:$byPath$others")
    }
  }

  test("a subquery that becomes a join reads only the columns and partitions that it needs") {
    spark.range(0, 2000, 7).toDF("k").createOrReplaceTempView("few")
    def plan(query: DataFrame) = query.queryExecution.executedPlan.toString
    Seq(s"parquet.`$byPath`", table).foreach { name =>
      def exists(more: String) =
        spark.sql(s"SELECT k FROM few WHERE EXISTS (SELECT * FROM $name e WHERE e.id = k$more)")
      same(exists(""), takenOver = false)
      def read = exists(" AND e.v:a::int > 3")
      same(read)
      assert(plan(read).contains("ReadSchema: struct<id:bigint>"), plan(read))
    }
    def late = spark.sql(
      s"SELECT v:a::int FROM $table e WHERE EXISTS (SELECT 1 FROM few WHERE k = e.id AND e.p = 3)"
    )
    same(late)
    assert(plan(late).contains("PartitionFilters: [(p"), plan(late))
  }

  test("a join prunes the partitions of a taken-over table at run time") {
    def query = {
      val few = spark.range(100).selectExpr("id AS k", "CAST(id AS INT) AS q").where("k = 2")
      spark.table(table).join(broadcast(few), col("p") === col("q")).selectExpr("v:a::int")
    }
    same(query)
    query.collect()
    assert(query.queryExecution.executedPlan.toString.contains("dynamicpruning"))
  }

  test("a cached query is found again") {
    def query = spark.read.parquet(byPath).selectExpr("v:a::int AS x", "v")
    assert(isTakenOver(query))
    val wanted = withConf(off: _*)(answer(query))
    val cached = query.cache()
    try {
      cached.count()
      val again = spark.read.parquet(byPath).selectExpr("v:a::int AS x", "v")
      assert(again.queryExecution.executedPlan.toString.contains("InMemoryTableScan"))
      assert(answer(again) == withConf(Setting -> "none")(answer(again)))
      assert(answer(again) == wanted)
    } finally { val _ = cached.unpersist(blocking = true) }
  }

  test("a cached table is read anew after a write") {
    spark.sql("CREATE TABLE cached_events (id INT, v VARIANT) USING parquet")
    try {
      spark.sql("INSERT INTO cached_events VALUES (1, parse_json('{\"a\": 1}'))")
      val query = "SELECT v:a::int FROM cached_events"
      assert(isTakenOver(spark.sql(query)))
      spark.table("cached_events").cache()
      assert(answer(spark.sql(query)) == Seq("[1]"))
      spark.sql("INSERT INTO cached_events VALUES (2, parse_json('{\"a\": 2}'))")
      assert(answer(spark.sql(query)) == Seq("[1]", "[2]"))
    } finally { val _ = spark.sql("DROP TABLE cached_events") }
  }

  test("inputFiles lists the files that Spark lists") {
    def query = spark.read.parquet(byPath).selectExpr("v:a::int")
    assert(isTakenOver(query))
    def files = query.inputFiles.sorted.toSeq
    assert(files == withConf(Setting -> "none")(files))
    assert(files.size == 3)
  }

  test("inputFiles lists the files of the partitions that Spark chooses") {
    def query(condition: String) = spark.table(table).where(condition).selectExpr("v:a::int")
    def files(condition: String) = query(condition).inputFiles.sorted.toSeq
    val conditions =
      Seq("P = 3", "p > 1 AND id > 10", "p = 9", "p = 1 OR v:a::int = 7", "id > 10")
    conditions.foreach { condition =>
      val wanted = withConf(off: _*)(files(condition))
      assert(files(condition) == wanted, condition)
      assert(isTakenOver(query(condition)) || wanted.isEmpty, condition)
    }
    assert(files("p = 3").forall(_.contains("/p=3/")))
  }

  test("added columns and columns with a length have Spark's values") {
    spark.sql("CREATE TABLE grown (id INT, v VARIANT, c CHAR(5), d VARCHAR(5)) USING parquet")
    try {
      spark.sql("INSERT INTO grown VALUES (1, parse_json('{\"a\": 1}'), 'x', 'y')")
      spark.sql("ALTER TABLE grown ADD COLUMN e INT DEFAULT 42")
      spark.sql("ALTER TABLE grown ADD COLUMN w VARIANT")
      spark.sql(
        "INSERT INTO grown VALUES (2, parse_json('{\"a\": 2}'), 'xy', 'z', 7, parse_json('3'))"
      )
      same(spark.sql("SELECT *, c || '|' FROM grown"))
      same(spark.sql("SELECT v:a::int, w::int, e, c, d FROM grown WHERE c = 'x' OR e = 7"))
    } finally { val _ = spark.sql("DROP TABLE grown") }
  }

  test("files of several schemas, a given schema, and names in another case have Spark's values") {
    val path = s"$folder/several"
    shredded {
      rows.selectExpr("id", "v").write.parquet(path)
      rows
        .selectExpr("CAST(id AS DOUBLE) AS x", "parse_json('{\"a\": \"text\"}') AS V2")
        .write
        .mode("append")
        .parquet(path)
    }
    same(
      spark.read
        .option("mergeSchema", "true")
        .parquet(path)
        .selectExpr("id", "x", "v:a::string", "V2:a::string")
    )
    same(
      spark.read
        .schema("ID bigint, V variant, missing int")
        .parquet(path)
        .selectExpr("ID", "V:a::int", "missing")
    )
  }

  test("structs are not NULL in a file that has none of the other fields that are read") {
    val path = s"$folder/structs"
    shredded {
      def write(fields: String, from: Int) = spark
        .sql(s"SELECT id, named_struct($fields) AS s FROM range($from, ${from + 2}, 1, 1)")
        .write
        .mode("append")
        .parquet(path)
      val variant = """'q', parse_json(concat('{"a":', id, '}'))"""
      write(variant, 0)
      write(s"$variant, 'u', id", 2)
    }
    def query(text: String) = {
      spark.read
        .schema("id bigint, s struct<q: variant, u: bigint>")
        .parquet(path)
        .createOrReplaceTempView("structs")
      spark.sql(text)
    }
    assert(
      same(query("SELECT id, s.u, s.q:a::int, s IS NULL FROM structs")) ==
        Seq("[0,null,0,false]", "[1,null,1,false]", "[2,2,2,false]", "[3,3,3,false]")
    )
    same(query("SELECT s.q:a::int FROM structs WHERE s.u = 2"))
  }

  test("a given schema with an array where the files have a struct fails with a type mismatch") {
    def query = spark.read.schema("s array<variant>").parquet(byPath).selectExpr("s[0]:a::int")
    assert(isTakenOver(query))
    val error = intercept[SparkException](query.collect())
    assert(error.getCondition == "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", error)
    assert(error.getMessage.contains("array<variant>"), error)
  }

  test("a column that is in the files and in the directories has Spark's values") {
    val path = s"$folder/overlap"
    rows.selectExpr("99 AS p", "id", "v").write.parquet(s"$path/p=1")
    rows.selectExpr("98 AS p", "id", "v").write.parquet(s"$path/p=2")
    same(spark.read.parquet(path).where("p = 1 OR v:a::int = 99").selectExpr("p", "id", "v:a::int"))
    same(spark.read.parquet(path).select("*").where("id < 10"))
  }

  test("a dynamic overwrite may read its table, and a static one is refused") {
    spark.sql("CREATE TABLE own (id BIGINT, v VARIANT, p INT) USING parquet PARTITIONED BY (p)")
    try {
      rows.select("id", "v", "p").write.insertInto("own")
      intercept[AnalysisException](spark.sql("INSERT OVERWRITE own SELECT * FROM own"))
      withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        val rows = "SELECT id, v, p FROM own WHERE v:a::int < 500"
        assert(isTakenOver(spark.sql(rows)))
        spark.sql(s"INSERT OVERWRITE own $rows")
      }
      assert(answer(spark.sql("SELECT count(*), max(v:a::int) FROM own")) == Seq("[490,499]"))
    } finally { val _ = spark.sql("DROP TABLE own") }
  }

  test("a Variant column has its default value where the files do not have it") {
    spark.sql("CREATE TABLE added (id INT, w VARIANT) USING parquet")
    try {
      spark.sql("INSERT INTO added VALUES (1, parse_json('true'))")
      spark.sql(
        "ALTER TABLE added ADD COLUMN (v VARIANT DEFAULT parse_json('{\"q\":[1,2]}'), u VARIANT)"
      )
      spark.sql("INSERT INTO added VALUES (2, null, parse_json('3'), parse_json('4'))")
      val query = "SELECT id, to_json(w), v, v:q[1]::int, u FROM added ORDER BY id"
      assert(answer(spark.sql(query)) == Seq("[1,true,{\"q\":[1,2]},2,null]", "[2,null,3,null,4]"))
      assert(isTakenOver(spark.sql(query)))
    } finally { val _ = spark.sql("DROP TABLE added") }
  }

  test("a query of a Variant in a struct with a default value is left to Spark") {
    spark.sql("CREATE TABLE grown_struct (id INT) USING parquet")
    try {
      spark.sql("INSERT INTO grown_struct VALUES (1)")
      spark.sql(
        "ALTER TABLE grown_struct ADD COLUMN s STRUCT<v: VARIANT, k: INT> " +
          "DEFAULT named_struct('v', parse_json('{\"q\": 7}'), 'k', 2)"
      )
      spark.sql(
        "INSERT INTO grown_struct VALUES (2, named_struct('v', parse_json('{\"q\": 8}'), 'k', 3))"
      )
      def select(what: String) = spark.sql(s"SELECT $what")
      // Spark does not use the default in all queries, so all are left to it.
      def left(what: String) = {
        declined(select(what), "its column s has a default value")
        answer(select(what))
      }
      assert(left("id FROM grown_struct WHERE s.v:q::int = 8") == Seq("[2]"))
      left("id FROM grown_struct WHERE s.v:q::int = 7")
      assert(left("id, s.v:q::int FROM grown_struct") == Seq("[1,null]", "[2,8]"))
    } finally { val _ = spark.sql("DROP TABLE grown_struct") }
  }

  test("a query is left to Spark only if it reads a struct with a default value") {
    spark.sql("CREATE TABLE grown_fields (id INT, v VARIANT) USING parquet")
    try {
      spark.sql("INSERT INTO grown_fields VALUES (1, parse_json('{\"x\": 1}'))")
      Seq(
        "s STRUCT<a: INT, b: INT> DEFAULT named_struct('a', 1, 'b', 2)",
        "o STRUCT<a: INT> DEFAULT named_struct('a', 1)",
        "l ARRAY<STRUCT<a: INT, b: INT>> DEFAULT array(named_struct('a', 1, 'b', 2))"
      ).foreach(column => spark.sql(s"ALTER TABLE grown_fields ADD COLUMN $column"))
      spark.sql(
        "INSERT INTO grown_fields VALUES " +
          "(2, parse_json('{\"x\": 2}'), named_struct('a', 1, 'b', 3), named_struct('a', 2), null)"
      )
      def left(query: => DataFrame) = {
        same(query, takenOver = false)
        val plan = query.queryExecution.executedPlan.toString
        assert(
          Seq("s", "o", "l").exists { column =>
            plan.contains(s"(not variant-shredded: its column $column has a default value")
          },
          plan
        )
      }
      for {
        columns <- Seq("*, v:x::int", "id, s, v:x::int", "id, v:x::int")
        predicate <- Seq("s.a = 1", "s.a IS NULL", "s.a IS NOT NULL", "o.a = 1", "l[0].a = 1")
      } left(spark.sql(s"SELECT $columns FROM grown_fields WHERE $predicate"))
      // Whether Spark uses a default may depend on the fields of other columns that the query reads.
      for {
        columns <- Seq("o.a, s.a", "o.a, _metadata.file_size > 0", "s.a, s.b, l[0].b", "o.a")
        predicate <- Seq("true", "o.a = 1", "o.a IS NULL", "s.a = o.a", "s IS NULL")
      } left(spark.sql(s"SELECT id, $columns, v:x::int FROM grown_fields WHERE $predicate"))
      same(spark.sql("SELECT id, v:x::int FROM grown_fields WHERE v:x::int = 1"))
    } finally { val _ = spark.sql("DROP TABLE grown_fields") }
  }

  test("a file that is not Parquet has the condition of Spark") {
    val junk = s"$folder/junk"
    rows.write.parquet(junk)
    Files.write(Path.of(junk, "part-9.parquet"), ("no Parquet " * 20).getBytes)
    def query = spark.read.schema(rows.schema).parquet(junk).selectExpr("sum(v:a::int)")
    def condition = intercept[SparkException](query.collect()).getCondition
    assert(isTakenOver(query))
    val found = condition
    assert(withConf(off: _*)(condition) == found)
    assert(found == "FAILED_READ_FILE.NO_HINT")
    val skipping = spark.read.option("ignoreCorruptFiles", "true").schema(rows.schema)
    val wanted = Seq(s"[${Rows - Rows / 50}]")
    assert(same(skipping.parquet(junk).selectExpr("count(v:a)")) == wanted)
    withConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
      assert(same(spark.read.schema(rows.schema).parquet(junk).selectExpr("count(v:a)")) == wanted)
    }
  }

  private def oldRow: DataFrame = spark.sql(
    "SELECT date'1001-01-01' AS d, timestamp'1001-01-01 01:02:03' AS t, " +
      "parse_json('{\"a\": 1}') AS v"
  )

  private def oldTexts(frame: DataFrame): DataFrame =
    frame.selectExpr("string(d)", "string(t)", "v:a::int")

  test("checksums of pages are verified if Spark verifies them") {
    val path = s"$folder/checksum"
    spark
      .range(1)
      .selectExpr("parse_json('{\"a\": 305419896}') AS v")
      .coalesce(1)
      .write
      .format("variant-shredded")
      .option("shredding", "a int")
      .option("compression", "none")
      .save(path)
    val file = DataFiles.only(Path.of(path))
    val bytes = Files.readAllBytes(file)
    bytes(bytes.indexOfSlice(Array[Byte](0x78, 0x56, 0x34, 0x12))) = 0x79
    Files.write(file, bytes)
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    def query = spark.read.parquet(path).selectExpr("v:a::int")
    assert(same(query) === Seq("[305419897]"))
    withConf("parquet.page.verify-checksum.enabled" -> "true") {
      Seq(off, Nil).foreach { settings =>
        val error = intercept[SparkException](withConf(settings: _*)(query.collect()))
        assert(error.getCondition.startsWith("FAILED_READ_FILE"))
      }
    }
  }

  test("dates and timestamps of the Julian calendar beside a Variant have Spark's values") {
    for (mode <- Seq("LEGACY", "CORRECTED"); kind <- Seq("INT96", "TIMESTAMP_MICROS")) {
      val path = s"$folder/old-$mode-$kind"
      withConf(
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> mode,
        "spark.sql.parquet.int96RebaseModeInWrite" -> mode,
        "spark.sql.parquet.outputTimestampType" -> kind
      )(oldRow.write.parquet(path))
      val row = Seq("[1001-01-01,1001-01-01 01:02:03,1]")
      assert(same(oldTexts(spark.read.parquet(path))) == row, path)
      val old = "t < timestamp'1001-01-02' AND d < date'1001-01-02'"
      assert(same(oldTexts(spark.read.parquet(path).where(old))) == row, path)
    }
  }

  test("datetimeRebaseMode applies to files that do not say their calendar") {
    val source = s"$folder/old-source"
    withConf("spark.sql.variant.writeShredding.enabled" -> "false")(oldRow.write.parquet(source))
    val path = Files.createDirectories(folder.resolve("old-duckdb"))
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), path.resolve("file.parquet"), None)
    def read(mode: String) =
      oldTexts(spark.read.option("datetimeRebaseMode", mode).parquet(path.toString))
    assert(same(read("CORRECTED")) == Seq("[1001-01-01,1001-01-01 01:02:03,1]"))
    assert(same(read("LEGACY")) != same(read("CORRECTED")))
    withConf("spark.sql.parquet.datetimeRebaseModeInRead" -> "LEGACY") {
      assert(same(oldTexts(spark.read.parquet(path.toString))) == same(read("LEGACY")))
    }
    def failure = {
      val error = intercept[Exception with SparkThrowable](read("EXCEPTION").collect())
      (error.getClass.getName, error.getCondition)
    }
    assert(failure == withConf(off: _*)(failure))
  }

  test("the extension gives a new session the statements of this source before it is used") {
    val path = folder.resolve("first-statement").toString
    val session = spark.newSession()
    session.sql(s"INSERT OVERWRITE DIRECTORY '$path' USING variant_shredded SELECT 1 AS n")
    assert(reader.load(path).collect().map(_.getInt(0)) === Array(1))
  }

  test("files are read with the settings of the session in which the relation was made") {
    val source = s"$folder/old-view-source"
    withConf("spark.sql.variant.writeShredding.enabled" -> "false")(oldRow.write.parquet(source))
    val path = Files.createDirectories(folder.resolve("old-view"))
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), path.resolve("file.parquet"), None)
    def texts(frame: DataFrame) = frame.selectExpr("string(d)", "string(t)", "v")
    def read(mode: String) =
      texts(spark.read.option("datetimeRebaseMode", mode).parquet(path.toString))
    for (v1 <- Seq("parquet", "")) {
      val other = spark.newSession()
      other.conf.set("spark.sql.parquet.datetimeRebaseModeInRead", "LEGACY")
      other.conf.set("spark.sql.sources.useV1SourceList", v1)
      other.read.parquet(path.toString).createOrReplaceGlobalTempView("old_rows")
      try {
        val found = sameWithoutPushDown(texts(spark.table("global_temp.old_rows")))
        assert(found == same(read("LEGACY")) && found != same(read("CORRECTED")))
      } finally { val _ = spark.catalog.dropGlobalTempView("old_rows") }
    }
  }

  test("only partitions that a query reads are listed, though its scans are compared") {
    val path = newPath()
    rows.write.partitionBy("p").parquet(path)
    spark.sql(
      s"CREATE TABLE counted (id BIGINT, v VARIANT, p INT) USING parquet PARTITIONED BY (p) " +
        s"LOCATION 'counted://$path'"
    )
    try {
      spark.sql("MSCK REPAIR TABLE counted"): Unit
      def query = spark.sql(
        "SELECT count(*) FROM counted x JOIN counted y ON x.v:a::int = y.v:a::int " +
          "WHERE x.p = 1 AND y.p = 1"
      )
      same(query)
      spark.catalog.refreshTable("counted")
      val listed = CountedFiles.listedDuring(answer(query, takenOver = true): Unit)
      assert(listed.map(_.getName).toSet == Set("p=1"))
    } finally { val _ = spark.sql("DROP TABLE counted") }
  }

  test("such dates in shredded Variants have the errors that Spark's reader has") {
    val source = s"$folder/old-shredded-source"
    val path = Files.createDirectories(folder.resolve("old-shredded-duckdb"))
    val variant = spark.sql("SELECT to_variant_object(struct(date'1001-01-01' AS d, 1 AS a)) AS v")
    withConf("spark.sql.variant.writeShredding.enabled" -> "false")(variant.write.parquet(source))
    val dates = Some(new StructType().add("d", DateType).add("a", IntegerType))
    DuckDbFile.rewrite(DataFiles.only(Path.of(source)), path.resolve("file.parquet"), dates)
    for (column <- Seq("v:d::date", "v")) {
      def read(mode: String) =
        spark.read.option("datetimeRebaseMode", mode).parquet(path.toString).selectExpr(column)
      assert(same(read("CORRECTED")).head.contains("1001-01-01"), column)
      same(read("LEGACY"))
      def failure = {
        val error = intercept[Exception with SparkThrowable](read("EXCEPTION").collect())
        (error.getClass.getName, error.getCondition)
      }
      assert(failure == withConf(off: _*)(failure), column)
    }
  }

  private def withFailing(relation: HadoopFsRelation): HadoopFsRelation =
    relation.copy(location = new IndexOfAnotherVersion(relation.location))(relation.sparkSession)

  test("a failure of the rule leaves the query to Spark, with a warning") {
    val relation = spark.read.parquet(byPath).queryExecution.analyzed.collectFirst {
      case logical: LogicalRelation => logical.relation
    }
    val failing = relation match {
      case Some(files: HadoopFsRelation) => withFailing(files)
      case other                         => fail(s"$other")
    }
    val session = SessionSetup.classicSession(spark)
    def query = session.baseRelationToDataFrame(failing).selectExpr("v:a::int")
    val warnings = Warnings.of(classOf[TakeOver].getName) {
      val _ = same(query, takenOver = false)
    }
    assert(warnings.exists(_.contains(s"planned without $Setting")), warnings)
  }

  test("a failure to push down predicates leaves them to Spark, with a warning") {
    SessionSetup
      .classicSession(spark)
      .sessionState
      .functionRegistry
      .createOrReplaceTempFunction("without_sql", args => WithoutSql(args.head), "scala_udf")
    def query =
      spark.sql(s"SELECT id, v:a::int FROM $table WHERE p = 1 AND without_sql(v:a::int) < 9")
    val warnings = Warnings.of(classOf[VariantScanBuilder].getName) {
      assert(same(query) == Seq("[1,1]", "[5,5]"))
    }
    assert(warnings.exists(_.contains("planned without push-down of predicates")), warnings)
    // The partitions are still chosen.
    val plan = query.queryExecution.executedPlan.toString
    assert(plan.contains("PartitionFilters: [isnotnull(p"), plan)
  }

  test("a missing file fails with Spark's condition, or is skipped by ignoreMissingFiles") {
    val path = s"$folder/missing"
    shredded(rows.repartition(2).write.parquet(path))
    val query = spark.read.parquet(path)
    val skipping = spark.read.option("ignoreMissingFiles", "true").parquet(path)
    val file = new java.io.File(new java.net.URI(query.inputFiles.head))
    assert(file.delete())
    val error = intercept[Exception](query.selectExpr("sum(v:a::int)").collect())
    assert(error.toString.contains("FAILED_READ_FILE.FILE_NOT_EXIST"))
    same(skipping.selectExpr("sum(v:a::int)"))
  }

  test("a missing file is skipped as a corrupt one by Data Source V2 only, as in Spark") {
    for (v1 <- Seq("parquet", "")) withConf("spark.sql.sources.useV1SourceList" -> v1) {
      val path = newPath()
      shredded(rows.repartition(2).write.parquet(path))
      val frame = spark.read.option("ignoreCorruptFiles", "true").parquet(path)
      assert(new java.io.File(new java.net.URI(frame.inputFiles.head)).delete())
      def query = frame.select("v")
      def condition = intercept[SparkException](query.collect()).getCondition
      if (v1.isEmpty) assert(sameWithoutPushDown(query).size == Rows / 2)
      else {
        assert(isTakenOver(query))
        assert(condition == "FAILED_READ_FILE.FILE_NOT_EXIST")
        assert(withConf(off: _*)(condition) == "FAILED_READ_FILE.FILE_NOT_EXIST")
      }
    }
  }

  test("a bucketed table is left to Spark") {
    rows.write.bucketBy(4, "id").format("parquet").saveAsTable("bucketed")
    try {
      declined(spark.sql("SELECT v:a::int FROM bucketed"), "the table is bucketed")
      def correlated = spark.sql(
        "SELECT x.id, (SELECT max(y.v:a::int) FROM bucketed y WHERE y.id = x.id) FROM bucketed x"
      )
      declined(correlated, "the table is bucketed")
      assert(!correlated.queryExecution.toString.contains("bucketed) (not"))
    } finally { val _ = spark.sql("DROP TABLE bucketed") }
  }

  test("a path and a table can be left to Spark by an option") {
    def path = spark.read.option("variantShredded.takeOver", "false").parquet(byPath)
    declined(path.selectExpr("v:a::int"), "its option variantShredded.takeOver is false")
    spark.sql(
      "CREATE TABLE off (v VARIANT) USING parquet OPTIONS (`variantShredded.takeOver` 'false')"
    )
    try declined(spark.table("off"), "its option")
    finally { val _ = spark.sql("DROP TABLE off") }
  }

  test("predicates on nested columns are pushed down into a path that is left to Spark") {
    val path = s"$folder/nested"
    rows
      .selectExpr(
        "id",
        "id AS `a.b`",
        "id AS `a-b`",
        "v",
        "named_struct('k', id, 'l', named_struct('m', id)) AS s"
      )
      .write
      .parquet(path)
    def pushed(condition: String): String = {
      val files = spark.read.option("variantShredded.takeOver", "false").parquet(path)
      val query = files.where(condition).select("id", "v")
      query.queryExecution.executedPlan.collect { case scan: FileSourceScanExec =>
        scan.metadata("PushedFilters")
      }.mkString
    }
    Seq("s.k = 5", "s.l.m > 990", "`a.b` = 5", "`a-b` = 5", "id = 5 AND s.k < 10", "id = 5")
      .foreach { condition =>
        val wanted = withConf(off: _*)(pushed(condition))
        assert(wanted.contains("5)") || wanted.contains("990)"), wanted)
        assert(pushed(condition) === wanted)
      }
    def nested =
      spark.read.option("variantShredded.takeOver", "false").parquet(path).where("s.k = 5")
    declined(nested.select("id", "v"), "its option variantShredded.takeOver is false")
  }

  test("settings by which Spark reads in another way leave the query to Spark") {
    def query = spark.read.parquet(byPath).selectExpr("v:a::int")
    withConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
      declined(query, "spark.sql.parquet.enableVectorizedReader is false")
    }
    withConf("spark.sql.parquet.enableNestedColumnVectorizedReader" -> "false") {
      declined(query, "spark.sql.parquet.enableNestedColumnVectorizedReader is false")
    }
    def plain = spark.read.parquet(unshredded).selectExpr("v:a::int")
    withConf("spark.sql.files.archive.reader.enabled" -> "true") {
      declined(plain, "spark.sql.files.archive.reader.enabled is true")
    }
    withConf("spark.sql.variant.allowReadingShredded" -> "false") {
      declined(plain, "spark.sql.variant.allowReadingShredded is false")
    }
    same(plain)
  }

  test("Spark's reader of nested columns does not matter to a source with a reader of its own") {
    val relations = spark.read.parquet(byPath).queryExecution.analyzed.collect {
      case relation: LogicalRelation => relation
    }
    val session = SessionSetup.classicSession(spark)
    def reasons(asSpark: Boolean) = relations.collect {
      case relation @ LogicalRelation(files: HadoopFsRelation, _, _, _, _) =>
        val source = OtherSource("other", asSpark = asSpark)
        val described = RelationDescription.of(source, files)
        described.table(session, relation).left.toOption
    }
    withConf("spark.sql.parquet.enableNestedColumnVectorizedReader" -> "false") {
      assert(reasons(asSpark = false) == Seq(None))
      val reason = "spark.sql.parquet.enableNestedColumnVectorizedReader is false"
      assert(reasons(asSpark = true) == Seq(Some(reason)))
    }
  }

  test("a read with keys of encrypted files is left to Spark") {
    val keys = TestKeys.options("all").toMap
    declined(
      spark.read.options(keys).parquet(unshredded).selectExpr("v:a::int"),
      "the session reads encrypted files"
    )
  }

  test("a query whose columns are found by field ids is left to Spark") {
    val id = new MetadataBuilder().putLong("parquet.field.id", 1).build()
    val schema = new StructType().add("id", "bigint").add("v", VariantType, nullable = true, id)
    val path = s"$folder/ids"
    withConf("spark.sql.variant.writeShredding.enabled" -> "false") {
      spark.createDataFrame(rows.select("id", "v").toJavaRDD, schema).write.parquet(path)
    }
    val renamed = new StructType().add("w", VariantType, nullable = true, id)
    def query = spark.read.schema(renamed).parquet(path).selectExpr("sum(w:a::int)")
    withConf("spark.sql.parquet.fieldId.read.enabled" -> "true") {
      declined(query, "its columns are found by field ids")
      assert(answer(query) != Seq("[null]"))
    }
    assert(same(query) == Seq("[null]"))
  }

  test("given field ids fail for files without ids, unless ids may be missing") {
    val id = new MetadataBuilder().putLong("parquet.field.id", 1).build()
    val schema = new StructType().add("id", "bigint").add("v", VariantType, nullable = true, id)
    def read(column: String) = spark.read.schema(schema).parquet(unshredded).selectExpr(column)
    for (column <- Seq("v", "v:a::int", "sum(v:a::int)", "id + v:a::int")) {
      def condition = intercept[SparkException](read(column).collect()).getCondition
      assert(isTakenOver(read(column)), column)
      val found = condition
      assert(found == "FAILED_READ_FILE.NO_HINT", column)
      assert(withConf(off: _*)(condition) == found, column)
    }
    withConf("spark.sql.parquet.fieldId.read.ignoreMissing" -> "true") {
      assert(same(read("v:a::int")).contains("[7]"))
      assert(same(read("v")).size == Rows)
    }
  }

  test("defaults of maps and binaries are those of Spark's reader of rows") {
    spark.sql("CREATE TABLE grown_map (id INT, v VARIANT) USING parquet")
    try {
      spark.sql("INSERT INTO grown_map VALUES (1, parse_json('{\"x\": 1}'))")
      spark.sql("ALTER TABLE grown_map ADD COLUMN m MAP<STRING, INT> DEFAULT map('a', 1, 'b', 2)")
      spark.sql("ALTER TABLE grown_map ADD COLUMN b BINARY DEFAULT X'0102'")
      withConf("spark.sql.parquet.enableNestedColumnVectorizedReader" -> "false") {
        def query = spark.sql("SELECT id, m['b'], hex(b), v:x::int FROM grown_map")
        assert(same(query, takenOver = false) == Seq("[1,2,0102,1]"))
      }
    } finally { val _ = spark.sql("DROP TABLE grown_map") }
  }

  test("joins are those of Spark where tables are small or no table is broadcast") {
    def query = spark.sql(
      s"SELECT count(*) FROM $table x JOIN $table y ON x.v:a::int = y.v:a::int AND x.p = 1"
    )
    def broadcasts = query.queryExecution.executedPlan.toString.contains("BroadcastHashJoin")
    for ((threshold, expected) <- Seq("10485760" -> true, "-1" -> false)) {
      withConf("spark.sql.autoBroadcastJoinThreshold" -> threshold) {
        same(query)
        assert(broadcasts == expected)
        assert(withConf(off: _*)(broadcasts) == expected)
      }
    }
  }

  test("a join is chosen by the size of the columns that are read") {
    spark.sql("CREATE TABLE wide (id BIGINT, v VARIANT) USING parquet")
    try {
      shredded(
        spark
          .range(0, 2000, 1, 1)
          .selectExpr(
            "id",
            "parse_json(concat('{\"a\": ', id, ', \"b\": \"', sha2(string(id), 512), '\"}')) v"
          )
          .write
          .insertInto("wide")
      )
      spark.sql("ANALYZE TABLE wide COMPUTE STATISTICS")
      def query =
        spark.sql("SELECT count(*) FROM wide x JOIN wide y ON x.v:a::int = y.v:a::int")
      def broadcasts = query.queryExecution.executedPlan.toString.contains("BroadcastHashJoin")
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "100000") {
        same(query)
        assert(broadcasts)
        assert(!withConf(off: _*)(broadcasts))
      }
    } finally { val _ = spark.sql("DROP TABLE wide") }
  }

  test("a table whose column statistics the cost-based optimizer uses is left to Spark") {
    spark.sql("CREATE TABLE analyzed USING parquet AS SELECT id, parse_json('1') v FROM range(10)")
    try {
      spark.sql("ANALYZE TABLE analyzed COMPUTE STATISTICS FOR COLUMNS id")
      same(spark.sql("SELECT v::int FROM analyzed"))
      withConf("spark.sql.cbo.enabled" -> "true") {
        declined(spark.sql("SELECT v::int FROM analyzed"), "the cost-based optimizer")
      }
    } finally { val _ = spark.sql("DROP TABLE analyzed") }
  }

  test("a stream is left to Spark") {
    val path = s"$folder/stream"
    shredded(rows.selectExpr("id", "v").write.parquet(path))
    val query = spark.readStream
      .schema("id bigint, v variant")
      .parquet(path)
      .selectExpr("v:a::int AS x")
      .writeStream
      .format("memory")
      .queryName("streamed")
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(spark.table("streamed").where("x IS NOT NULL").count() == Rows - Rows / 50)
    val plan = query match {
      case wrapper: StreamingQueryWrapper =>
        wrapper.streamingQuery.lastExecution.executedPlan.toString
      case other => fail(s"not a query of this JVM: $other")
    }
    assert(!plan.contains("TakenOverFrom"), plan)
    assert(plan.contains("(not variant-shredded: the query is a stream"), plan)
  }

  test("the files of a stream are left to Spark") {
    val path = s"$folder/stream-source"
    rows.selectExpr("id", "v").write.parquet(path)
    val stream = spark.readStream.schema("id bigint, v variant").parquet(path)
    val written = s"$folder/stream-written"
    writeStream(stream, written, s"$folder/stream-checkpoint", format = "parquet")
    declined(
      spark.read.parquet(written).selectExpr("id", "v:a::int"),
      "its files are in the log of a stream"
    )
  }

  test("Spark's own tables of other formats stay as they are") {
    val path = s"$folder/json"
    spark.range(3).selectExpr("id AS a").write.json(path)
    same(
      spark.read.option("singleVariantColumn", "v").json(path).selectExpr("v:a::int"),
      takenOver = false
    )
  }

  test("UPDATE and MERGE of a table of Spark fail with the same errors as without the extension") {
    val source = s"(SELECT id, v FROM parquet.`$ofOurs` WHERE v:a::int < 3)"
    val statements = Seq(
      s"UPDATE $table SET v = parse_json('1') WHERE v:a::int = 1",
      s"UPDATE $table SET id = 1 WHERE v:a::int IN (SELECT v:a::int FROM $table WHERE p = 1)",
      s"MERGE INTO $table t USING $source s ON t.id = s.id AND t.v:a::int = s.v:a::int " +
        "WHEN MATCHED THEN DELETE"
    )
    def errors = statements.map(sql => intercept[Exception](spark.sql(sql)).getMessage)
    val found = errors
    withConf(Setting -> "none")(assert(found === errors))
    found.foreach(error => assert(error.startsWith("[UNSUPPORTED_FEATURE.TABLE_OPERATION]"), error))
  }

  test("a setting with an unknown source is refused") {
    withConf(Setting -> "parket") {
      val error =
        intercept[IllegalArgumentException](spark.read.parquet(byPath).selectExpr("v:a").collect())
      assert(error.getMessage.contains("none, or a list of parquet, delta"))
    }
  }
}

object TakeOverSuite {

  /** Lists files, and lacks a method as if it were of another version of Spark. */
  private final class IndexOfAnotherVersion(index: FileIndex) extends FileIndex {
    override def rootPaths: Seq[org.apache.hadoop.fs.Path] = index.rootPaths
    override def inputFiles: Array[String] = index.inputFiles
    override def refresh(): Unit = index.refresh()
    override def sizeInBytes: Long = index.sizeInBytes
    override def partitionSchema: StructType = throw new NoSuchMethodError("partitionSchema")

    override def listFiles(
        partitionFilters: Seq[Expression],
        dataFilters: Seq[Expression]
    ): Seq[PartitionDirectory] = index.listFiles(partitionFilters, dataFilters)
  }

  /** Returns its argument. It cannot be shown as SQL, so explaining a predicate with it fails. */
  private final case class WithoutSql(child: Expression)
      extends UnaryExpression
      with CodegenFallback {
    override def dataType: DataType = child.dataType
    override def sql: String = throw new UnsupportedOperationException("sql")
    override protected def nullSafeEval(input: Any): Any = input
    override protected def withNewChildInternal(newChild: Expression): Expression =
      copy(child = newChild)
  }
}

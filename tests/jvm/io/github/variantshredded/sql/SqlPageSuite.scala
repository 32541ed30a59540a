package io.github.variantshredded.sql

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{PathSuite, VariantTree}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{classic, AnalysisException, DataFrame, Row}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.{StructType, VariantType}
import org.apache.spark.unsafe.types.VariantVal

/** Every line of docs/sql.md does what it says. */
class SqlPageSuite extends PathSuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.sparkContext.setLogLevel("OFF")
    VariantFunctions.register(spark): Unit
    // Not a literal: Spark would compute all of it while it plans.
    spark
      .range(0, 1, 1, 1)
      .selectExpr(s"parse_json(concat('${SqlPage.example}', if(id < 0, 'x', ''))) AS v")
      .createOrReplaceTempView("doc")
    reader.load(written(spark.table("doc"))).createOrReplaceTempView("shredded")
  }

  /** The values of expressions over a table of one row, as the page shows them. */
  private def shown(expressions: Seq[String], table: String): Seq[String] = {
    val types = spark.sql(s"SELECT ${expressions.mkString(", ")} FROM $table").schema
    val texts = expressions.zip(types).map { case (expression, field) =>
      field.dataType match {
        case VariantType => s"to_json($expression)"
        case _           => s"string($expression)"
      }
    }
    val row = spark.sql(s"SELECT ${texts.mkString(", ")} FROM $table").head()
    row.toSeq.map(text => Option(text).fold("NULL")(_.toString))
  }

  private val expressions = SqlPage.rows("other databases")
  private val nulls = SqlPage.rows("`x` is")
  private val pushed = SqlPage.rows("call")

  // All lines in one query, those with aggregates in another.
  private def answers(table: String): Map[String, String] = {
    val (aggregates, others) =
      expressions.map(cells => SqlPage.code(cells(1))).partition(_.contains("collect_list("))
    Seq(others, aggregates).flatMap(group => group.zip(shown(group, table))).toMap
  }

  private lazy val generated = answers("doc")
  private lazy val fromFiles = answers("shredded")
  private lazy val interpreted = {
    val settings =
      Seq(
        "spark.sql.codegen.wholeStage" -> "false",
        "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
      )
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try answers("doc")
    finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  expressions.zipWithIndex.foreach { case (cells, i) =>
    test(s"$i: ${cells.head}") {
      assert(cells.size === 3)
      val sql = SqlPage.code(cells(1))
      val wanted = SqlPage.code(cells(2))
      assert(generated(sql) === wanted)
      assert(fromFiles(sql) === wanted, "shredded")
      assert(interpreted(sql) === wanted, "interpreted")
    }
  }

  nulls.zipWithIndex.foreach { case (cells, i) =>
    test(s"null $i: ${cells.head}") {
      assert(cells.size === 4)
      val values = Seq("cast(NULL AS variant)", "parse_json('null')", "parse_json('\"s\"')")
      values.zip(cells.tail).foreach { case (value, wanted) =>
        spark
          .range(0, 1, 1, 1)
          .selectExpr(s"if(id = 0, $value, parse_json('1')) AS x")
          .createOrReplaceTempView("nulls")
        lazy val found = shown(Seq(SqlPage.code(cells.head)), "nulls")
        if (wanted == "error") {
          val error = intercept[VariantShreddedException](found)
          assert(error.getCondition === "INVALID_VARIANT_FUNCTION_ARGUMENT")
        } else assert(found === Seq(SqlPage.code(wanted)), value)
      }
    }
  }

  pushed.zipWithIndex.foreach { case (cells, i) =>
    test(s"pushed $i: ${cells.head}") {
      assert(cells.size === 2)
      val query = spark.sql(s"SELECT ${SqlPage.code(cells.head)} FROM shredded")
      val extractions = explained(query).split("\n").filter(_.contains("PushedExtractions")).toSeq
      assert(extractions.size === 1, explained(query))
      val delivered = java.util.regex.Pattern.quote(SqlPage.code(cells(1)))
      assert(s"[\\[ ]$delivered[,\\]]".r.findFirstIn(extractions.head).isDefined, extractions.head)
      assert(!explained(query).contains("DeclinedExtractions: [v"))
    }
  }

  test("pushed: a condition on get_path leaves out rows") {
    val query = spark.sql("SELECT v FROM shredded WHERE get_path(v, 'id')::int > 7")
    val predicates = explained(query).split("\n").filter(_.contains("PushedPredicates")).mkString
    assert(predicates.contains("v:id::int > 7"), predicates)
    assert(query.collect().isEmpty)
  }

  private def explained(query: DataFrame): String = query match {
    case ours: classic.DataFrame =>
      ours.queryExecution.explainString(org.apache.spark.sql.execution.FormattedMode)
    case other => fail(s"not a classic DataFrame: $other")
  }

  test("a table of values, arrays and objects") {
    spark.sql("CREATE TABLE kinds (var VARIANT, arr VARIANT, obj VARIANT) USING `variant-shredded`")
    spark.sql(
      "INSERT INTO kinds SELECT to_variant(1), array_construct(1, 2, 3), parse_json('{\"k\":\"v\"}')"
    )
    spark.sql(
      "INSERT INTO kinds SELECT to_variant('abc'), array_construct('a', 'b'), object_construct('k', array_construct(1, 'x'))"
    )
    val rows = spark
      .sql(
        "SELECT to_json(var), to_json(arr), to_json(obj), vs_array_size(obj:k) FROM kinds ORDER BY 1"
      )
      .collect()
      .map(_.toSeq)
    assert(
      rows.toSeq === Seq[Seq[Any]](
        Seq("\"abc\"", "[\"a\",\"b\"]", "{\"k\":[1,\"x\"]}", 2),
        Seq("1", "[1,2,3]", "{\"k\":\"v\"}", null)
      )
    )
  }

  test("calls that cannot be") {
    Seq(
      "object_keys()" -> "takes (v), not 0 arguments",
      "object_construct('a')" -> "takes (name, x, ...), not 1 arguments",
      "get_path(v, 'a..b')" -> "cannot use the path 'a..b'",
      "get_path(v, 'a[0')" -> "cannot use the path 'a[0'",
      "get_path(v, 'a[-1]')" -> "cannot use the path 'a[-1]'",
      "get_path(v, 'a[9999999999]')" -> "cannot use the path 'a[9999999999]'",
      "get_path(v, '[\\'b\\'c\\']')" -> "cannot use the path",
      "get_path(v, '[a]')" -> "cannot use the path '[a]'",
      "get_path(v, '$a')" -> "cannot use the path '$a'",
      "as_decimal(v, id, 2)" -> "needs constant integers",
      "as_decimal(v, 40, 2)" -> "cannot give a DECIMAL(40, 2)",
      "object_construct('a', 1, 'b', 2, 'a', 3)" -> "gets the field 'a' twice",
      "object_construct(cast(X'FF' AS STRING), 1)" -> "gets a name that is not UTF-8",
      "object_insert(v, cast(X'FF' AS STRING), 1)" -> "gets a name that is not UTF-8",
      "object_insert(v, 'name', 1)" -> "finds the field 'name' in the object already",
      "object_insert(v, v:o, 1)" -> "needs a string as a name, not a value of the type object",
      "object_construct(v:tags, 1)" -> "needs a string as a name, not a value of the type array",
      "get_ignore_case(v, v:tags)" -> "needs a string as a name, not a value of the type array",
      "object_pick(v, v:o)" -> "needs a string as a name, not a value of the type object",
      "object_delete(v, v:id)" -> "needs a string as a name, not a value of the type int8",
      "object_pick(v, array_construct('id', v:id))" -> "not a value of the type int8",
      "vs_array_insert(v:tags, 1000000, 1)" -> "is to insert at 1000000",
      "vs_flatten(v, false, 'ALL')" -> "has no mode 'ALL'"
    ).foreach { case (call, reason) =>
      val error = intercept[VariantShreddedException] {
        spark.sql(s"SELECT $call FROM (SELECT v, 1 + rand() AS id FROM doc)").collect()
      }
      assert(error.getCondition === "INVALID_VARIANT_FUNCTION_ARGUMENT", call)
      assert(error.getMessage.contains(reason), call)
    }
  }

  test("a Variant array of names is as many names, not its JSON text") {
    val names = Seq(
      "array_construct('id', 't')",
      "array_construct('id', NULL, 't')",
      "parse_json('[\"id\",null,\"t\"]')",
      "array(to_variant('id'), to_variant('t'))",
      "array('id', 't')"
    )
    val picked = names.map(list => s"object_pick(v, $list)")
    assert(shown(picked, "shredded") === names.map(_ => "{\"id\":7,\"t\":true}"))
    val deleted = names.map(list => s"object_delete(v, $list, to_variant('name'), 'o')")
    assert(shown(deleted, "shredded") === names.map(_ => "{\"tags\":[\"a\",null,\"b\"]}"))
    spark
      .sql("SELECT object_construct('id', 7, 't', true, 'names', array_construct('id')) AS w")
      .createOrReplaceTempView("named")
    val own = Seq("object_pick(w, w:names)", "object_delete(w, w:names, 'names')")
    assert(shown(own, "named") === Seq("{\"id\":7}", "{\"t\":true}"))
  }

  test("a constant path that fails does so where Spark's variant_get fails, not in the analysis") {
    val settings = Map("wholeStage" -> "false", "factoryMode" -> "NO_CODEGEN")
    val interpreted = settings.map { case (name, value) => s"spark.sql.codegen.$name" -> value }
    Seq("variant_get", "get_path").foreach { get =>
      def branch = spark.sql(
        s"SELECT CASE WHEN v:id::int < 0 THEN $get(v, split('a', ',')[1]) END FROM shredded"
      )
      withConf(interpreted.toSeq: _*)(assert(branch.head() === Row(null), get))
      // Spark evaluates constant paths when it generates code.
      assert(branch.schema.head.dataType === VariantType, get)
      val error = intercept[SparkThrowable](branch.collect())
      assert(error.getCondition === "INVALID_ARRAY_INDEX", get)
    }
  }

  test("arguments get the default collation of a table or view after the call was built") {
    val select =
      "SELECT object_construct('k', 1, 'name', 'x') AS v, get_path(v, 'o.p')::int AS x, " +
        "vs_typeof(v) AS t, object_keys(object_pick(v, 'id', array('t'))) AS names, " +
        "get_ignore_case(v, 'ID')::int AS id, object_insert(v:o, 'n', 2):n::int AS n FROM shredded"
    val expected = Row(1, "x", 1, "OBJECT", Seq("id", "t"), 7, 2)
    def read(from: String) =
      spark.sql(s"SELECT v:k::int, v:name::string, x, t, names, id, n FROM $from").head()
    val collation = "DEFAULT COLLATION UTF8_LCASE"
    val format = "USING `variant-shredded`"
    try {
      spark.sql(s"CREATE TABLE collated $format $collation AS $select")
      assert(read("collated") === expected)
      spark.sql(s"CREATE OR REPLACE TABLE collated $format $collation AS $select")
      assert(read("collated") === expected)
      spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW collated_view $collation AS $select")
      assert(read("collated_view") === expected)
      spark.sql(
        s"CREATE OR REPLACE TEMPORARY VIEW collated_rows $collation AS " +
          "SELECT key FROM (SELECT inline(vs_flatten(v:o)) FROM shredded)"
      )
      assert(spark.table("collated_rows").collect().map(_.getString(0)).sorted === Array("Q", "p"))
    } finally {
      spark.sql("DROP TABLE IF EXISTS collated")
      spark.sql("DROP VIEW IF EXISTS collated_view")
      spark.sql("DROP VIEW IF EXISTS collated_rows")
    }
    ()
  }

  test("nested calls on one value do not double the expression at each level") {
    def nested(levels: Int, functions: String*): String =
      (0 until levels).foldLeft("v:o")((inner, i) => s"${functions(i % functions.size)}($inner)")
    val calls = Seq(
      nested(25, "strip_null_value"),
      nested(25, "as_object", "strip_null_value"),
      s"is_null_value(${nested(25, "as_object")})",
      s"as_array(${nested(25, "strip_null_value")})"
    )
    val wanted = Seq("{\"Q\":null,\"p\":1.5}", "{\"Q\":null,\"p\":1.5}", "false", "NULL")
    Seq("doc", "shredded").foreach(table => assert(shown(calls, table) === wanted, table))
  }

  test("what is no Variant is not taken for one") {
    Seq("object_keys(1)", "object_keys('{}')", "array_cat(array(1), v)", "is_object('{}')")
      .foreach { call =>
        val error = intercept[AnalysisException](spark.sql(s"SELECT $call FROM doc"))
        assert(error.getCondition === "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", call)
      }
    assert(
      shown(Seq("object_keys(NULL)", "array_slice(NULL, 0, 1)"), "doc") === Seq("NULL", "NULL")
    )
  }

  test("a number that does not fit is an error where it is looked at") {
    val sql = "SELECT as_decimal(v:id, 2, 2) FROM shredded"
    val error = intercept[SparkThrowable](spark.sql(sql).collect())
    assert(error.getCondition === "INVALID_VARIANT_CAST")
    assert(spark.sql(s"$sql WHERE v:id::int = 8").collect().isEmpty)
  }

  test("as_... of a field of many types makes no errors in the scan") {
    val values = Seq(
      "NULL",
      "1",
      "9000000000",
      "1.5BD",
      "1e3D",
      "CAST(0.5 AS FLOAT)",
      "true",
      "'7'",
      "'text'",
      "X'0102'",
      "DATE'2024-05-01'",
      "TIMESTAMP'2024-05-01 00:00:00Z'",
      "TIMESTAMP_NTZ'2024-05-01 00:00:00'",
      "parse_json('null')",
      "parse_json('[1]')",
      "parse_json('{\"a\":1}')"
    )
    val rows = values.map { value =>
      s"SELECT to_variant_object(named_struct('x', CAST($value AS variant))) AS v"
    }
    spark.sql(rows.mkString(" UNION ALL ")).coalesce(1).createOrReplaceTempView("mixed")
    val calls = VariantFunctionList.all
      .map(_.name)
      .filter(name => name.startsWith("as_") && name != "as_decimal")
      .map(name => s"$name(v:x)")
    for (shredding <- Seq("none", "x bigint", "x string", "x timestamp", "x array<int>")) {
      val path = newPath()
      writer(spark.table("mixed")).option("shredding", shredding).save(path)
      reader.load(path).createOrReplaceTempView("mixed_files")
      for (call <- calls) {
        val text = s"SELECT to_json(CAST($call AS variant)) FROM"
        val query = spark.sql(s"$text mixed_files")
        val expected = spark.sql(s"$text mixed").collect().map(_.toString).sorted
        assert(query.collect().map(_.toString).sorted === expected, s"$call, $shredding")
        val scans = query.queryExecution.executedPlan.collect { case scan: BatchScanExec => scan }
        // The last column has the errors of the extractions.
        val rows = scans.flatMap { scan =>
          val last = scan.output.size - 1
          scan
            .executeColumnar()
            .map { batch =>
              (0 until batch.numRows).count(!batch.column(last).isNullAt(_))
            }
            .collect()
        }
        assert(rows.sum === 0, s"$call, $shredding")
      }
    }
  }

  test("nanoseconds have a type, and no value that Spark could give") {
    import VariantTree._
    Seq(TimestampNanos(1) -> "ltz", TimestampNtzNanos(1) -> "ntz").foreach { case (tree, zone) =>
      val (metadata, value) = VariantTree.encode(tree)
      val row = Row(new VariantVal(value, metadata))
      spark
        .createDataFrame(java.util.List.of(row), StructType.fromDDL("n variant"))
        .createOrReplaceTempView("nanos")
      val known = Seq(s"is_timestamp_$zone(n)", "vs_typeof(n)")
      assert(shown(known, "nanos") === Seq("true", s"TIMESTAMP_${zone.toUpperCase}"))
      val error = intercept[SparkThrowable] {
        spark.sql(s"SELECT as_timestamp_$zone(n) FROM nanos").collect()
      }
      assert(error.getCondition === "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT")
    }
  }

  test("there are lines to test, and every function is in one") {
    assert(expressions.size > 70)
    assert(nulls.size > 25)
    assert(pushed.size > 5)
    val code = (expressions.map(_.apply(1)) ++ nulls.map(_.head)).mkString("\n")
    val rest = VariantFunctionList.all.filterNot { function =>
      code.contains(s"${function.name}(") || code.contains(s"${function.longName}(")
    }
    // What is said to be the same as another.
    assert(
      rest.map(_.name).toSet === Set("as_real", "as_char")
    )
  }

  test("DESCRIBE FUNCTION shows the usage and an example, whose result is right") {
    val lines = expressions.map(cells => SqlPage.code(cells(1)) -> SqlPage.code(cells(2))).toMap
    VariantFunctionList.all.foreach { function =>
      val example = VariantExamples.All.getOrElse(function.name, fail(s"no example of $function"))
      if (lines.contains(example.call)) assert(lines(example.call) === example.result)
      else assert(shown(Seq(example.call), "doc") === Seq(example.result))
      val name = function.longName
      val shownText = spark
        .sql(s"DESCRIBE FUNCTION EXTENDED $name")
        .collect()
        .map(_.getString(0))
        .mkString("\n")
      assert(shownText.contains(s"Usage: $name(${function.arguments}) - ${function.summary}"))
      assert(shownText.contains(s"> SELECT ${example.call} FROM VALUES (parse_json('"))
    }
    val plain = spark.sql("DESCRIBE FUNCTION object_keys").collect().map(_.getString(0))
    assert(
      plain.contains("Usage: object_keys(v) - The names of an object's fields, as ARRAY<STRING>.")
    )
  }

  test("columns are named like the calls") {
    val calls = Seq(
      "get_path(v, o.p)" -> "get_path(v, 'o.p')",
      "as_integer(v)" -> "as_integer(v)",
      "strip_null_value(v)" -> "strip_null_value(v)",
      "to_variant(1)" -> "to_variant(1)",
      "object_keys(v)" -> "object_keys(v)",
      "is_null_value(v)" -> "is_null_value(v)"
    )
    Seq("doc", "shredded").foreach { table =>
      val found = spark.sql(s"SELECT ${calls.map(_._2).mkString(", ")} FROM $table").columns
      assert(found.toSeq === calls.map(_._1))
    }
  }

  test("an argument that differs each time is computed once") {
    val tests = Seq(
      "as_integer(if(rand(7) < 0.5, to_variant('abc'), to_variant(1)))" -> "x IS NULL OR x = 1",
      "as_array(if(rand(7) < 0.5, to_variant('abc'), parse_json('[1]')))" ->
        "x IS NULL OR is_array(x)",
      "strip_null_value(if(rand(7) < 0.5, parse_json('null'), parse_json('1')))" ->
        "x IS NULL OR NOT is_variant_null(x)",
      "is_null_value(if(rand(7) < 0.5, NULL, parse_json('1')))" -> "x IS NULL OR NOT x"
    )
    tests.foreach { case (call, holds) =>
      val found = spark
        .sql(
          s"SELECT count_if($holds), count(x) FROM (SELECT $call AS x FROM range(0, 1000, 1, 1))"
        )
        .head()
      assert(found.getLong(0) === 1000, call)
      assert(found.getLong(1) > 300 && found.getLong(1) < 700, call)
    }
  }

  test("NULL without a type") {
    val calls =
      Seq("vs_typeof", "json_typeof", "is_object", "as_string", "as_array", "is_null_value")
    val row = spark.sql(calls.map(name => s"$name(NULL)").mkString("SELECT ", ", ", "")).head()
    assert(row.toSeq === calls.map(_ => null))
    assert(spark.sql("SELECT is_string(x) FROM (SELECT NULL AS x)").head().isNullAt(0))
  }

  test("names and paths with a collation") {
    val row = spark
      .sql(
        "SELECT get_path(v, p)::int, to_json(object_construct(p, 1)), " +
          "to_json(object_pick(v, array(p))), to_json(object_delete(v, p)) " +
          "FROM (SELECT parse_json('{\"a\":1,\"A\":2}') AS v, 'a' COLLATE UTF8_LCASE AS p)"
      )
      .head()
    assert(row === Row(1, "{\"a\":1}", "{\"a\":1}", "{\"A\":2}"))
  }

  test("an argument that differs each time is computed once, in a branch too") {
    val integer = "as_integer(if(rand(7) < 0.5, to_variant('abc'), to_variant(1)))"
    val found = spark
      .sql(
        s"SELECT count(x) FROM (SELECT CASE WHEN id >= 0 THEN $integer END AS x " +
          "FROM range(0, 1000, 1, 1))"
      )
      .head()
    assert(found.getLong(0) > 300 && found.getLong(0) < 700)
    val strings = """SELECT count_if(is_string(x)) FROM (SELECT if(id >= 0,
      as_array(if(rand(7) < 0.5, to_variant('abc'), parse_json('[1]'))), NULL) AS x
      FROM range(0, 1000, 1, 1))"""
    assert(spark.sql(strings).head().getLong(0) === 0)
  }
}

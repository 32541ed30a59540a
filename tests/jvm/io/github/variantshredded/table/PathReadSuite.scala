package io.github.variantshredded.table

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.time.Instant

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.ParquetFixture
import io.github.variantshredded.testing.{PathSuite, VariantTreeEncoder}
import org.apache.spark.{SparkException, SparkThrowable}
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.types._

/** `spark.read.format("variant-shredded").load(...)`: which files, which columns. */
class PathReadSuite extends PathSuite {

  test("a missing path is refused at once, also among others, also with a schema") {
    val there = written(rows(0, 1))
    val missing = newPath()
    val attempts: Seq[() => Any] = Seq(
      () => reader.load(missing),
      () => reader.load(there, missing),
      () => reader.load(s"$missing/*"),
      () => reader.schema("n int").load(s"$missing/*"),
      () => reader.schema("n int").load(s"$missing/*", s"$missing/?"),
      () => reader.schema("n int").load(missing),
      () => reader.option("schema", "n int").load(missing)
    )
    attempts.foreach { attempt =>
      val error = intercept[AnalysisException](attempt())
      assert(error.getCondition === "PATH_NOT_FOUND")
      assert(error.getMessage.contains(missing))
    }
  }

  test("a column of another kind than in the schema") {
    val (primitive, struct) = (newPath(), newPath())
    spark.range(3).selectExpr("cast(id as int) as s").write.parquet(primitive)
    spark.range(3).selectExpr("struct(id as x) as s").write.parquet(struct)
    Seq(
      "s struct<x: bigint>" -> primitive,
      "s array<struct<x: bigint>>" -> primitive,
      "s map<string, struct<x: bigint>>" -> primitive,
      "s array<variant>" -> primitive,
      "s map<string, variant>" -> primitive,
      "s array<struct<x: bigint>>" -> struct,
      "s int" -> struct,
      "s struct<x: struct<y: int>>" -> struct
    ).foreach { case (schema, path) =>
      val e = intercept[SparkException](reader.schema(schema).load(path).collect())
      assert(
        e.getCondition === "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
        s"$schema: ${e.getMessage}"
      )
    }
  }

  test("a column of another kind than the struct of a Variant from which a query extracts") {
    Seq("cast(id as int)", "array(id)", "map('v', id)", "parse_json('1')").foreach { other =>
      val path = newPath()
      spark.range(3).selectExpr(s"$other as s").write.parquet(path)
      val rows = reader.schema("s struct<v: variant, x: int>").load(path)
      Seq(
        rows.selectExpr("s.v:a::int"),
        rows.where("s.v:a::int = 5"),
        rows.selectExpr("count(s.v:a::int)")
      ).foreach { query =>
        val e = intercept[Exception with SparkThrowable](query.collect())
        val conditions =
          Set("FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH", "CORRUPT_PARQUET_FILE")
        assert(conditions(e.getCondition), s"$other: ${e.getMessage}")
      }
    }
    // Only the Variant is missing.
    val path = newPath()
    spark.range(3).selectExpr("struct(cast(id as int) as x) as s").write.parquet(path)
    val rows = reader.schema("s struct<v: variant, x: int>").load(path)
    assert(rows.selectExpr("s.v:a::int").collect().toSeq === Seq.fill(3)(Row(null)))
    // Another field of the struct has a type that Spark's reader does not know.
    val other = newPath()
    Files.createDirectories(Path.of(other))
    ParquetFixture.write(
      Path.of(other, "a.parquet"),
      "message m { optional group s { optional int64 t (TIMESTAMP(NANOS, true)); optional int32 x; } }",
      Seq(Map("s" -> Map[String, Any]("t" -> 1L, "x" -> 2)))
    )
    val found = reader.schema("s struct<v: variant, x: int>").load(other)
    assert(found.selectExpr("s.x", "s.v:a::int").collect().toSeq === Seq(Row(2, null)))
  }

  test("no path, and a directory without files: the schema cannot be inferred") {
    val empty = newPath()
    Files.createDirectories(Path.of(empty, "sub"))
    val error = intercept[AnalysisException](reader.load(empty))
    assert(error.getCondition === "UNABLE_TO_INFER_SCHEMA")
    assert(error.getMessage.contains("variant-shredded"))
    assert(
      intercept[VariantShreddedException](reader.load()).getMessage ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'path' is '', expected the path of a file or directory."
    )
    assert(reader.schema("n int, v variant").load(empty).collect().isEmpty)
  }

  test("a file, several paths, globs, the option paths") {
    val (a, b) = (written(rows(0, 2)), written(rows(2, 5)))
    assert(numbers(reader.load(a)) === Seq(0, 1))
    assert(numbers(reader.load(s"$a/${dataFiles(a).head}")) === Seq(0, 1))
    assert(numbers(reader.load(a, b)) === (0 until 5))
    assert(numbers(reader.load(s"$a/*.parquet", s"$b/part-*")) === (0 until 5))
    assert(numbers(reader.option("path", a).load()) === Seq(0, 1))
    assert(numbers(reader.option("paths", s"""["$a", "$b"]""").load()) === (0 until 5))
    assert(reader.load(a, b).inputFiles.length === 2)
    val error = intercept[VariantShreddedException](reader.option("paths", "a, b").load())
    assert(
      error.getMessage === "[INVALID_VARIANT_SHREDDED_OPTION] Option 'paths' is 'a, b', expected " +
        "a JSON list of paths."
    )
  }

  test("a pattern that every entry matches leaves out the commit notes") {
    val path = newPath()
    writer(rows(0, 4).selectExpr("n", "v", "n % 2 as p")).partitionBy("p").save(path)
    assert(Files.isDirectory(Path.of(path, "_variant_shredded_commits")))
    Seq(s"$path/*", s"$path/*/*").foreach { pattern =>
      assert(numbers(reader.load(pattern)) === (0 until 4))
    }
    assert(reader.option("basePath", path).load(s"$path/*").where("p = 1").count() === 2)
  }

  test("a pattern leaves out the files of jobs that have not ended, unless it names them") {
    val path = written(rows(0, 4))
    val file = onlyFile(path)
    Seq("_temporary/0/task_1", ".spark-staging-1/p=1").foreach { job =>
      val copy = Path.of(path, job, "part-0.parquet")
      Files.createDirectories(copy.getParent)
      Files.copy(file, copy)
    }
    val all = reader.option("recursiveFileLookup", "true")
    Seq("*", "[._p]*").foreach { pattern =>
      assert(numbers(all.load(s"$path/$pattern")) === (0 until 4), pattern)
    }
    assert(numbers(reader.load(s"$path/_temporary/0/*")) === (0 until 4))
    assert(numbers(reader.load(s"${Path.of(path).getParent}/*/_temporary/0/*")) === (0 until 4))
    val inspected = spark.read.format("variant-shredded-files").option("everyFile", "true")
    assert(inspected.load(s"$path/*").select("file").distinct().count() === 1)
  }

  test("a pattern leaves out directories that are to replace others, or are being removed") {
    val tables = Path.of(newPath())
    val path = tables.resolve("t").toString
    writer(rows(0, 4)).save(path)
    Seq(".t_replacing_1", ".x_replacing_2", "_spark_metadata.removed-1").foreach { name =>
      val copy = tables.resolve(name).resolve("part-0.parquet")
      Files.createDirectories(copy.getParent)
      Files.copy(onlyFile(path), copy)
    }
    assert(numbers(reader.load(s"$tables/*")) === (0 until 4))
    assert(numbers(reader.load(s"$tables/.x_replacing_*")) === (0 until 4))
  }

  test("two fields of a struct that differ in case only are refused, also in a given schema") {
    val path = written(rows(0, 2).selectExpr("n", "struct(n as a, n as b) as s"))
    val error = intercept[AnalysisException](reader.schema("s struct<a: int, A: int>").load(path))
    assert(error.getCondition === "COLUMN_ALREADY_EXISTS")
  }

  test("strings that are repeated without a list are no Variants") {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    ParquetFixture.write(
      Path.of(path, "a.parquet"),
      "message m { required int32 n; repeated binary tags (STRING); " +
        "optional group s { repeated binary tags; } }",
      Seq(Map("n" -> 1, "tags" -> Seq("a", "b"), "s" -> Map("tags" -> Seq("c"))))
    )
    assert(reader.load(path).select("tags").head() === Row(Seq("a", "b")))
    Seq("tags ARRAY<VARIANT>", "s STRUCT<tags: ARRAY<VARIANT>>").foreach { column =>
      val error = intercept[VariantShreddedException] {
        reader.schema(s"n INT, $column").load(path).collect()
      }
      assert(error.getMessage.contains("A Variant must be stored as a group"), error)
    }
  }

  test("a Variant that is repeated without a list is read as Spark reads it") {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    def variant(number: Byte) =
      Map("metadata" -> Array[Byte](1, 0, 0), "value" -> Array[Byte](3 << 2, number))
    ParquetFixture.write(
      Path.of(path, "a.parquet"),
      "message m { required int32 n; repeated group v (VARIANT(1)) { " +
        "required binary metadata; required binary value; } }",
      Seq(Map("n" -> 1, "v" -> Seq(variant(5), variant(7))), Map("n" -> 2))
    )
    val queries = Seq("n", "to_json(v)", "get(v, 1)::int")
    val wanted = spark.read.parquet(path).selectExpr(queries: _*).collect()
    assert(wanted.map(_.get(2)) === Seq[Any](7, null))
    assert(reader.load(path).selectExpr(queries: _*).collect() === wanted)
    writer(reader.load(path)).mode("append").save(path)
    assert(reader.load(path).selectExpr(queries: _*).collect().toSet === wanted.toSet)
    assert(reader.load(path).count() === 4)
  }

  test("names beginning with _ or . are no data") {
    val path = written(rows(0, 2))
    val file = Path.of(path, dataFiles(path).head)
    Seq("_copy.parquet", ".copy.parquet").foreach(name => Files.copy(file, Path.of(path, name)))
    Files.createDirectories(Path.of(path, "_temporary", "0"))
    Files.copy(file, Path.of(path, "_temporary", "0", "part.parquet"))
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("the schema may be given, by method, as DDL or as JSON") {
    val path = written(rows(0, 2))
    val schema = StructType.fromDDL("v variant, n bigint, other string")
    Seq(
      reader.schema(schema),
      reader.option("schema", schema.toDDL),
      reader.option("schema", schema.json)
    ).foreach { given =>
      val df = given.load(path)
      assert(df.schema === schema)
      val rows = df.selectExpr("n", "v:n::int", "other").collect().toSet
      assert(rows === Set(Row(0L, 0, null), Row(1L, 1, null)))
    }
    assert(
      intercept[AnalysisException](reader.option("schema", "n in t").load(path)).getCondition
        === "PARSE_SYNTAX_ERROR"
    )
    Seq("{}", "n decimal(99999999999)", "s struct<n decimal(?, 2)>").foreach { schema =>
      val error = intercept[VariantShreddedException](reader.option("schema", schema).load(path))
      assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
    }
  }

  test("columns of a given schema that are twice or of no storable type are refused") {
    val path = written(rows(0, 1))
    def condition(ddl: String) =
      intercept[AnalysisException](reader.option("schema", ddl).load(path)).getCondition
    assert(condition("n int, N string") === "COLUMN_ALREADY_EXISTS")
    assert(condition("n interval") === "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE")
  }

  test("partition directories become columns, with inferred types") {
    val path = newPath()
    writer(rows(0, 6).selectExpr("n", "v", "p", "date_add(date'2026-01-31', n) as day"))
      .partitionBy("day", "p")
      .save(path)
    val df = reader.load(path)
    assert(
      df.schema.map(field => field.name -> field.dataType) ===
        Seq("n" -> IntegerType, "v" -> VariantType, "day" -> DateType, "p" -> IntegerType)
    )
    assert(numbers(df.where("p = 1")) === Seq(1, 4))
    assert(numbers(df.where("day > date'2026-02-03' and p <> 1")) === Seq(5))
    assert(df.select("p").distinct().count() === 3)
    assert(df.groupBy("p").count().count() === 3)
    assert(
      numbers(reader.schema("n int, v variant, p string").load(path).where("p = '2'"))
        === Seq(2, 5)
    )
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    try assert(reader.load(path).schema("p").dataType === StringType)
    finally spark.conf.unset("spark.sql.sources.partitionColumnTypeInference.enabled")
  }

  test("pruned partitions are not planned") {
    val path = written(rows(0, 9), "p")
    val df = reader.load(path)
    assert(df.rdd.partitions.map(_.index).nonEmpty)
    val plan = df.where("p = 1").queryExecution.executedPlan.toString
    assert(plan.contains("PartitionFilters: [isnotnull(p#"), plan)
    // The files of the other partitions could not be read any more.
    dataFiles(path).filterNot(_.startsWith("p=1")).foreach { file =>
      Files.writeString(Path.of(path, file), "no Parquet")
    }
    assert(numbers(df.where("p = 1")) === Seq(1, 4, 7))
  }

  test("basePath") {
    val path = written(rows(0, 6), "p")
    assert(!reader.load(s"$path/p=1").columns.contains("p"))
    val df = reader.option("basePath", path).load(s"$path/p=1", s"$path/p=2")
    assert(df.select("p").distinct().collect().map(_.getInt(0)).toSet === Set(1, 2))
    assert(numbers(df) === Seq(1, 2, 4, 5))
  }

  test("recursiveFileLookup, pathGlobFilter") {
    val path = newPath()
    writer(rows(0, 2)).save(s"$path/a/b")
    writer(rows(2, 4)).save(s"$path/c")
    assert(numbers(reader.option("recursiveFileLookup", "true").load(path)) === (0 until 4))
    val one = dataFiles(s"$path/c").head
    val filtered = reader.option("recursiveFileLookup", "true").option("pathGlobFilter", one)
    assert(numbers(filtered.load(path)) === Seq(2, 3))
  }

  test("modifiedAfter, modifiedBefore") {
    val (old, young) = (written(rows(0, 2)), written(rows(2, 4)))
    dataFiles(old).foreach { file =>
      Files.setLastModifiedTime(
        Path.of(old, file),
        FileTime.from(Instant.parse("2020-01-01T00:00:00Z"))
      )
    }
    val limit = "2021-06-01T00:00:00"
    assert(numbers(reader.option("modifiedAfter", limit).load(old, young)) === Seq(2, 3))
    assert(numbers(reader.option("modifiedBefore", limit).load(old, young)) === Seq(0, 1))
  }

  test("ignoreMissingFiles") {
    val path = written(rows(0, 2))
    writer(rows(2, 4)).mode("append").save(path)
    val strict = reader.load(path)
    val lenient = reader.option("ignoreMissingFiles", "true").load(path)
    Files.delete(Path.of(path, dataFiles(path).head))
    intercept[SparkException](strict.collect())
    assert(numbers(lenient).size === 2)
  }

  test("a missing file is an error, although ignoreCorruptFiles is true") {
    val path = written(rows(0, 2))
    writer(rows(2, 4)).mode("append").save(path)
    val lenient = reader.option("ignoreCorruptFiles", "true").load(path)
    Files.delete(Path.of(path, dataFiles(path).head))
    val error = intercept[SparkException](lenient.collect())
    assert(error.getCondition === "FAILED_READ_FILE.FILE_NOT_EXIST")
  }

  test("ignoreCorruptFiles, also in schema inference") {
    val path = written(rows(0, 2))
    val junk = Files.writeString(Path.of(path, "zzz.parquet"), "this is no Parquet file at all")
    val error = intercept[VariantShreddedException](reader.load(path).collect())
    assert(error.condition === "CORRUPT_PARQUET_FILE")
    assert(error.location.file.exists(_.endsWith("zzz.parquet")))
    val lenient = reader.option("ignoreCorruptFiles", "true")
    assert(numbers(lenient.load(path)) === Seq(0, 1))
    assert(numbers(lenient.option("mergeSchema", "true").load(path)) === Seq(0, 1))
    val inference = intercept[Exception](reader.option("mergeSchema", "true").load(path))
    assert(inference.getMessage.contains("[CORRUPT_PARQUET_FILE] Cannot read the footer:"))
    assert(inference.getMessage.contains(junk.getFileName.toString))
  }

  test("mergeSchema, by option and by session") {
    val path = written(rows(0, 1))
    writer(rows(1, 2).selectExpr("n", "v", "'x' as extra")).mode("append").save(path)
    assert(reader.load(path).columns.length === 3)
    val merged = reader.option("mergeSchema", "true").load(path)
    assert(merged.columns.toSet === Set("n", "p", "v", "extra"))
    assert(
      merged.select("n", "extra").collect().toSet === Set(Row(0, null), Row(1, "x"))
    )
    spark.conf.set("spark.sql.parquet.mergeSchema", "true")
    try {
      assert(reader.load(path).columns.length === 4)
      assert(reader.option("mergeSchema", "false").load(path).columns.length === 3)
    } finally spark.conf.unset("spark.sql.parquet.mergeSchema")
  }

  test("schemas that do not go together are Spark's error") {
    val path = written(rows(0, 1))
    writer(spark.range(1).selectExpr("'x' as n")).mode("append").save(path)
    val error = intercept[SparkException](reader.option("mergeSchema", "true").load(path))
    assert(error.getCondition === "CANNOT_MERGE_SCHEMAS", error)
  }

  test("empty files are left out") {
    val path = written(rows(0, 2))
    Files.createFile(Path.of(path, "a-empty.parquet"))
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("count(*) and filters on partitions ask for no column") {
    val path = written(rows(0, 6), "p")
    val df = reader.load(path)
    assert(df.count() === 6)
    val plan = df.where("p = 0").groupBy().count().queryExecution.executedPlan.toString
    assert(plan.contains("ReadSchema: struct<>"), plan)
    assert(df.where("p = 0").count() === 2)
  }

  test("what is planned: columns, nested columns, format") {
    val path =
      written(rows(0, 3).selectExpr("n", "named_struct('a', n, 'b', v) as s", "array(v) as l"))
    def plan(columns: String*) =
      reader.load(path).selectExpr(columns: _*).queryExecution.executedPlan.toString
    assert(plan("n").contains("ReadSchema: struct<n:int>"))
    assert(plan("n").contains("Format: variant-shredded"))
    assert(plan("s.b").contains("ReadSchema: struct<s:struct<b:variant>>"))
    assert(plan("s.a").contains("ReadSchema: struct<s:struct<a:int>>"))
    assert(plan("l[0]").contains("ReadSchema: struct<l:array<variant>>"))
    val values = reader.load(path).selectExpr("s.b:n::int", "s.a", "l[0]:n::int").collect()
    assert(values.map(_.toSeq).toSet === Set(Seq(0, 0, 0), Seq(1, 1, 1), Seq(2, 2, 2)))
  }

  test("a DataFrame keeps its files; a new one lists anew; cached ones follow writes") {
    val path = written(rows(0, 2))
    val before = reader.load(path)
    assert(before.count() === 2)
    val cached = reader.load(path).cache()
    assert(cached.count() === 2)
    writer(rows(2, 4)).mode("append").save(path)
    assert(numbers(reader.load(path)) === (0 until 4))
    assert(cached.count() === 4)
    spark.catalog.refreshByPath(path)
    cached.unpersist()
  }

  test("values of options are checked") {
    val path = written(rows(0, 1))
    Seq(
      "validation" -> "lenient",
      "maxDepth" -> "0",
      "mergeSchema" -> "yes",
      "int96RebaseMode" -> "x"
    )
      .foreach { case (name, value) =>
        val error =
          intercept[VariantShreddedException](reader.option(name, value).load(path).collect())
        assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
        assert(error.getMessage.contains(s"Option '$name' is '$value', expected "))
      }
  }

  test("the option 'validation' is read by its former name 'mode' too") {
    val path = written(rows(0, 1))
    assert(reader.option("mode", "permissive").load(path).count() === 1)
    assert(
      intercept[VariantShreddedException](reader.option("mode", "lenient").load(path)).getMessage
        .contains("Option 'validation' is 'lenient', expected one of strict, permissive.")
    )
  }

  test("fields whose group is optional are read in both modes: a null group is a missing field") {
    val directory = Files.createDirectories(Path.of(newPath()))
    val (one, two) = (Map("typed_value" -> 1L), Map("typed_value" -> 2L))
    val names = VariantTreeEncoder.metadata(Vector("a", "b"), sorted = false, 1)
    def row(fields: (String, Any)*) =
      Map[String, Any]("v" -> Map[String, Any]("metadata" -> names, "typed_value" -> fields.toMap))
    ParquetFixture.write(
      directory.resolve("part.parquet"),
      "message m { optional group v (VARIANT(1)) { required binary metadata; " +
        "optional group typed_value { optional group a { optional binary value; " +
        "optional int64 typed_value; } required group b { optional int64 typed_value; } } } }",
      Seq(row("a" -> one, "b" -> two), row("a" -> Map(), "b" -> two), row("b" -> one))
    )
    def texts(df: DataFrame): Seq[Any] = df.collect().map(_.get(0)).toSeq
    Seq("strict", "permissive").foreach { mode =>
      val df = reader.option("validation", mode).load(directory.toString)
      assert(
        texts(df.selectExpr("to_json(v)")) === Seq("{\"a\":1,\"b\":2}", "{\"b\":2}", "{\"b\":1}")
      )
      assert(texts(df.selectExpr("v:a::int")) === Seq[Any](1, null, null))
      assert(texts(df.where("v:a::int = 1").selectExpr("v:b::int")) === Seq(2))
      assert(texts(df.where("v:a IS NULL").selectExpr("v:b::int")) === Seq(2, 1))
    }
  }

  test("joins and unions of the same path before and after a write") {
    val path = written(rows(0, 2))
    val before = reader.load(path).groupBy("p").count()
    writer(rows(2, 4)).mode("append").save(path)
    val after = reader.load(path).groupBy("p").count()
    assert(before.union(after).selectExpr("sum(count)").head().getLong(0) === 2 + 4)
    assert(reader.load(path).as("a").join(reader.load(path).as("b"), "n").count() === 4)
  }

  test("ignoreCorruptFiles, for values that are read late") {
    val path = newPath()
    spark
      .range(0, 10, 1, 1)
      .selectExpr("""named_struct('metadata', X'010000', 'value',
        if(id = 5, X'0C01', CAST(NULL AS BINARY)), 'typed_value', id) AS v""")
      .write
      .parquet(path)
    def read = reader.schema("v variant").option("ignoreCorruptFiles", "true").load(path)
    Seq("v::bigint", "to_json(v)", "v", "array(v)", "struct(v)").foreach { text =>
      assert(read.selectExpr(text).collect().isEmpty, text)
    }
    intercept[Exception](reader.schema("v variant").load(path).selectExpr("to_json(v)").collect())
  }

  test("a footer that claims more memory than there is") {
    val path = newPath()
    Files.createDirectories(Path.of(path))
    // A list of 2,147,483,647 elements of a schema.
    val footer = "150219fcffffffff07".grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
    val magic = "PAR1".getBytes("US-ASCII")
    val file = magic ++ footer ++ Array[Byte](footer.length.toByte, 0, 0, 0) ++ magic
    Seq("a", "b").foreach(name => Files.write(Path.of(path, s"$name.parquet"), file))
    Seq("false", "true").foreach { merge =>
      val error = intercept[Exception](reader.option("mergeSchema", merge).load(path))
      assert(error.getMessage.contains("[CORRUPT_PARQUET_FILE] Cannot read the footer"), merge)
    }
  }

  test("validation=permissive: typed_value counts where both columns have a value") {
    def conflict(metadata: String, a: String) = {
      val path = newPath()
      spark
        .sql(s"""SELECT named_struct('metadata', X'$metadata', 'value', CAST(NULL AS BINARY),
          'typed_value', named_struct('a', $a)) AS v""")
        .write
        .parquet(path)
      reader.schema("v variant").option("validation", "permissive").load(path)
    }
    val both = conflict("0101000161", "named_struct('value', X'00', 'typed_value', 7L)")
    assert(both.selectExpr("is_variant_null(v:a)").head().getBoolean(0) === false)
    assert(both.where("is_variant_null(v:a)").count() === 0)
    val beside = conflict(
      "01020001026162",
      "named_struct('value', X'0C07', 'typed_value', named_struct('b', named_struct('value', X'0C01')))"
    )
    assert(beside.selectExpr("to_json(v)").head().getString(0) === "{\"a\":{\"b\":1}}")
    assert(beside.selectExpr("try_variant_get(v, '$.a', 'int')").head().isNullAt(0))
    val list = conflict(
      "01020001026162",
      "named_struct('value', X'030100020C07', 'typed_value', named_struct('b', named_struct('value', X'0C01')))"
    )
    assert(list.selectExpr("try_variant_get(v, '$.a[0]', 'int')").head().isNullAt(0))
    val residual = conflict(
      "01020001026162",
      "named_struct('value', X'02010100020C01', 'typed_value', 7L)"
    )
    assert(residual.selectExpr("to_json(v)").head().getString(0) === "{\"a\":7}")
    assert(residual.selectExpr("try_variant_get(v, '$.a', 'struct<b: int>')").head().isNullAt(0))
    assert(residual.selectExpr("try_variant_get(v, '$.a.b', 'int')").head().isNullAt(0))
  }

  test("REFRESH TABLE of a temporary view over a path lists the files again") {
    val (path, inCache) = (written(rows(0, 2)), written(rows(0, 2)))
    val other = written(rows(7, 8))
    val views = Seq("indirect", "of_path", "cached", "global_temp.everywhere", "of_two")
    spark.sql(
      s"CREATE TEMPORARY VIEW of_path USING variant_shredded OPTIONS (path '$path')"
    )
    reader.load(inCache).createOrReplaceTempView("cached")
    reader.load(path).createGlobalTempView("everywhere")
    reader.load(path, other).createOrReplaceTempView("of_two")
    spark.sql("CREATE TEMPORARY VIEW indirect AS SELECT * FROM of_path WHERE n < 5")
    try {
      spark.sql("CACHE TABLE cached")
      views.foreach(spark.table(_).count())
      // Files that came without Spark's knowledge.
      val added = written(rows(2, 4))
      Seq(path, inCache).foreach { directory =>
        Files.copy(Path.of(added, dataFiles(added).head), Path.of(directory, "other.parquet"))
      }
      val counts = Seq(4, 4, 4, 4, 5)
      views.zip(counts).foreach { case (view, count) =>
        spark.sql(s"REFRESH TABLE $view")
        assert(spark.table(view).count() === count, view)
      }
      // Spark's own views, and a name that is not one.
      spark.range(3).createOrReplaceTempView("of_path")
      spark.sql("REFRESH TABLE of_path")
      assert(spark.table("of_path").count() === 3)
    } finally {
      spark.sql("UNCACHE TABLE IF EXISTS cached")
      views.foreach(view => spark.sql(s"DROP VIEW IF EXISTS $view"))
    }
  }
}

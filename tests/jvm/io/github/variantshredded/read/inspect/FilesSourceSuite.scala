package io.github.variantshredded.read.inspect

import java.nio.file.{Files, Paths, StandardCopyOption}
import java.nio.file.attribute.FileTime
import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{CountedFiles, MalformedFile, PageEdit, ParquetFixture}
import io.github.variantshredded.testing.{DataFiles, PathSuite, VariantTree}
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.sql.{classic, AnalysisException, DataFrame, Row}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.StructType

/** The source `variant-shredded-files`. */
class FilesSourceSuite extends PathSuite with AdaptiveSparkPlanHelper {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF")
  }

  private def files(path: String, options: (String, String)*): DataFrame =
    spark.read.format("variant-shredded-files").options(options.toMap).load(path)

  /** One file with so many rows of JSON. */
  private def written(shredding: String, options: Map[String, String], json: String*): String = {
    val path = newPath()
    val lines = json.map(Row(_)).asJava
    val schema = StructType.fromDDL("line string")
    writer(spark.createDataFrame(lines, schema).coalesce(1).selectExpr("parse_json(line) AS v"))
      .option("shredding", shredding)
      .options(options)
      .save(path)
    path
  }

  private def written(shredding: String, json: String*): String =
    written(shredding, Map.empty[String, String], json: _*)

  /** The one row for a leaf column, as text; nulls as "null". */
  private def leaf(table: DataFrame, name: String, columns: String*): Seq[String] = {
    val rows = table.where(s"parquet_column = '$name'").selectExpr(columns: _*).collect()
    assert(rows.length === 1, name)
    rows.head.toSeq.map(String.valueOf)
  }

  /** Whether a row group was left out by its statistics. */
  private def isSkipped(query: DataFrame): Boolean = query match {
    case ours: classic.DataFrame =>
      assert(ours.collect().isEmpty)
      collect(ours.queryExecution.executedPlan) { case scan: BatchScanExec => scan }
        .exists(_.metrics("rowGroupsSkippedByStatistics").value > 0)
    case other => fail(s"not a classic DataFrame: $other")
  }

  private val mixed = Seq(
    """{"id": 1, "name": "b", "tags": ["x", 7], "at": {"n": 1.50}}""",
    """{"id": "two", "name": "a", "tags": [], "at": {"n": 2.25}, "more": true}""",
    """{"id": null, "name": "c", "at": [1]}""",
    """{"id": 4, "name": "b", "tags": ["y"], "at": {"n": 3.75}, "more": 1}"""
  )
  private val ddl = "id bigint, name string, tags array<string>, at struct<n decimal(9,2)>"

  test("every leaf of a Variant, in the order of the file, with its path") {
    val path = written(ddl, mixed: _*)
    val leaves = files(path)
      .selectExpr("concat_ws(' ', column, path, leaf, type)", "layout", "row_group")
      .collect()
      .map(row => row.getString(0))
      .toSeq
    assert(
      leaves.sorted === Seq(
        "v $ metadata",
        "v $ value variant",
        "v $.id value variant",
        "v $.id typed_value bigint",
        "v $.name value variant",
        "v $.name typed_value string",
        "v $.tags value variant",
        "v $.tags[*] value variant",
        "v $.tags[*] typed_value string",
        "v $.at value variant",
        "v $.at.n value variant",
        "v $.at.n typed_value decimal(9,2)"
      ).sorted
    )
    val table = files(path)
    assert(table.selectExpr("layout").distinct().collect().map(_.getString(0)) === Array("spec"))
    val inFile = table.selectExpr("parquet_column").collect().map(_.getString(0)).toSeq
    val byParquet = spark.read
      .format("variant-shredded-files")
      .load(path)
      .selectExpr("collect_list(parquet_column)")
      .head()
      .getSeq[String](0)
    assert(inFile === byParquet)
  }

  test("counts, bounds, and what is not shredded") {
    val table = files(written(ddl, mixed: _*))
    def of(name: String, columns: String*) = leaf(table, s"v.$name", columns: _*)
    val typed = "typed_value.id.typed_value"
    assert(
      of(typed, "rows", "`values`", "nulls", "residual_values", "min", "max", "physical_type") ===
        Seq("4", "4", "2", "2", "1", "4", "INT64")
    )
    assert(of(typed, "sort_array(residual_types)") === Seq("ArraySeq(string, void)"))
    assert(of(typed, "to_json(residual_counts)") === Seq("""{"string":1,"void":1}"""))
    assert(
      of("typed_value.name.typed_value", "min", "max", "residual_values", "logical_type") ===
        Seq("a", "c", "0", "STRING")
    )
    assert(of("value", "residual_values", "residual_types") === Seq("2", "ArraySeq(object)"))
    assert(
      of("typed_value.tags.typed_value.list.element.typed_value", "residual_values", "rows") ===
        Seq("1", "4")
    )
    assert(of("typed_value.at.typed_value.n.typed_value", "min", "max") === Seq("1.50", "3.75"))
    assert(
      of(
        "metadata",
        "residual_values",
        "residual_types",
        "skippable",
        "why_not_skippable",
        "type"
      ) === Seq.fill(5)("null")
    )
    val bytes = table.selectExpr("min(compressed_bytes) > 0", "min(uncompressed_bytes) > 0").head()
    assert(bytes === Row(true, true))
  }

  test("skippable where a comparison can skip, and why not elsewhere") {
    val table = files(written(ddl, mixed: _*))
    def of(name: String) = leaf(table, s"v.$name", "skippable", "why_not_skippable")
    val yes = Seq("true", "null")
    assert(of("typed_value.name.typed_value") === yes)
    assert(
      of("typed_value.id.typed_value") ===
        Seq("false", "2 of 4 values are in v.typed_value.id.value")
    )
    assert(
      of("typed_value.tags.typed_value.list.element.typed_value") ===
        Seq("false", "1 of 5 values are in v.typed_value.tags.typed_value.list.element.value")
    )
    assert(of("typed_value.at.typed_value.n.typed_value") === yes)
    assert(of("value") === Seq("false", "2 of 4 values are in v.value"))
  }

  test("bounds that the writer may have got wrong are not shown, and skip nothing") {
    val path = newPath()
    spark.range(10).selectExpr("'k' || id AS k", "id").coalesce(1).write.parquet(path)
    def of(name: String) =
      leaf(files(path), name, "max", "nulls", "column_index", "skippable", "why_not_skippable")
    assert(of("k") === Seq("k9", "0", "true", "true", "null"))
    val file = DataFiles.only(Paths.get(path))
    ParquetFixture.editFooter(file)(_.setCreated_by("parquet-cpp-arrow version 10.0.1"): Unit)
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    assert(of("k") === Seq("null", "0", "false", "false", "no minimum and maximum of k"))
    assert(of("id") === Seq("9", "0", "true", "true", "null"))
    assert(isSkipped(reader.load(path).where("id < 0")))
    assert(!isSkipped(reader.load(path).where("k = 'z'")))
  }

  test("what is called skippable is skipped by the scan, and nothing else") {
    val path = written(
      "id bigint, name string, tags array<string>, d array<array<int>>, w struct<x double>, u variant",
      """{"id": 1, "name": "b", "tags": ["x"], "d": [[1]], "w": {"x": 1.5e0}, "u": 1}""",
      """{"id": "k", "name": "a", "tags": ["y"], "d": [[2]], "w": {"x": 2.5e0}, "u": 1}"""
    )
    val rows = reader.load(path)
    Seq(
      ("typed_value.id.typed_value", "try_variant_get(v, '$.id', 'bigint') > 1000"),
      ("typed_value.name.typed_value", "v:name::string = 'zzz'"),
      ("typed_value.w.typed_value.x.typed_value", "v:w.x::double < -1e9"),
      ("typed_value.u.value", "try_variant_get(v, '$.u', 'bigint') > 1000"),
      (
        "typed_value.tags.typed_value.list.element.typed_value",
        "exists(v:tags::array<string>, x -> x = 'zzz')"
      ),
      (
        "typed_value.d.typed_value.list.element.typed_value.list.element.typed_value",
        "exists(v:d::array<array<int>>, x -> exists(x, y -> y = 77))"
      )
    ).foreach { case (name, condition) =>
      val said = leaf(files(path), s"v.$name", "skippable")
      assert(said === Seq(isSkipped(rows.where(condition)).toString), name)
    }
  }

  test("rows of several row groups and files; globs, partitions, several paths") {
    val path = newPath()
    writer(rows(0, 9000).repartition(1))
      .partitionBy("p")
      .option("parquet.block.size", "1024")
      .option("shredding", "n bigint")
      .save(path)
    val table = files(path)
    val perFile = table.groupBy("file").agg(Map("row_group" -> "max")).collect()
    assert(perFile.length === 3)
    assert(perFile.forall(_.getInt(1) > 0), perFile.mkString)
    val rowsThere = table
      .where("parquet_column = 'n'")
      .groupBy("partition.p")
      .sum("rows")
      .orderBy("p")
      .collect()
      .toSeq
    assert(rowsThere === Seq(Row("0", 3000L), Row("1", 3000L), Row("2", 3000L)))
    assert(files(s"$path/p=[01]").select("file").distinct().count() === 2)
    assert(files(s"$path/*/*.parquet").select("file").distinct().count() === 3)
    val two = spark.read.format("variant-shredded-files").load(s"$path/p=0", s"$path/p=2")
    assert(two.select("file").distinct().count() === 2)
  }

  test("ordinary columns: types, nested in structs and arrays, beside Variants") {
    val path = newPath()
    writer(
      spark
        .range(3)
        .selectExpr(
          "id",
          "named_struct('s', string(id), 'v', parse_json('1')) AS o",
          "array(named_struct('x', id, 'y', array(id))) AS a",
          "map('k', id) AS m"
        )
        .coalesce(1)
    ).save(path)
    val table = files(path)
    def of(name: String) =
      leaf(table, name, "column", "path", "leaf", "type", "skippable", "why_not_skippable")
    val none = "no rule for this path or type"
    assert(of("id") === Seq("id", "null", "null", "bigint", "true", "null"))
    assert(of("o.s") === Seq("o.s", "null", "null", "string", "true", "null"))
    assert(of("a.list.element.x").drop(3) === Seq("bigint", "true", "null"))
    assert(of("a.list.element.y.list.element").drop(3) === Seq("bigint", "false", none))
    assert(of("m.key_value.value").drop(3) === Seq("bigint", "false", none))
    assert(of("o.v.metadata").take(3) === Seq("o.v", "$", "metadata"))
  }

  test("bloom filters, column indexes, encodings, codec, unshredded") {
    val path = written(
      "name string",
      Map("bloomFilter" -> "$.name", "compression" -> "zstd"),
      """{"name": "a"}"""
    )
    val columns = Seq("bloom_filter", "column_index", "codec", "array_contains(encodings, 'PLAIN')")
    assert(
      leaf(files(path), "v.typed_value.name.typed_value", columns: _*).take(3) ===
        Seq("true", "true", "zstd")
    )
    val plain = files(written("none", """{"name": "a"}"""))
    assert(
      leaf(
        plain,
        "v.value",
        "layout",
        "skippable",
        "why_not_skippable",
        "residual_types",
        "bloom_filter"
      ) === Seq("unshredded", "false", "1 of 1 values are in v.value", "ArraySeq(object)", "false")
    )
  }

  test("the sample is read for its column only, and no more than asked for") {
    val json = (0 until 20000).map { i =>
      if (i < 15000) s"""{"k": $i, "l": 1.5}""" else s"""{"k": "s$i", "l": 1.5}"""
    }
    val path = written("k boolean, l boolean", Map("parquet.page.size" -> "1024"), json: _*)
    val name = "v.typed_value.k.typed_value"
    assert(leaf(files(path), name, "residual_types") === Seq("ArraySeq(bigint)"))
    assert(
      leaf(files(path, "residualSample" -> "15001"), name, "residual_types") ===
        Seq("ArraySeq(bigint, string)")
    )
    val other = leaf(files(path), "v.typed_value.l.value", "residual_types")
    assert(other === Seq("ArraySeq(decimal)"))
    assert(leaf(files(path, "residualSample" -> "0"), name, "residual_types") === Seq("null"))
    val error = intercept[VariantShreddedException] {
      files(path, "residualSample" -> "-1").collect()
    }
    assert(error.getMessage.contains("Option 'residualSample' is '-1'"))
  }

  test("the earlier layout") {
    val json = Seq("""{"id": 1, "name": "b"}""", """{"id": "x", "name": "c"}""")
    val table = files(written("id bigint, name string", Map("layout" -> "overview"), json: _*))
    val leaves =
      table.selectExpr("concat_ws(' ', path, leaf, layout)").collect().map(_.getString(0))
    Seq("$.id untyped_value overview", "$.id typed_value overview", "$.name typed_value overview")
      .foreach(leaf => assert(leaves.contains(leaf), leaves.mkString(", ")))
    def of(field: String) = table
      .where(s"path = '$$.$field' AND leaf = 'typed_value'")
      .selectExpr("string(residual_types)", "residual_values", "skippable")
      .collect()
      .toSeq
    assert(of("id") === Seq(Row("[string]", 1L, false)))
    assert(of("name") === Seq(Row("[]", 0L, true)))
  }

  test("nothing but footers is read, unless the sample is") {
    val path = written(ddl, mixed: _*)
    val file = Paths.get(path, dataFiles(path).head)
    val start = ParquetFixture.footerStart(Files.readAllBytes(file)).toLong
    val table = files(s"${CountedFiles.Scheme}:$file", CountedFiles.settings.toSeq: _*)
    val all = CountedFiles.during(
      assert(table.drop("residual_types", "residual_counts").collect().length === 12)
    )
    assert(all.nonEmpty)
    assert(all.forall(_._1 >= start), s"$all before $start")
    val sampled = CountedFiles.during(assert(table.collect().length === 12))
    assert(sampled.exists(_._1 < start))
  }

  test("a file that was listed is not asked for again") {
    val path = written(ddl, mixed: _*)
    val file = Paths.get(path, dataFiles(path).head)
    // A footer of a file this new is not cached.
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(Duration.ofHours(1))))
    val table = files(s"${CountedFiles.Scheme}:$path", CountedFiles.settings.toSeq: _*)
    // The first count lists the files.
    assert(table.count() === 12)
    val asked = CountedFiles.askedDuring(assert(table.count() === 12))
    // Hadoop's local file system itself asks when it opens a file.
    assert(asked.map(_.getName).filter(_ == file.getFileName.toString).length === 1)
  }

  test("a file that has been replaced since it was listed") {
    val path = newPath()
    rows(0, 9).coalesce(1).write.format("parquet").save(path)
    val file = Paths.get(path, dataFiles(path).head)
    Files.delete(file.resolveSibling(s".${file.getFileName}.crc"))
    val listed = files(path).selectExpr("max(rows)")
    assert(listed.head().getLong(0) === 9)
    val other = newPath()
    rows(0, 2000).coalesce(1).write.format("parquet").save(other)
    Files.copy(Paths.get(other, dataFiles(other).head), file, StandardCopyOption.REPLACE_EXISTING)
    assert(listed.head().getLong(0) === 2000)
  }

  test("SQL: views, paths; its columns have comments") {
    val path = written(ddl, mixed: _*)
    reader.load(path).schema
    val all = files(path).count()
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY VIEW inside USING `variant-shredded-files` OPTIONS (path '$path')"
    )
    assert(spark.table("inside").count() === all)
    assert(spark.sql(s"SELECT * FROM variant_shredded.files.`$path`").count() === all)
    assert(spark.sql(s"SELECT * FROM variant_shredded.files.`$path/*.parquet`").count() === all)
    val missing = intercept[AnalysisException] {
      spark.sql(s"SELECT * FROM variant_shredded.files.`$path-not-there`").collect()
    }
    assert(missing.getCondition === "PATH_NOT_FOUND")
    assert(files(path).schema.forall(_.getComment().exists(_.nonEmpty)))
  }

  test("files of other writers, and bad ones") {
    val plain = newPath()
    spark
      .range(10)
      .selectExpr("id", "parse_json('{\"a\": 1}') AS v")
      .coalesce(1)
      .write
      .parquet(plain)
    assert(files(plain).select("column").distinct().count() === 2)
    val missing = intercept[AnalysisException](files(newPath()))
    assert(missing.getCondition === "PATH_NOT_FOUND")
    val path = newPath()
    val _ = Files.createDirectories(Paths.get(path))
    assert(files(path).count() === 0)
    val bad = Files.write(Paths.get(path, "x.parquet"), "no Parquet, by far".getBytes)
    val error = intercept[VariantShreddedException](files(path).collect())
    assert(error.getCondition === "CORRUPT_PARQUET_FILE")
    assert(error.getMessage.contains(bad.toString))
    assert(files(path, "ignoreCorruptFiles" -> "true").count() === 0)
  }

  test("levels that claim more values than their page has bytes") {
    val path = folder.resolve("levels.parquet")
    ParquetFixture.write(
      path,
      MalformedFile.variant("optional binary value; optional int64 typed_value;"),
      (0 until 20).map(_ => Map("v" -> MalformedFile.unshredded(VariantTree.Str("a")))),
      _.withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
        .withDictionaryEncoding(false)
        .withPageWriteChecksumEnabled(false)
    )
    val file = Files.readAllBytes(path)
    val page = PageEdit.pages(file).collectFirst { case ("v.value", page) => page }.get
    // The levels have 20 bytes. They begin with a bit-packed run of 1 << 29 levels.
    val levels = ParquetFixture.bytes("14 00 00 00 81 80 80 40")
    System.arraycopy(levels, 0, file, page.body, levels.length)
    Files.write(path, file)
    val error = intercept[VariantShreddedException](files(path.toString).collect())
    assert(error.getMessage.contains("A run claims 134217728 bytes of a page that has 16 left."))
    assert(error.location.column.contains("v.value"), error.getMessage)
  }
}

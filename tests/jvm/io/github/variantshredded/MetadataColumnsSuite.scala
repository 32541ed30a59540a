package io.github.variantshredded

import scala.util.Random

import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.testing.{Cases, TableSuite}
import org.apache.spark.sql.{classic, AnalysisException, DataFrame, Row}
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}
import org.apache.spark.sql.types.StructType

/** The column `_metadata`: the oracle is Spark's Parquet source on the same files. */
class MetadataColumnsSuite extends TableSuite {

  private val small = Map("parquet.block.size" -> "3000", "parquet.page.row.count.limit" -> "20")

  private def documents(from: Int, until: Int): DataFrame = spark
    .range(from.toLong, until.toLong, 1, 1)
    .selectExpr(
      "cast(id as int) as n",
      "cast(id % 2 as int) as p",
      "parse_json(concat('{\"n\":', id, ',\"k\":', id % 7, ',\"s\":\"', repeat('x', 20), id, '\"}')) as v",
      "named_struct('a', id % 3, 'b', concat('b', id)) as s"
    )

  private def saved(path: String): String = {
    Seq(0 -> 700, 700 -> 1000, 1000 -> 1013).foreach { case (from, until) =>
      writer(documents(from, until)).options(small).partitionBy("p").mode("append").save(path)
    }
    // Another schema, for mergeSchema.
    writer(documents(2000, 2100).selectExpr("*", "n + 1 as other"))
      .options(small)
      .partitionBy("p")
      .mode("append")
      .save(path)
    path
  }

  private lazy val path: String = saved(newPath())

  /** Runs the query on both sources. */
  private def compare(path: String, options: Map[String, String] = Map.empty)(
      query: DataFrame => DataFrame
  ): Seq[Row] = {
    val ours = query(reader.options(options).load(path))
    val found = ours.collect().toSeq
    val theirs = query(spark.read.options(options).parquet(path))
    assert(found.map(_.toString).sorted === theirs.collect().map(_.toString).toSeq.sorted)
    assert(ours.schema === theirs.schema)
    found
  }

  private def scans(query: DataFrame): Seq[VariantScan] = query match {
    case ours: classic.DataFrame =>
      ours.queryExecution.optimizedPlan
        .collectWithSubqueries { case relation: DataSourceV2ScanRelation =>
          relation.scan
        }
        .collect { case scan: VariantScan => scan }
    case other => fail(s"not a classic DataFrame: $other")
  }

  private def files(query: DataFrame): Int =
    scans(query).head
      .planInputPartitions()
      .map {
        case split: org.apache.spark.sql.execution.datasources.FilePartition => split.files.length
        case other => fail(s"not files: $other")
      }
      .sum

  test("the column has the fields, types and values of Spark's Parquet source") {
    val found = compare(path)(_.selectExpr("n", "p", "_metadata"))
    assert(found.size === 1113)
    compare(path, Map("mergeSchema" -> "true"))(_.selectExpr("*", "_metadata.*"))
    compare(path)(_.selectExpr("_metadata.row_index"))
    compare(path)(_.selectExpr("count(_metadata)", "max(_metadata.file_name)"))
  }

  test("the column is not there unless a query names it") {
    assert(!reader.load(path).columns.contains("_metadata"))
    assert(scans(reader.load(path)).head.columns.metadata === None)
  }

  test("only the fields that a query uses are read") {
    val query =
      reader.load(path).selectExpr("v:n::int", "_metadata.file_name", "_metadata.row_index")
    val fields = scans(query).head.columns.metadata.map(_.dataType)
    assert(
      fields.collect { case struct: StructType => struct.fieldNames.toSeq } ===
        Some(Seq("file_name", "row_index"))
    )
    assert(scans(query).head.pushed.extractions.size === 1)
    assert(scans(query).head.readDataSchema.isEmpty)
  }

  /** What the scan of a query has counted; none of it is a time. */
  private def metrics(query: DataFrame): Map[String, Long] = query match {
    case ours: classic.DataFrame =>
      val plan = ours.queryExecution.executedPlan
      plan.execute().foreach(_ => ())
      val counted = plan.collect { case exec: BatchScanExec => exec.metrics }.flatten
      counted.map { case (name, metric) => name -> metric.value }.toMap
    case other => fail(s"not a classic DataFrame: $other")
  }

  test("the column costs nothing unless a query names it, and no bytes if one does") {
    def query(columns: String*): DataFrame =
      reader.load(path).where("v:k::int = 3").selectExpr(Seq("n", "v:n::int") ++ columns: _*)
    def without = query()
    val scan = scans(without).head
    assert(scan.readSchema().fieldNames.count(_.contains("metadata")) === 0)
    assert(!scan.getMetaData().contains("ReadMetadata"))
    def counted(asked: => DataFrame): Map[String, Long] =
      withConf("spark.sql.variantShredded.lateMaterializationMinBytes" -> "0")(metrics(asked))
    val before = counted(without)
    assert(before("leafBytesRead") > 0)
    assert(before("rowsDropped") > 0)
    def named = query(
      "_metadata.file_path",
      "_metadata.file_name",
      "_metadata.file_size",
      "_metadata.file_block_start",
      "_metadata.file_block_length",
      "_metadata.file_modification_time",
      "_metadata.row_index"
    )
    assert(scans(named).head.getMetaData().contains("ReadMetadata"))
    assert(counted(named) === before)
  }

  test("rows keep their numbers where row groups, pages and rows are skipped") {
    withConf("spark.sql.variantShredded.lateMaterializationMinBytes" -> "0") {
      Seq(
        "v:n::int = 555",
        "v:n::int BETWEEN 90 AND 400 AND v:k::int = 3",
        "v:k::int = 2",
        "v:s::string LIKE '%7'",
        "n = 444 OR v:n::int = 1001",
        "s.b = 'b650'"
      ).foreach { condition =>
        val found =
          compare(path)(_.where(condition).selectExpr("n", "v:k::int", "_metadata.row_index"))
        assert(found.nonEmpty, condition)
        compare(path)(
          _.selectExpr("_metadata.row_index", "v").where(
            condition.replace("n = 444", "v:n::int = 444").replace("s.b = 'b650'", "v:n::int = 650")
          )
        )
      }
    }
  }

  test("splits of a file have their own blocks, and rows their numbers in the file") {
    withConf(
      "spark.sql.files.maxPartitionBytes" -> "4000",
      "spark.sql.files.openCostInBytes" -> "1"
    ) {
      val found = compare(path)(
        _.selectExpr(
          "n",
          "_metadata.file_block_start",
          "_metadata.file_block_length",
          "_metadata.row_index"
        )
      )
      assert(found.map(_.getLong(1)).distinct.size > 3)
    }
  }

  test("predicates on the file leave files out") {
    val one = dataFiles(path).head.split('/').last
    def filtered(condition: String) = reader.load(path).where(condition)
    val all = files(reader.load(path))
    val ofOne = dataFiles(path).count(_.endsWith(one))
    assert(ofOne < all)
    assert(files(filtered(s"_metadata.file_name = '$one'")) === ofOne)
    assert(files(filtered(s"v:n::int > 1 AND _metadata.file_name = '$one'")) === ofOne)
    assert(files(filtered(s"_metadata.file_path LIKE '%p=1%$one'")) === 1)
    assert(files(filtered("_metadata.file_size < 0")) === 0)
    assert(files(filtered("_metadata.file_modification_time < '2020-01-01'")) === 0)
    assert(files(filtered(s"_metadata.file_name = '$one' OR n = 3")) === all)
    assert(files(filtered("_metadata.row_index = 3")) === all)
    assert(files(filtered("_metadata.file_block_start > 1000000")) === all)
    val shown = scans(filtered(s"_metadata.file_name <> '$one'")).head.getMetaData()
    assert(shown("FilterOfFiles") === s"[(NOT (_metadata.`file_name` = '$one'))]")
  }

  test("a subquery in a predicate is left to Spark") {
    def one(table: String) = s"(SELECT max(_metadata.file_name) FROM $table)"
    def query(table: String) =
      s"SELECT n FROM $table WHERE _metadata.file_name IN ${one(table)} AND " +
        s"_metadata.file_name = ${one(table)}"
    val ours = spark.sql(query(s"variant_shredded.`$path`")).collect().toSet
    assert(ours.nonEmpty)
    assert(ours === spark.sql(query(s"parquet.`$path`")).collect().toSet)
  }

  test("a column of the files with this name comes first") {
    val own = written(spark.range(3).selectExpr("id", "concat('m', id) as _metadata"))
    compare(own)(_.selectExpr("id", "_metadata"))
    val ours = reader.load(own)
    val theirs = spark.read.parquet(own)
    def both(df: DataFrame) = df.select(
      df.col("_metadata"),
      df.metadataColumn("_metadata").getField("file_name").as("f"),
      df.metadataColumn("_metadata").getField("row_index").as("r")
    )
    assert(both(ours).collect().toSet === both(theirs).collect().toSet)
    val upper = written(spark.range(3).selectExpr("id", "concat('m', id) as _METADATA"))
    compare(upper)(_.selectExpr("id", "_metadata"))
    withConf("spark.sql.caseSensitive" -> "true") {
      compare(upper)(_.selectExpr("id", "_METADATA", "_metadata.row_index"))
    }
  }

  test("generated queries give what Spark's Parquet source gives") {
    val seed = 20261130L
    val random = new Random(seed)
    def pick[T](values: Seq[T]): T = values(random.nextInt(values.size))
    val terms = Seq(
      "n",
      "p",
      "v:n::int",
      "v:k::int",
      "to_json(v)",
      "s.a",
      "s",
      "input_file_name()",
      "_metadata",
      "_metadata.file_path",
      "_metadata.file_name",
      "_metadata.file_size",
      "_metadata.file_block_start",
      "_metadata.file_block_length",
      "_metadata.file_modification_time",
      "_metadata.row_index",
      "_metadata.row_index + n",
      "upper(_metadata.file_name)",
      "CASE WHEN v:k::int = 1 THEN _metadata.row_index END"
    )
    val names = dataFiles(path).map(_.split('/').last)
    def condition: String = pick(
      Seq(
        s"v:n::int > ${random.nextInt(1000)}",
        s"v:k::int = ${random.nextInt(8)}",
        s"n BETWEEN ${random.nextInt(500)} AND ${500 + random.nextInt(600)}",
        s"p = ${random.nextInt(2)}",
        s"s.a = ${random.nextInt(3)}",
        s"_metadata.file_name = '${pick(names)}'",
        s"_metadata.file_name > '${pick(names)}'",
        s"_metadata.row_index < ${random.nextInt(400)}",
        s"_metadata.row_index % 5 = p",
        s"_metadata.file_size > ${random.nextInt(30000)}",
        "_metadata IS NOT NULL",
        "_metadata.file_path LIKE '%parquet'",
        s"(p = 1 OR _metadata.file_name = '${pick(names)}')",
        s"(v:k::int = 3 OR _metadata.row_index = ${random.nextInt(100)})",
        "_metadata.row_index + v:k::int > 100"
      )
    )
    (1 to Cases(12)).foreach { _ =>
      val shape = random.nextInt(8)
      val columns = Seq.fill(1 + random.nextInt(4))(pick(terms)).zipWithIndex.map {
        case (term, i) => s"$term AS c$i"
      }
      val conditions = Seq.fill(random.nextInt(4))(condition)
      def filtered(df: DataFrame) = conditions.foldLeft(df)(_.where(_))
      def query(df: DataFrame): DataFrame = shape match {
        case 0 => filtered(df).selectExpr(columns: _*).limit(20).selectExpr("count(*)")
        case 1 => filtered(df).groupBy("_metadata.file_name", "p").count()
        case 2 =>
          val left = filtered(df).selectExpr(
            "n",
            "v:k::int k",
            "_metadata.file_path f",
            "_metadata.row_index r"
          )
          val right =
            df.selectExpr("v:k::int k2", "_metadata.file_path f2", "_metadata.row_index r2")
          left.join(right, left("f") === right("f2") && left("r") === right("r2") + 1)
        case 3 =>
          filtered(df)
            .selectExpr("_metadata.row_index", "n")
            .union(df.selectExpr("_metadata.file_size", "v:n::int"))
        case _ => filtered(df).selectExpr(columns: _*)
      }
      val settings = Seq(
        "spark.sql.variantShredded.lateMaterializationMinBytes" -> pick(Seq("0", "1000000")),
        "spark.sql.files.maxPartitionBytes" -> pick(Seq("6000", "128MB")),
        "spark.sql.optimizer.nestedSchemaPruning.enabled" -> pick(Seq("true", "true", "false")),
        "spark.sql.columnVector.offheap.enabled" -> pick(Seq("true", "false")),
        "spark.sql.codegen.wholeStage" -> pick(Seq("true", "false"))
      )
      withConf(settings: _*) {
        withClue(s"seed $seed: $columns $conditions $shape $settings") {
          compare(path, if (random.nextBoolean()) Map("mergeSchema" -> "true") else Map.empty)(
            query
          )
        }
      }
    }
  }

  test("tables by name and paths in SQL have the column") {
    withTable { name =>
      spark.sql(
        s"CREATE TABLE $name (n INT, v VARIANT, p INT) USING `variant-shredded` PARTITIONED BY (p)"
      )
      spark.sql(s"INSERT INTO $name SELECT n, v, p FROM variant_shredded.`$path`")
      val query = "SELECT n, p, _metadata.file_name, _metadata.row_index FROM "
      assert(
        spark.sql(query + name).collect().toSet ===
          spark.read
            .parquet(directory(name).toString)
            .selectExpr("n", "p", "_metadata.file_name", "_metadata.row_index")
            .collect()
            .toSet
      )
    }
    val one = s"SELECT n, _metadata.row_index FROM variant_shredded.`$path` WHERE v:n::int > 990"
    assert(
      spark.sql(one).collect().toSet === reader
        .load(path)
        .where("n > 990")
        .select("n", "_metadata.row_index")
        .collect()
        .toSet
    )
  }

  test("a directory that a stream has written has the column") {
    val from = written(rows(0, 50))
    val to = newPath()
    val stream = spark.readStream.schema(spark.read.parquet(from).schema).parquet(from)
    writeStream(stream, to, newPath())
    val found = compare(to)(_.selectExpr("n", "_metadata"))
    assert(found.size === 50)
    val file = dataFiles(to).head
    assert(files(reader.load(to).where(s"_metadata.file_name = '$file'")) === 1)
  }

  test("a row with the column that is written has an ordinary column") {
    val copy = newPath()
    writer(spark.read.parquet(path).selectExpr("n", "v", "_metadata")).save(copy)
    assert(reader.load(copy).columns === Array("n", "v", "_metadata"))
    assert(reader.load(copy).schema.forall(_.metadata.json == "{}"))
    assert(spark.read.parquet(copy).schema.forall(_.metadata.json == "{}"))
    val ours = newPath()
    writer(reader.load(path).selectExpr("n", "v", "_metadata")).save(ours)
    assert(reader.load(ours).columns === Array("n", "v", "_metadata"))
    assert(
      reader.load(ours).select("n", "_metadata.row_index").collect().toSet ===
        reader.load(path).select("n", "_metadata.row_index").collect().toSet
    )
  }

  test("a field that there is not is an error as of any struct") {
    val error = intercept[AnalysisException](reader.load(path).select("_metadata.nothing"))
    assert(error.getCondition === "FIELD_NOT_FOUND")
  }
}

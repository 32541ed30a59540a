package io.github.variantshredded.write.infer

import java.nio.file.{Files, Path}

import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import io.github.variantshredded.write.WriteSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Files that end because the rows that follow do not fit their schema. */
class DriftSuite extends WriteSuite {

  private val Old = """{"id": 1, "old": "x"}"""
  private val New = """{"id": 1, "new": {"a": 2}}"""

  /** One task; rows with the text that `text` says, an expression of `n`. */
  private def rows(count: Int, text: String): DataFrame = spark
    .range(0, count.toLong, 1, 1)
    .select(col("id").cast("int").as("n"))
    .selectExpr("n", s"parse_json($text) AS v")

  private def changing(count: Int, at: Int): DataFrame =
    rows(count, s"if(n < $at, '$Old', '$New')")

  private def schemaOf(file: Path): String = ShreddingText.render(
    SpecLayoutReader.read(footer(file).getFileMetaData.getSchema, Seq("v"), 200).root.schema
  )

  /** Of each file, by its first row: the number of rows and the schema. */
  private def layout(path: Path): Seq[(Int, String)] = files(path)
    .map(path.resolve)
    .map(file => groups(file).map(_.getInteger("n", 0)) -> schemaOf(file))
    .sortBy(_._1.head)
    .map { case (rows, schema) => rows.size -> schema }

  private val often = Seq("inferRows" -> "100", "driftRows" -> "1000")

  private def assertSame(path: Path, df: DataFrame): Unit = {
    val expected = df.orderBy("n").selectExpr("to_json(v)").collect().toSeq
    Seq("parquet", "variant-shredded").foreach { format =>
      val found = spark.read.format(format).load(path.toString)
      assert(found.orderBy("n").selectExpr("to_json(v)").collect().toSeq === expected, format)
    }
  }

  test("a new file has the schema of the rows from there on") {
    val df = changing(5000, 1500)
    val path = written(df, often :+ ("bloomFilter" -> "$.old, $.new.a"): _*)
    assert(
      layout(path) ===
        Seq(2000 -> "id bigint, old string", 3000 -> "id bigint, new struct<a bigint>")
    )
    assertSame(path, df)
  }

  test("as long as nothing changes there is one file; and none is begun without a row") {
    assert(
      layout(written(changing(5000, 5000), often: _*)) === Seq(5000 -> "id bigint, old string")
    )
    assert(
      layout(written(changing(2000, 1500), often: _*)) === Seq(2000 -> "id bigint, old string")
    )
  }

  test("at most as many files as the option says, none if it is off") {
    // It changes every thousand rows.
    val df = rows(8000, s"if(n % 2000 < 1000, '$Old', '$New')")
    def sizes(options: (String, String)*) =
      layout(written(df, often ++ options: _*)).map(_._1)
    assert(sizes("driftFiles" -> "2") === Seq(2000, 2000, 4000))
    assert(sizes("driftFiles" -> "0") === Seq(8000))
    assert(sizes("driftRows" -> "0") === Seq(8000))
    assert(sizes("driftRows" -> "10000") === Seq(8000))
  }

  test("with a limit of rows") {
    val path = written(changing(5000, 1500), often :+ ("maxRecordsPerFile" -> "1200"): _*)
    assert(layout(path).map(_._1) === Seq(1200, 1000, 1200, 1200, 400))
    assert(layout(path).map(_._2.contains("new")) === Seq(false, false, true, true, true))
  }

  test("only inferred columns drift") {
    val ddl = "shredding" -> """{"v": "id int, old string"}"""
    assert(layout(written(changing(5000, 1500), often :+ ddl: _*)).size === 1)
    val pinned = Seq("shredding.pin" -> "$.old string", "shredding.exclude" -> "$.new")
    assert(
      layout(written(changing(5000, 1500), often ++ pinned: _*)) ===
        Seq(5000 -> "id bigint, old string")
    )
  }

  test("partitions, each with files of its own, and one limit for the task") {
    val df = rows(9000, s"if(n % 3000 < 1500, '$Old', '$New')")
      .withColumn("p", (col("n") / 3000).cast("int"))
    def sizes(options: (String, String)*) = {
      val path = written(df, often ++ options :+ ("partitions" -> "p"): _*)
      assertSame(path, df)
      (0 until 3).map(p => layout(path.resolve(s"p=$p")).map(_._1))
    }
    assert(sizes() === Seq.fill(3)(Seq(2000, 1000)))
    assert(sizes("driftFiles" -> "2") === Seq(Seq(2000, 1000), Seq(2000, 1000), Seq(3000)))
  }

  test("with clustering; the same rows give the same bytes") {
    val df = changing(5000, 1500)
    val options =
      often ++ Seq("clustering" -> "shape", "clusterBy" -> "$.new.a", "clusterBytes" -> "30k")
    def bytes(path: Path) =
      layout(path) -> files(path).map(file => Files.readAllBytes(path.resolve(file)).toSeq)
    val path = written(df, options: _*)
    assert(layout(path).map(_._1) === Seq(2000, 3000))
    assertSame(path, df)
    assert(bytes(path) === bytes(written(df, options: _*)))
  }
}

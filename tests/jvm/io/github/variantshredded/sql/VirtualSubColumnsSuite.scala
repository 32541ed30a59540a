package io.github.variantshredded.sql

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.CountedFiles
import io.github.variantshredded.testing.{LocalParquet, PathSuite}
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.spark.sql.Row

/**
 * The example of the design of Databend's semi-structured types: eight posts of four kinds, whose
 * keys become columns with types that follow from the values.
 */
class VirtualSubColumnsSuite extends PathSuite {

  private val posts = Seq(
    """{"id":1,"date":"1/11","type":"story","score":3,"desc":2,"title":"one","url":"u1"}""",
    """{"id":2,"date":"1/12","type":"poll","score":5,"desc":2,"title":"two"}""",
    """{"id":3,"date":"1/13","type":"pollop","score":6,"poll":2,"title":"three"}""",
    """{"id":4,"date":"1/14","type":"story","score":1,"desc":1,"title":"four","url":"u4"}""",
    """{"id":5,"date":"1/15","type":"comment","parent":4,"text":"five"}""",
    """{"id":6,"date":"1/16","type":"comment","parent":1,"text":"six"}""",
    """{"id":7,"date":"1/17","type":"pollop","score":3,"poll":2,"title":"seven"}""",
    """{"id":8,"date":"1/18","type":"comment","parent":1,"text":"eight"}"""
  )

  private lazy val path: String = {
    val session = spark
    import session.implicits._
    written(posts.toDF("json").coalesce(1).selectExpr("parse_json(json) AS tweet"))
  }

  private lazy val file: Path = onlyFile(path)

  private lazy val chunks: Seq[ColumnChunkMetaData] = {
    val reader = LocalParquet.open(file)
    try reader.getRowGroups.asScala.flatMap(_.getColumns.asScala).toSeq
    finally reader.close()
  }

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val conf = spark.sparkContext.hadoopConfiguration
    CountedFiles.settings.foreach { case (key, value) => conf.set(key, value) }
    VariantFunctions.register(spark): Unit
    reader.load(path).createOrReplaceTempView("tweets")
    reader
      .load(s"${CountedFiles.Scheme}://$path")
      .createOrReplaceTempView("counted")
  }

  test("ten sub-columns with the types of their values") {
    val columns = chunks.map(_.getPath.toArray.toSeq).collect {
      case Seq("tweet", "typed_value", name, "typed_value") => name
    }
    val types = chunks.map(chunk => chunk.getPath.toDotString -> chunk.getPrimitiveType).toMap
    val found = columns.map { name =>
      val primitive = types(s"tweet.typed_value.$name.typed_value")
      val logical = Option(primitive.getLogicalTypeAnnotation).fold("")(_.toString)
      name -> s"${primitive.getPrimitiveTypeName} $logical".trim
    }
    val number = "INT64"
    val text = "BINARY STRING"
    assert(
      found.map { case (name, shown) =>
        name -> shown.replace(" INTEGER(64,true)", "")
      }.toMap === Map(
        "id" -> number,
        "date" -> text,
        "type" -> text,
        "score" -> number,
        "desc" -> number,
        "title" -> text,
        "url" -> text,
        "parent" -> number,
        "text" -> text,
        "poll" -> number
      )
    )
  }

  test("the rows come back") {
    val rows = spark.sql("SELECT to_json(tweet) FROM tweets").collect().map(_.getString(0)).toSeq
    val wanted = posts.map(post => sorted(post))
    assert(rows.sorted === wanted.sorted)
  }

  private def sorted(json: String): String =
    spark.sql(s"SELECT to_json(parse_json('$json'))").head().getString(0)

  /**
   * Checks the answer, in any order, and that the chunks of these columns were read once and
   * nothing of others. Without ORDER BY: Spark computes what it sorts twice, to sample it first.
   *
   * @param looked
   *   columns whose dictionaries are read by themselves before, to see whether a value is in the file
   */
  private def check(sql: String, columns: Seq[String], looked: Seq[String] = Nil)(
      rows: Row*
  ): Unit = {
    val counted = sql.replace(" tweets", " counted")
    val _ = spark.sql(counted).collect() // footers are known from now on
    var found = Seq.empty[Row]
    val ranges = CountedFiles.during { found = spark.sql(counted).collect().toSeq }
    assert(found.toSet === rows.toSet && found.size === rows.size)
    def chunk(column: String) = chunks
      .find(_.getPath.toArray.toSeq == Seq("tweet", "typed_value", column, "typed_value"))
      .getOrElse(fail(s"no column of $column"))
    val whole = columns.map(chunk).map(c => c.getStartingPos -> c.getTotalSize)
    val dictionaries = looked.map(chunk).map { c =>
      c.getDictionaryPageOffset -> (c.getFirstDataPageOffset - c.getDictionaryPageOffset)
    }
    val indexes = chunks.map(chunk => chunk.getStartingPos + chunk.getTotalSize).max
    val read = ranges.collect { case (at, size) if at < indexes => at -> size.toLong }
    assert(read.sorted === (whole ++ dictionaries).sorted, sql)
  }

  test("titles") {
    check(
      "SELECT get_path(tweet, 'title')::string FROM tweets WHERE tweet:title IS NOT NULL",
      Seq("title")
    )(Seq("four", "one", "seven", "three", "two").map(Row(_)): _*)
  }

  test("the stories with a score") {
    check(
      "SELECT tweet:id::int FROM tweets WHERE tweet:type::string = 'story' " +
        "AND tweet:score::int > 1",
      Seq("id", "type", "score"),
      looked = Seq("type", "score")
    )(Row(1))
  }

  test("scores by type") {
    check(
      "SELECT tweet:type::string AS type, count(*), max(tweet:score::int) FROM tweets " +
        "GROUP BY 1",
      Seq("type", "score")
    )(Row("comment", 3L, null), Row("poll", 1L, 5), Row("pollop", 2L, 6), Row("story", 2L, 3))
  }

  test("comments with the title of what they answer") {
    check(
      "SELECT c.tweet:text::string, p.tweet:title::string FROM tweets c JOIN tweets p " +
        "ON c.tweet:parent::int = p.tweet:id::int",
      Seq("text", "title", "parent", "id")
    )(Row("eight", "one"), Row("five", "four"), Row("six", "one"))
  }
}

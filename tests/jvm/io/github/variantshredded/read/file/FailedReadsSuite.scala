package io.github.variantshredded.read.file

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{Files, Path, StandardCopyOption}

import scala.util.{Failure, Success, Try}

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.testing.{Clue, ObjectFiles, PathSuite}
import org.apache.hadoop.fs.PathIOException
import org.apache.spark.sql.DataFrame

/** Reads of an object store that fail: the error tells why, whatever was read. */
class FailedReadsSuite extends PathSuite {

  override protected def sessionSettings: Map[String, String] = Map(
    // So that the listings keep the ETags.
    "spark.sql.sources.ignoreDataLocality" -> "true",
    "spark.sql.variantShredded.lateMaterializationMinBytes" -> "1"
  )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    ObjectFiles.register(spark.sparkContext.hadoopConfiguration)
  }

  /**
   * A file of several row groups, with dictionary pages for `k`, bloom filters for `t`, and for `h`
   * bloom filters that do not come with the footer.
   */
  private lazy val file: Path = {
    val json = "'{\"n\": ' || id || ', \"k\": ' || id % 50 * 2 || ', \"t\": \"' || " +
      "sha2(cast(id as string), 256) || '\"}'"
    val rows = spark
      .range(0, 12000, 1, 1)
      .selectExpr(
        "cast(id as int) as n",
        "sha2(cast(-id as string), 256) as h",
        s"parse_json($json) as v"
      )
    val path = newPath()
    writer(rows)
      .option("parquet.block.size", "400000")
      .option("parquet.bloom.filter.enabled#h", "true")
      .option("parquet.bloom.filter.expected.ndv#h", "200000")
      .option("bloomFilter", "$.t")
      .save(path)
    onlyFile(path)
  }

  /** A copy of the file, so that nothing is known about it. */
  private def copied(): DataFrame = {
    val directory = Files.createDirectory(Path.of(newPath()))
    Files.copy(file, directory.resolve("part.parquet"), StandardCopyOption.COPY_ATTRIBUTES)
    reader.schema("n INT, h STRING, v VARIANT").load(s"${ObjectFiles.Scheme}://$directory")
  }

  private val queries = Seq(
    "true",
    "v:k::int = 31",
    "v:k::int = 30",
    "v:t::string = 'missing'",
    "v:t::string = sha2('11000', 256)",
    "v:k::int IN (30, 31) OR v:t::string = 'missing'",
    "h = 'missing'",
    "h = sha2('-11000', 256)",
    "n >= 10000"
  )

  private val errors = Seq[(String, () => IOException, Throwable => Boolean)](
    (
      "a request that is refused",
      () => new PathIOException("part.parquet", "The token has expired."),
      {
        case e: VariantShreddedException =>
          e.condition == "FILE_SYSTEM_ERROR" && e.getMessage.contains("The token has expired.")
        case _ => false
      }
    ),
    (
      "a missing object",
      () => new FileNotFoundException("part.parquet was deleted"),
      _.isInstanceOf[FileNotFoundException]
    )
  )

  private def answer(df: DataFrame, where: String): Seq[Int] =
    df.where(where).selectExpr("v:n::int").collect().map(_.getInt(0)).toSeq.sorted

  for {
    (name, error, isExpected) <- errors
    where <- queries
  } test(s"$name, from each read on: $where") {
    var expected = Seq.empty[Int]
    val reads = ObjectFiles.failing(_ => None) { expected = answer(copied(), where) }
    info(s"$reads reads")
    assert(reads >= 1)
    (0 until reads).foreach { number =>
      val df = copied()
      ObjectFiles.failing(n => Option.when(n >= number)(error())) {
        Try(answer(df, where)) match {
          case Success(rows) => assert(rows === expected, s"read $number")
          case Failure(e)    =>
            assert(Causes.of(e).exists(isExpected), Clue(s"read $number: $e"))
        }
      }
    }
  }
}

package io.github.variantshredded.read.scan

import java.net.URI
import java.nio.file.{Files, Path, Paths}
import java.nio.file.attribute.FileTime

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{CountedFiles, ParquetFixture}
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FSDataInputStream, Path => HadoopPath, RawLocalFileSystem}
import org.apache.spark.sql.{classic, DataFrame}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.joins.SortMergeJoinExec
import org.scalatest.concurrent.{Signaler, ThreadSignaler, TimeLimits}
import org.scalatest.time.{Seconds, Span}

/** What Spark's planner is told of the size of scans. */
class ScanStatisticsSuite extends PathSuite with TimeLimits {

  implicit private val interrupting: Signaler = ThreadSignaler

  private val limit = ReadOptions.PlanningFooters.name

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("OFF")
    spark.conf.set("spark.sql.adaptive.enabled", "false")
  }

  /** Rows (id, p, v) in so many files; of `v`, `name` is long and all different. */
  private def table(count: Int, partitionBy: String*): String = {
    val path = newPath()
    spark
      .range(0, count * 2000L, 1, count)
      .selectExpr(
        "id",
        "id % 2 AS p",
        """parse_json(concat('{"k":', id, ',"name":"', sha2(string(id), 256), '","big":"',
          |  sha2(string(-id), 512), sha2(string(id + 7), 512), '"}')) AS v""".stripMargin
      )
      .write
      .partitionBy(partitionBy: _*)
      .parquet(path)
    // Of Hadoop, which would see changes before anybody else.
    files(path).foreach { file =>
      Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    }
    path
  }

  private def plan(query: DataFrame): LogicalPlan = query match {
    case ours: classic.DataFrame => ours.queryExecution.optimizedPlan
    case other                   => fail(s"not a classic DataFrame: $other")
  }

  /** What Spark is told of the one scan in a query. */
  private def statistics(query: DataFrame): Statistics =
    plan(query).collect { case relation: DataSourceV2ScanRelation => relation.stats } match {
      case Seq(one) => one
      case other    => fail(s"${other.size} scans")
    }

  private def files(table: String): Seq[Path] = dataFiles(table).map(Paths.get(table, _))

  /** Compressed bytes of the chunks of some leaves, as the footers have them. */
  private def chunks(table: String)(isWanted: String => Boolean): Long = {
    val sizes = for {
      file <- files(table)
      rowGroup <- ParquetFixture.footer(Files.readAllBytes(file)).getRow_groups.asScala
      chunk <- rowGroup.getColumns.asScala.map(_.getMeta_data)
      if isWanted(chunk.getPath_in_schema.asScala.mkString("."))
    } yield chunk.getTotal_compressed_size
    sizes.sum
  }

  private def isNear(size: BigInt, expected: Long): Boolean =
    (size - expected).abs <= expected / 100

  test("rows, and bytes of the leaves that are read") {
    val path = table(3)
    val df = reader.load(path)
    val name = chunks(path)(_ == "v.typed_value.name.typed_value")
    val ofName = statistics(df.selectExpr("v:name::string"))
    assert(ofName.rowCount === Some(6000))
    assert(isNear(ofName.sizeInBytes, name), s"${ofName.sizeInBytes} for $name")
    // Without the column of errors, which weighs little.
    val projected = plan(df.selectExpr("v:name::string")).stats.sizeInBytes
    assert((projected - name).abs < name / 20, s"$projected for $name")
    val whole = chunks(path)(_.startsWith("v."))
    assert(whole > 3 * name)
    val ofWhole = statistics(df.select("v"))
    assert(ofWhole.rowCount === Some(6000))
    assert(isNear(ofWhole.sizeInBytes, whole), s"${ofWhole.sizeInBytes} for $whole")
    val both = statistics(df.selectExpr("id", "v:name::string"))
    assert(isNear(both.sizeInBytes, name + chunks(path)(_ == "id")))
    withConf("spark.sql.sources.fileCompressionFactor" -> "3.0") {
      assert(isNear(statistics(df.selectExpr("v:name::string")).sizeInBytes, 3 * name))
    }
    // Next to nothing in the files, but not as rows.
    assert(statistics(df.selectExpr("id % 1", "v:missing::int")).sizeInBytes >= 8 * 6000)
    assert(statistics(df.groupBy().count()).sizeInBytes === 8 * 6000)
  }

  test("only the partitions that are scanned") {
    val path = table(2, "p")
    val odd = reader.load(path).where("p = 1").selectExpr("v:name::string")
    assert(statistics(odd).rowCount === Some(2000))
    assert(statistics(reader.load(path).where("p = 5").select("v")).rowCount === Some(0))
  }

  test("a field of a large table is broadcast, the table is not") {
    val path = table(3)
    reader.load(path).createOrReplaceTempView("big")
    spark.range(1000000).createOrReplaceTempView("keys")
    def joined(column: String): SparkPlan =
      spark.sql(
        s"SELECT keys.id, $column FROM keys JOIN big ON keys.id = big.id"
      ) match {
        case ours: classic.DataFrame => ours.queryExecution.executedPlan
        case other                   => fail(s"not a classic DataFrame: $other")
      }
    def isBroadcast(plan: SparkPlan) =
      plan.exists(_.nodeName.startsWith("BroadcastHashJoin"))
    val threshold = chunks(path)(_ => true) / 2
    withConf("spark.sql.autoBroadcastJoinThreshold" -> threshold.toString) {
      val whole = joined("big.v")
      assert(whole.exists(_.isInstanceOf[SortMergeJoinExec]) && !isBroadcast(whole), whole)
      assert(isBroadcast(joined("big.v:name::string")))
      // Most of the table is in this field; by its type alone, it is small.
      assert(!isBroadcast(joined("big.v:big::string")))
      withConf(limit -> "0")(assert(isBroadcast(joined("big.v:big::string"))))
    }
  }

  private def statuses(table: String): Seq[FileStatus] = files(table).map { file =>
    val uri = file.toUri.toString.replaceFirst("^file", CountedFiles.Scheme)
    val modified = Files.getLastModifiedTime(file).toMillis
    new FileStatus(Files.size(file), false, 0, 0, modified, new HadoopPath(uri))
  }

  private val counted: Configuration = {
    val conf = new Configuration()
    CountedFiles.settings.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  private def setAge(table: String, seconds: Int): Unit = files(table).foreach { file =>
    val time = FileTime.fromMillis(System.currentTimeMillis - seconds * 1000L)
    Files.setLastModifiedTime(file, time)
  }

  test("no more footers are read than the setting says") {
    val path = table(8)
    val footers = new PlanningFooters
    val (first, second, third) = (statuses(path), statuses(path).take(5), statuses(path).reverse)
    val bytes = CountedFiles.during {
      assert(footers.sample(first, 2, counted).size === 2)
    }
    val footerBytes = files(path).map { f =>
      val footer = Files.size(f) - ParquetFixture.footerStart(Files.readAllBytes(f))
      math.max(footer + 8, Files.size(f) / 16)
    }.max
    assert(bytes.map(_._2).sum <= 2 * footerBytes)
    val again = CountedFiles.during {
      assert(footers.sample(second, 2, counted).size === 2)
      assert(footers.sample(third, 2, counted).size === 2)
    }
    assert(again.isEmpty)
    // The rest is reckoned to be like them.
    withConf(limit -> "2") {
      val some = statistics(reader.load(path).selectExpr("v:name::string"))
      val rows = some.rowCount.get
      assert(rows != 16000 && (rows - 16000).abs < 160, rows)
      assert((some.sizeInBytes - chunks(path)(_.contains(".name."))).abs < some.sizeInBytes / 25)
    }
    withConf(limit -> "0") {
      val none = statistics(reader.load(path).selectExpr("v:name::string"))
      assert(none.rowCount.isEmpty && none.sizeInBytes > 1)
    }
  }

  test("footers that are known are not read again") {
    val path = table(4)
    setAge(path, 60)
    assert(reader.load(path).selectExpr("v:k::int").collect().length === 8000)
    withConf(limit -> "1") {
      assert(statistics(reader.load(path).selectExpr("v:k::int")).rowCount === Some(8000))
    }
  }

  private def breakFooter(file: Path): Unit = Files.write(file, Array.fill[Byte](5000)(7)): Unit

  test("a broken file does not keep a query from being planned") {
    val path = table(4)
    breakFooter(files(path).last)
    val one = reader.load(path).selectExpr("v:name::string")
    val rows = statistics(one).rowCount.get
    assert(rows >= 6000 && rows < 6100, rows)
    assert(intercept[VariantShreddedException](one.collect()).condition === "CORRUPT_PARQUET_FILE")
    files(path).foreach(breakFooter)
    val all = reader.option("schema", "v variant").load(path).select("v")
    val none = statistics(all)
    assert(none.rowCount.isEmpty && none.sizeInBytes === 4 * 5000)
    assert(intercept[VariantShreddedException](all.collect()).condition === "CORRUPT_PARQUET_FILE")
  }

  test("a class that is missing when footers are read is an error, and the planner does not wait") {
    val conf = new Configuration
    conf.set(s"fs.${FilesWithoutClass.Scheme}.impl", classOf[FilesWithoutClass].getName)
    val files = (0 until 2).map { number =>
      val path = new HadoopPath(s"${FilesWithoutClass.Scheme}:/part-$number.parquet")
      new FileStatus(1000, false, 0, 0, 0, path)
    }
    failAfter(Span(60, Seconds)) {
      intercept[NoClassDefFoundError](new PlanningFooters().sample(files, 2, conf))
    }
  }

  test("sizes that a file cannot have are not believed") {
    Seq(Long.MaxValue, -5L).foreach { size =>
      val path = table(2)
      ParquetFixture.editFooter(files(path).head) { footer =>
        val chunk = footer.getRow_groups.get(0).getColumns.get(3).getMeta_data
        chunk.setTotal_compressed_size(size): Unit
      }
      val rows = statistics(reader.load(path).select("v")).rowCount.get
      assert(rows > 3900 && rows < 4100, rows)
    }
    val path = table(2)
    ParquetFixture.editFooter(files(path).head)(_.getRow_groups.get(0).setNum_rows(-1L): Unit)
    assert(statistics(reader.load(path).select("v")).rowCount.get > 3900)
  }

  test("a table without files has no rows") {
    val path = table(1)
    files(path).foreach(Files.delete(_))
    val empty = statistics(reader.option("schema", "v variant").load(path).select("v"))
    assert(empty.rowCount === Some(0) && empty.sizeInBytes === 1)
  }
}

/** A file system whose client lacks a class. */
final class FilesWithoutClass extends RawLocalFileSystem {
  override def getScheme: String = FilesWithoutClass.Scheme

  override def getUri: URI = URI.create(s"${FilesWithoutClass.Scheme}:///")

  override def open(path: HadoopPath, bufferSize: Int): FSDataInputStream =
    throw new NoClassDefFoundError("example/Client")
}

private object FilesWithoutClass {
  val Scheme = "without-class"
}

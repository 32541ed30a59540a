package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import io.github.variantshredded.testing.DataFiles
import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Where a job of a [[Scenario]] writes to.
 *
 * @param options
 *   of each save
 */
final case class Place(
    spark: SparkSession,
    root: Path,
    scheme: String,
    options: Map[String, String] = Map.empty
) {

  def path: String = s"$scheme://$root"

  def rows(from: Int, until: Int, tasks: Int): DataFrame =
    spark
      .range(from.toLong, until.toLong, 1, tasks)
      .selectExpr(
        "cast(id as int) as n",
        "cast(id % 2 as int) as p",
        "parse_json(concat('{\"a\":', id, '}')) as v"
      )

  def save(
      rows: DataFrame,
      mode: String,
      partitionBy: Seq[String],
      more: (String, String)*
  ): Unit =
    rows.write
      .format("variant-shredded")
      .mode(mode)
      .options(options ++ more)
      .partitionBy(partitionBy: _*)
      .save(path)

  /** Runs a statement, with the rows to write as the view `new_rows`. */
  def sql(rows: DataFrame, statement: String): Unit = {
    rows.createOrReplaceTempView("new_rows")
    spark.sql(statement.replace("{path}", s"variant_shredded.`$path`"))
    ()
  }
}

/** A kind of write, to a directory whose files it alone knows. */
trait Scenario {

  def name: String

  /** Numbers that are there before; None if the directory is not. */
  def before: Option[Seq[Int]]

  /** Numbers that are there when the job has succeeded. */
  def after: Seq[Int]

  /** Makes what is there before the job. */
  def prepare(place: Place): Unit

  def run(place: Place): Unit

  /** The rows that this source reads, with the columns `n` and `v`. */
  def read(place: Place): DataFrame

  /** The same rows, read by Spark's Parquet source. */
  def readBySpark(place: Place): DataFrame = place.spark.read.parquet(s"file://${place.root}")

  /** The jobs of which each has to work afterwards. */
  def next: Seq[NextJob]

  /** Keeps the state of what is not in the directory, such as the catalog, and gives the way back. */
  def keep(place: Place): () => Unit = {
    val _ = place
    () => ()
  }

  /** What the documentation tells to do after a process that died, before the table is read again. */
  def putRight(place: Place): Unit = { val _ = place }

  /** Whether a process may end in the job. */
  def survivesHalt: Boolean = true
}

/** A write to a path. */
final case class PathScenario(
    name: String,
    before: Option[Seq[Int]],
    after: Seq[Int],
    partitioned: Boolean,
    job: Place => Unit,
    override val survivesHalt: Boolean = true
) extends Scenario {

  private def partitionBy: Seq[String] = if (partitioned) Seq("p") else Nil

  override def prepare(place: Place): Unit =
    before.foreach { numbers =>
      place.save(place.rows(numbers.head, numbers.last + 1, Scenario.Tasks), "append", partitionBy)
    }

  override def run(place: Place): Unit = job(place)

  override def read(place: Place): DataFrame =
    place.spark.read.format("variant-shredded").load(place.path)

  override def next: Seq[NextJob] = Seq("append", "overwrite").map { mode =>
    NextJob(
      mode,
      place => place.save(place.rows(20, 22, 1), mode, partitionBy),
      found => (if (mode == "append") found else Nil) ++ Seq(20, 21)
    )
  }
}

/** An overwrite of a path that is one file. */
object FileScenario extends Scenario {

  override def name: String = "overwrite of a file"

  override def before: Option[Seq[Int]] = Some(Scenario.Old)

  override def after: Seq[Int] = Scenario.New

  private def file(place: Place): Place = place.copy(root = place.root.resolve("file"))

  override def prepare(place: Place): Unit = {
    val made = place.copy(root = place.root.resolve("made"))
    made.save(place.rows(Scenario.Old.head, Scenario.Old.last + 1, 1), "append", Nil)
    Files.move(DataFiles.only(made.root), file(place).root)
    Tree(Map.empty, None).restore(made.root)
  }

  override def run(place: Place): Unit = file(place).save(Scenario.news(place), "overwrite", Nil)

  override def read(place: Place): DataFrame =
    place.spark.read.format("variant-shredded").load(file(place).path)

  override def readBySpark(place: Place): DataFrame =
    place.spark.read.parquet(s"file://${file(place).root}")

  override def next: Seq[NextJob] = Seq(
    NextJob(
      "overwrite",
      place => file(place).save(place.rows(20, 22, 1), "overwrite", Nil),
      _ => Seq(20, 21)
    )
  )

  /** Any save gives the file its name back. */
  override def putRight(place: Place): Unit = file(place).save(place.rows(30, 31, 1), "ignore", Nil)
}

/**
 * A job that comes after one that failed.
 *
 * @param after
 *   the numbers that are there after it, if those are there before
 */
final case class NextJob(name: String, run: Place => Unit, after: Seq[Int] => Seq[Int])

object Scenario {

  private[fault] final val Tasks = 2
  private[fault] val Old = 0 until 6
  private[fault] val New = 10 until 16

  private[fault] def news(place: Place): DataFrame = place.rows(New.head, New.last + 1, Tasks)

  private def both(name: String, before: Option[Seq[Int]], after: Seq[Int])(
      run: (Place, Seq[String]) => Unit
  ): Seq[Scenario] = Seq(false, true).map { partitioned =>
    val suffix = if (partitioned) " partitioned" else ""
    val columns = if (partitioned) Seq("p") else Nil
    PathScenario(name + suffix, before, after, partitioned, run(_, columns))
  }

  val Append: Seq[Scenario] = both("append", Some(Old), Old ++ New) { (place, columns) =>
    place.save(news(place), "append", columns)
  }

  val Overwrite: Seq[Scenario] = both("overwrite", Some(Old), New) { (place, columns) =>
    place.save(news(place), "overwrite", columns)
  }

  val Create: Seq[Scenario] = both("new", None, New) { (place, columns) =>
    place.save(news(place), "errorifexists", columns)
  }

  /** The odd numbers are of the partition that gets rows. */
  private val Odd = Old.filter(_ % 2 == 1)
  private val Even = Old.filter(_ % 2 == 0)

  val Dynamic: Scenario = PathScenario(
    "dynamic overwrite",
    Some(Old),
    Even ++ New.filter(_ % 2 == 1),
    partitioned = true,
    place =>
      place
        .save(
          news(place).where("p = 1"),
          "overwrite",
          Seq("p"),
          "partitionOverwriteMode" -> "dynamic"
        )
  )

  private val sqls: Seq[Scenario] = Seq(
    PathScenario(
      "insert overwrite partition",
      Some(Old),
      Odd ++ New,
      partitioned = true,
      place =>
        place.sql(
          news(place).select("n", "v"),
          "INSERT OVERWRITE {path} PARTITION (p = 0) (n, v) SELECT n, v FROM new_rows"
        )
    ),
    PathScenario(
      "insert overwrite",
      Some(Old),
      New,
      partitioned = false,
      place => place.sql(news(place), "INSERT OVERWRITE {path} SELECT * FROM new_rows")
    ),
    PathScenario(
      "insert into",
      Some(Old),
      Old ++ New,
      partitioned = true,
      place => place.sql(news(place), "INSERT INTO {path} (n, p, v) SELECT n, p, v FROM new_rows")
    ),
    PathScenario(
      "create table as select",
      None,
      New,
      partitioned = true,
      place =>
        place.sql(news(place), "CREATE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows")
    ),
    PathScenario(
      "replace table as select",
      Some(Old),
      New,
      partitioned = true,
      place =>
        place.sql(
          news(place),
          "CREATE OR REPLACE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows"
        )
    ),
    PathScenario(
      "truncate",
      Some(Old),
      Nil,
      partitioned = true,
      place => place.sql(news(place), "TRUNCATE TABLE {path}")
    ),
    PathScenario(
      "delete",
      Some(Old),
      Nil,
      partitioned = false,
      place => place.sql(news(place), "DELETE FROM {path}")
    ),
    PathScenario(
      "delete partition",
      Some(Old),
      Even,
      partitioned = true,
      place => place.sql(news(place), "DELETE FROM {path} WHERE p > 0")
    ),
    PathScenario(
      "overwrite from itself",
      Some(Old),
      Old.map(_ + 10),
      partitioned = false,
      place =>
        place.save(
          place.spark.read
            .format("variant-shredded")
            .load(place.path)
            .selectExpr(
              "n + 10 as n",
              "p",
              "parse_json(concat('{\"a\":', v:a::int + 10, '}')) as v"
            ),
          "overwrite",
          Nil
        )
    )
  )

  val ByPath: Seq[Scenario] = Append ++ Overwrite ++ Create ++ (Dynamic +: sqls)

  /** Hadoop's algorithm 2 moves the files of a task when the task commits. */
  val Algorithm2: Seq[Scenario] = Seq("append", "overwrite", "dynamic").map { how =>
    val mode = if (how == "append") how else "overwrite"
    val options = Seq("mapreduce.fileoutputcommitter.algorithm.version" -> "2") ++
      Option.when(how == "dynamic")("partitionOverwriteMode" -> "dynamic")
    PathScenario(
      s"$how by algorithm 2",
      Some(Old),
      if (how == "append") Old ++ New else New,
      partitioned = true,
      place => place.save(news(place), mode, Seq("p"), options: _*),
      survivesHalt = false
    )
  }

  val All: Seq[Scenario] =
    (FileScenario +: ByPath) ++ Algorithm2 ++ TableScenario.All ++ PartitionScenario.All ++ StreamScenario.All
}

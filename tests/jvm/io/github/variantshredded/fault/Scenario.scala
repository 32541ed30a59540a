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
final case class Target(
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

  /** Whether the job adds rows, and none of them is there if it fails. */
  def appends: Boolean = false

  /** Makes what is there before the job. */
  def prepare(target: Target): Unit

  def run(target: Target): Unit

  /** The rows that this source reads, with the columns `n` and `v`. */
  def read(target: Target): DataFrame

  /** The same rows, read by Spark's Parquet source. */
  def readBySpark(target: Target): DataFrame = target.spark.read.parquet(s"file://${target.root}")

  /** The jobs of which each has to work afterwards. */
  def next: Seq[NextJob]

  /** Keeps the state of what is not in the directory, such as the catalog, and gives the way back. */
  def keep(target: Target): () => Unit = {
    val _ = target
    () => ()
  }

  /** What the documentation tells to do after a process that died, before the table is read again. */
  def putRight(target: Target): Unit = { val _ = target }

  /** Whether a process may end in the job. */
  def survivesHalt: Boolean = true
}

/** A write to a path. */
final case class PathScenario(
    name: String,
    before: Option[Seq[Int]],
    after: Seq[Int],
    partitioned: Boolean,
    job: Target => Unit,
    override val survivesHalt: Boolean = true
) extends Scenario {

  private def partitionBy: Seq[String] = if (partitioned) Seq("p") else Nil

  override def prepare(target: Target): Unit =
    before.foreach { numbers =>
      val rows = target.rows(numbers.head, numbers.last + 1, Scenario.Tasks)
      target.save(rows, "append", partitionBy)
    }

  // With Hadoop's algorithm 2, rows are there before the job commits.
  override def appends: Boolean =
    survivesHalt && before.exists(old => old != after && old.toSet.subsetOf(after.toSet))

  override def run(target: Target): Unit = job(target)

  override def read(target: Target): DataFrame =
    target.spark.read.format("variant-shredded").load(target.path)

  override def next: Seq[NextJob] = Seq("append", "overwrite").map { mode =>
    NextJob(
      mode,
      target => target.save(target.rows(20, 22, 1), mode, partitionBy),
      found => (if (mode == "append") found else Nil) ++ Seq(20, 21)
    )
  }
}

/** An overwrite of a path that is one file, by rows that are partitioned by the columns or not. */
final case class FileScenario(partitionBy: Seq[String]) extends Scenario {

  override def name: String =
    "overwrite of a file" + (if (partitionBy.isEmpty) "" else " partitioned")

  override def before: Option[Seq[Int]] = Some(Scenario.Old)

  override def after: Seq[Int] = Scenario.New

  private def file(target: Target): Target = target.copy(root = target.root.resolve("file"))

  override def prepare(target: Target): Unit = {
    val made = target.copy(root = target.root.resolve("made"))
    made.save(target.rows(Scenario.Old.head, Scenario.Old.last + 1, 1), "append", Nil)
    Files.move(DataFiles.only(made.root), file(target).root)
    Tree(Map.empty, None).restore(made.root)
  }

  override def run(target: Target): Unit =
    file(target).save(Scenario.news(target), "overwrite", partitionBy)

  override def read(target: Target): DataFrame =
    target.spark.read.format("variant-shredded").load(file(target).path)

  override def readBySpark(target: Target): DataFrame =
    target.spark.read.parquet(s"file://${file(target).root}")

  override def next: Seq[NextJob] = Seq(
    NextJob(
      "overwrite",
      target => file(target).save(target.rows(20, 22, 1), "overwrite", partitionBy),
      _ => Seq(20, 21)
    )
  )

  /** Any save gives the file its name back. */
  override def putRight(target: Target): Unit =
    file(target).save(target.rows(30, 31, 1), "ignore", Nil)
}

/**
 * A job that comes after one that failed.
 *
 * @param after
 *   the numbers that are there after it, if those are there before
 */
final case class NextJob(name: String, run: Target => Unit, after: Seq[Int] => Seq[Int])

object Scenario {

  private[fault] final val Tasks = 2
  private[fault] val Old = 0 until 6
  private[fault] val New = 10 until 16

  private[fault] def news(target: Target): DataFrame = target.rows(New.head, New.last + 1, Tasks)

  private def both(name: String, before: Option[Seq[Int]], after: Seq[Int])(
      run: (Target, Seq[String]) => Unit
  ): Seq[Scenario] = Seq(false, true).map { partitioned =>
    val suffix = if (partitioned) " partitioned" else ""
    val columns = if (partitioned) Seq("p") else Nil
    PathScenario(name + suffix, before, after, partitioned, run(_, columns))
  }

  val Append: Seq[Scenario] = both("append", Some(Old), Old ++ New) { (target, columns) =>
    target.save(news(target), "append", columns)
  }

  val Overwrite: Seq[Scenario] = both("overwrite", Some(Old), New) { (target, columns) =>
    target.save(news(target), "overwrite", columns)
  }

  val Create: Seq[Scenario] = both("new", None, New) { (target, columns) =>
    target.save(news(target), "errorifexists", columns)
  }

  /** The odd numbers are of the partition that gets rows. */
  private val Odd = Old.filter(_ % 2 == 1)
  private val Even = Old.filter(_ % 2 == 0)

  val Dynamic: Scenario = PathScenario(
    "dynamic overwrite",
    Some(Old),
    Even ++ New.filter(_ % 2 == 1),
    partitioned = true,
    target =>
      target
        .save(
          news(target).where("p = 1"),
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
      target =>
        target.sql(
          news(target).select("n", "v"),
          "INSERT OVERWRITE {path} PARTITION (p = 0) (n, v) SELECT n, v FROM new_rows"
        )
    ),
    PathScenario(
      "insert overwrite",
      Some(Old),
      New,
      partitioned = false,
      target => target.sql(news(target), "INSERT OVERWRITE {path} SELECT * FROM new_rows")
    ),
    PathScenario(
      "insert into",
      Some(Old),
      Old ++ New,
      partitioned = true,
      target =>
        target.sql(news(target), "INSERT INTO {path} (n, p, v) SELECT n, p, v FROM new_rows")
    ),
    PathScenario(
      "create table as select",
      None,
      New,
      partitioned = true,
      target =>
        target.sql(news(target), "CREATE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows")
    ),
    PathScenario(
      "replace table as select",
      Some(Old),
      New,
      partitioned = true,
      target =>
        target.sql(
          news(target),
          "CREATE OR REPLACE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows"
        )
    ),
    PathScenario(
      "truncate",
      Some(Old),
      Nil,
      partitioned = true,
      target => target.sql(news(target), "TRUNCATE TABLE {path}")
    ),
    PathScenario(
      "delete",
      Some(Old),
      Nil,
      partitioned = false,
      target => target.sql(news(target), "DELETE FROM {path}")
    ),
    PathScenario(
      "delete partition",
      Some(Old),
      Even,
      partitioned = true,
      target => target.sql(news(target), "DELETE FROM {path} WHERE p > 0")
    ),
    PathScenario(
      "overwrite from itself",
      Some(Old),
      Old.map(_ + 10),
      partitioned = false,
      target =>
        target.save(
          target.spark.read
            .format("variant-shredded")
            .load(target.path)
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
      target => target.save(news(target), mode, Seq("p"), options: _*),
      survivesHalt = false
    )
  }

  val All: Seq[Scenario] =
    (Seq(
      FileScenario(Nil),
      FileScenario(Seq("p"))
    ) ++ ByPath) ++ Algorithm2 ++ TableScenario.All ++ PartitionScenario.All ++ StreamScenario.All
}

package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.testing.TemporaryFolder
import org.apache.spark.TaskContext
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, udf}
import org.scalatest.funsuite.AnyFunSuite

/**
 * Jobs on two workers in processes of their own, with Kryo: tasks that fail, that are tried a second
 * time because they are slow, and whose worker is killed.
 */
class ClusterSuite extends AnyFunSuite with TemporaryFolder {

  private lazy val cluster = new Cluster(folder)

  private lazy val spark: SparkSession = {
    (1 to 2).foreach(_ => cluster.startWorker())
    cluster.session(
      2,
      "spark.speculation" -> "true",
      "spark.speculation.interval" -> "100ms",
      "spark.speculation.quantile" -> "0.1",
      "spark.speculation.minTaskRuntime" -> "1s"
    )
  }

  override protected def afterAll(): Unit =
    try {
      SparkSession.getDefaultSession.foreach(_.stop())
      cluster.close()
    } finally super.afterAll()

  /** The numbers in four tasks, each of which does `what` with its first number. */
  private def rows(spark: SparkSession, from: Int, until: Int, what: Disturbed): DataFrame = {
    val disturb = udf((n: Int) => what(n))
    spark
      .range(from.toLong, until.toLong, 1, 4)
      .select(disturb(col("id").cast("int")).as("n"))
      .selectExpr("n", "n % 2 as p", "parse_json(concat('{\"a\":', n, '}')) as v")
  }

  private def save(rows: DataFrame, path: Path, mode: String, options: (String, String)*): Unit =
    rows.write
      .format("variant-shredded")
      .mode(mode)
      .options(options.toMap)
      .partitionBy("p")
      .save(path.toString)

  /** The table has exactly these numbers, by every reader, and nothing lies about. */
  private def has(spark: SparkSession, path: Path, numbers: Seq[Int], files: Int): Unit = {
    Seq("variant-shredded", "parquet").foreach { format =>
      val table = spark.read.format(format).load(path.toString)
      val found = table.selectExpr("n", "v:a::int", "p").collect().toSeq
      assert(found.map(_.getInt(0)).sorted === numbers, format)
      assert(found.forall(row => row.getInt(0) == row.getInt(1)), format)
      assert(found.forall(row => row.getInt(0) % 2 == row.getInt(2)), format)
    }
    val left = Using
      .resource(Files.walk(path))(_.iterator.asScala.toList)
      .filter(Files.isRegularFile(_))
      .map(path.relativize(_).toString)
      .filterNot(name => name.contains("/.") || name.startsWith("."))
    val (data, others) = left.partition(_.endsWith(".parquet"))
    assert(data.size === files, data)
    assert(others.filterNot(Set("_SUCCESS")).forall(_.endsWith(".last")), others)
  }

  test("appends and overwrites") {
    val path = folder.resolve("plain")
    save(rows(spark, 0, 8, Disturbed.Not), path, "errorifexists")
    has(spark, path, 0 until 8, files = 8)
    save(rows(spark, 8, 16, Disturbed.Not), path, "append")
    val odd = rows(spark, 16, 24, Disturbed.Not).where("p = 1")
    save(odd, path, "overwrite", "partitionOverwriteMode" -> "dynamic")
    has(spark, path, (0 until 16 by 2) ++ (17 until 24 by 2), files = 12)
    save(rows(spark, 0, 8, Disturbed.Not), path, "overwrite")
    has(spark, path, 0 until 8, files = 8)
  }

  Seq("1", "2").foreach { algorithm =>
    val option = "mapreduce.fileoutputcommitter.algorithm.version" -> algorithm

    test(s"a task fails, and a slow one is run twice, committer algorithm $algorithm") {
      val path = folder.resolve(s"attempts-$algorithm")
      save(rows(spark, 0, 8, Disturbed.Not), path, "append", option)
      save(rows(spark, 8, 24, Disturbed.FailsOrSleeps), path, "append", option)
      has(spark, path, 0 until 24, files = 16)
    }
  }

  test("a worker is killed in the middle of a write") {
    val path = folder.resolve("killed")
    save(rows(spark, 0, 8, Disturbed.Not), path, "append")
    val told = Files.createDirectories(folder.resolve("executors"))
    val job = Future {
      save(rows(spark, 8, 24, Disturbed.Waits(told.toString)), path, "overwrite")
    }
    def executor: Option[Long] =
      told.toFile.list().toSeq.filterNot(_.startsWith(".")).headOption.map(_.toLong)
    while (executor.isEmpty && !job.isCompleted) Thread.sleep(50)
    cluster.killWorkerOf(executor.get)
    Await.result(job, 5.minutes)
    has(spark, path, 8 until 24, files = 8)
    assert(spark.sparkContext.statusTracker.getExecutorInfos.length === 2)
  }
}

/** What tasks do beside their work, when they are run for the first time. */
sealed trait Disturbed extends Serializable {

  /** Gives `number`. */
  def apply(number: Int): Int = {
    val task = TaskContext.get()
    if (task.attemptNumber() == 0 && number % 4 == 3) happen(task.partitionId())
    number
  }

  protected def happen(task: Int): Unit
}

object Disturbed {

  case object Not extends Disturbed {
    override protected def happen(task: Int): Unit = ()
  }

  case object FailsOrSleeps extends Disturbed {
    override protected def happen(task: Int): Unit = task match {
      case 1 => throw new IllegalStateException("the first attempt")
      case 2 => Thread.sleep(300000)
      case _ => ()
    }
  }

  /** Leaves the number of its process in `folder`, and waits to be killed. */
  final case class Waits(folder: String) extends Disturbed {
    override protected def happen(task: Int): Unit = if (task == 1) {
      Files.createFile(Path.of(folder, ProcessHandle.current.pid.toString))
      Thread.sleep(300000)
    }
  }
}

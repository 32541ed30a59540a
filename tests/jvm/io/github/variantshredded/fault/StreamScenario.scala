package io.github.variantshredded.fault

import java.nio.file.Path

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

/** The second batch of a query, whose checkpoint is in the directory too, and fails like the rest. */
abstract class StreamScenario extends Scenario {

  override val before: Option[Seq[Int]] = Some(Scenario.Old)
  override val after: Seq[Int] = Scenario.Old ++ Scenario.New

  /** The format of what the query reads. */
  protected def format: String

  /** Returns the stream of the columns n, p and v. */
  protected def stream(target: Target, path: String): DataFrame

  /** What the query reads; of each batch, two files. */
  private def input(target: Target): Path = target.root.resolveSibling("input")

  private def inputPath(target: Target): String = s"file://${input(target)}"

  /** Adds rows to the input. */
  private def give(target: Target, numbers: Seq[Int]): Unit =
    target
      .rows(numbers.head, numbers.last + 1, Scenario.Tasks)
      .write
      .format(format)
      .mode("append")
      .save(inputPath(target))

  override def prepare(target: Target): Unit = {
    FileUtils.deleteDirectory(input(target).toFile)
    give(target, Scenario.Old)
    run(target)
    give(target, Scenario.New)
  }

  override def run(target: Target): Unit =
    stream(target, inputPath(target)).writeStream
      .format("variant-shredded")
      .option("checkpointLocation", s"${target.path}/_checkpoint")
      .partitionBy("p")
      .trigger(Trigger.AvailableNow())
      .start(target.path)
      .awaitTermination()

  override def read(target: Target): DataFrame =
    target.spark.read.format("variant-shredded").load(target.path)

  /** The batch comes once, and so does another one after it. */
  override val next: Seq[NextJob] = Seq(
    NextJob(
      "the same query",
      target => {
        run(target)
        give(target, Seq(20, 21))
        run(target)
      },
      _ => after ++ Seq(20, 21)
    )
  )

  override def keep(target: Target): () => Unit = {
    val tree = Tree.of(input(target))
    () => tree.restore(input(target))
  }
}

object StreamScenario {

  /** Reads the files of Spark's Parquet source. */
  val OfParquet: StreamScenario = new StreamScenario {
    override val name = "batch of a stream"

    override protected val format = "parquet"

    override protected def stream(target: Target, path: String): DataFrame =
      target.spark.readStream.schema("n INT, p INT, v VARIANT").parquet(path)
  }

  /** Reads the files of this source. */
  val OfVariants: StreamScenario = new StreamScenario {
    override val name = "batch of a stream of this source"

    override protected val format = "variant-shredded"

    override protected def stream(target: Target, path: String): DataFrame =
      target.spark.readStream
        .format(format)
        .schema("n INT, p INT, v VARIANT")
        .load(path)
        .where("v:a::int >= 0")
        .selectExpr("v:a::int AS n", "v:a::int % 2 AS p", "v")
  }

  val All: Seq[StreamScenario] = Seq(OfParquet, OfVariants)
}

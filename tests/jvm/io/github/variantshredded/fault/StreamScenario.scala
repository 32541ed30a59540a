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
  protected def stream(place: Place, path: String): DataFrame

  /** What the query reads; of each batch, two files. */
  private def input(place: Place): Path = place.root.resolveSibling("input")

  private def inputPath(place: Place): String = s"file://${input(place)}"

  /** Adds rows to the input. */
  private def give(place: Place, numbers: Seq[Int]): Unit =
    place
      .rows(numbers.head, numbers.last + 1, Scenario.Tasks)
      .write
      .format(format)
      .mode("append")
      .save(inputPath(place))

  override def prepare(place: Place): Unit = {
    FileUtils.deleteDirectory(input(place).toFile)
    give(place, Scenario.Old)
    run(place)
    give(place, Scenario.New)
  }

  override def run(place: Place): Unit =
    stream(place, inputPath(place)).writeStream
      .format("variant-shredded")
      .option("checkpointLocation", s"${place.path}/_checkpoint")
      .partitionBy("p")
      .trigger(Trigger.AvailableNow())
      .start(place.path)
      .awaitTermination()

  override def read(place: Place): DataFrame =
    place.spark.read.format("variant-shredded").load(place.path)

  /** The batch comes once, and so does another one after it. */
  override val next: Seq[NextJob] = Seq(
    NextJob(
      "the same query",
      place => {
        run(place)
        give(place, Seq(20, 21))
        run(place)
      },
      _ => after ++ Seq(20, 21)
    )
  )

  override def keep(place: Place): () => Unit = {
    val tree = Tree.of(input(place))
    () => tree.restore(input(place))
  }
}

object StreamScenario {

  /** Reads the files of Spark's Parquet source. */
  val OfParquet: StreamScenario = new StreamScenario {
    override val name = "batch of a stream"

    override protected val format = "parquet"

    override protected def stream(place: Place, path: String): DataFrame =
      place.spark.readStream.schema("n INT, p INT, v VARIANT").parquet(path)
  }

  /** Reads the files of this source. */
  val OfVariants: StreamScenario = new StreamScenario {
    override val name = "batch of a stream of this source"

    override protected val format = "variant-shredded"

    override protected def stream(place: Place, path: String): DataFrame =
      place.spark.readStream
        .format(format)
        .schema("n INT, p INT, v VARIANT")
        .load(path)
        .where("v:a::int >= 0")
        .selectExpr("v:a::int AS n", "v:a::int % 2 AS p", "v")
  }

  val All: Seq[StreamScenario] = Seq(OfParquet, OfVariants)
}

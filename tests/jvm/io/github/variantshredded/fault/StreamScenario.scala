package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger

/** The second batch of a query, whose checkpoint is in the directory too, and fails like the rest. */
object StreamScenario extends Scenario {

  override val name = "batch of a stream"
  override val before: Option[Seq[Int]] = Some(Scenario.Old)
  override val after: Seq[Int] = Scenario.Old ++ Scenario.New

  /** What the query reads; of each batch, two files. */
  private def input(place: Place): Path = place.root.resolveSibling("input")

  private def give(place: Place, numbers: Seq[Int]): Unit =
    numbers.groupBy(_ % 2).foreach { case (part, some) =>
      Files.createDirectories(input(place))
      Files.writeString(input(place).resolve(s"${numbers.head}-$part.txt"), some.mkString("\n"))
    }

  override def prepare(place: Place): Unit = {
    FileUtils.deleteDirectory(input(place).toFile)
    give(place, Scenario.Old)
    run(place)
    give(place, Scenario.New)
  }

  override def run(place: Place): Unit =
    place.spark.readStream
      .text(s"file://${input(place)}")
      .selectExpr(
        "cast(value as int) as n",
        "cast(value as int) % 2 as p",
        "parse_json(concat('{\"a\":', value, '}')) as v"
      )
      .writeStream
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

  override def keep(place: Place): () => Unit =
    () => Seq(0, 1).foreach(part => Files.deleteIfExists(input(place).resolve(s"20-$part.txt")))
}

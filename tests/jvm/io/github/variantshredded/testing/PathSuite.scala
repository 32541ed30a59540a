package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, DataFrameReader, DataFrameWriter, Row}
import org.apache.spark.sql.streaming.Trigger

/** What suites of paths share: new directories, and rows with a Variant. */
abstract class PathSuite extends SparkSuite with TemporaryFolder {

  /** The name of a directory that does not exist yet. */
  protected def newPath(): String =
    Files.createTempDirectory(folder, "path").resolve("table").toString

  /** Rows (n, p = n % 3, v = {"n": n}) for n from `from` on. */
  protected def rows(from: Int, until: Int): DataFrame =
    spark
      .range(from.toLong, until.toLong, 1, 1)
      .selectExpr(
        "cast(id as int) as n",
        "cast(id % 3 as int) as p",
        "parse_json(concat('{\"n\": ', id, '}')) as v"
      )

  protected def reader: DataFrameReader = spark.read.format("variant-shredded")

  protected def writer(df: DataFrame): DataFrameWriter[Row] = df.write.format("variant-shredded")

  /** Writes the rows to a new directory and gives it. */
  protected def written(df: DataFrame, partitionBy: String*): String = {
    val path = newPath()
    writer(df).partitionBy(partitionBy: _*).save(path)
    path
  }

  /** Writes what a stream has not written yet, and waits for it. */
  protected def writeStream(
      stream: DataFrame,
      to: String,
      checkpoint: String,
      partitionBy: Seq[String] = Nil,
      format: String = "variant-shredded",
      mode: String = "append",
      options: Map[String, String] = Map.empty
  ): Unit =
    stream.writeStream
      .format(format)
      .options(options)
      .option("checkpointLocation", checkpoint)
      .outputMode(mode)
      .partitionBy(partitionBy: _*)
      .trigger(Trigger.AvailableNow())
      .start(to)
      .awaitTermination()

  /** The numbers n, each checked against its Variant. */
  protected def numbers(df: DataFrame): Seq[Int] =
    df.selectExpr("n", "v:n::int")
      .collect()
      .map { row =>
        assert(row.getInt(0) === row.getInt(1))
        row.getInt(0)
      }
      .toSeq
      .sorted

  /** Paths of the data files below `path`, relative and sorted. */
  protected def dataFiles(path: String): Seq[String] = {
    val root = Path.of(path)
    DataFiles.below(root).map(root.relativize(_).toString)
  }

  protected def onlyFile(path: String): Path = DataFiles.only(Path.of(path))

  /** The directories of the data files. */
  protected def partitions(path: String): Seq[String] =
    dataFiles(path).map(_.split("/").dropRight(1).mkString("/")).distinct
}

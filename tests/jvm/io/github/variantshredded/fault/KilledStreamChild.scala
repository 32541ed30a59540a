package io.github.variantshredded.fault

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.streaming.{DataStreamWriter, Trigger}

/** A process whose streaming query reads and writes this source, until somebody kills it. */
object KilledStreamChild {

  /** Arguments: the directories of the input, of the output and of the checkpoint. */
  def main(args: Array[String]): Unit = {
    val warehouse = Files.createTempDirectory("stream-child")
    val spark = FaultFuzz.session("local[2]", warehouse.toUri.toString)
    query(spark, args(0), args(1), pauseMillis = 40)
      .option("checkpointLocation", args(2))
      .trigger(Trigger.ProcessingTime(50))
      .start(args(1))
      .awaitTermination()
  }

  /** The query, which waits some time at each row, so that batches take long enough to be killed in. */
  def query(
      spark: SparkSession,
      input: String,
      output: String,
      pauseMillis: Long
  ): DataStreamWriter[org.apache.spark.sql.Row] = {
    val slow = udf { (n: Int) =>
      Thread.sleep(pauseMillis)
      n
    }
    stream(spark, input)
      .where("v:n::int >= 0")
      .withColumn("n", slow(col("n")))
      .writeStream
      .format("variant-shredded")
      .queryName(output)
      .partitionBy("p")
  }

  private def stream(spark: SparkSession, input: String): DataFrame = spark.readStream
    .format("variant-shredded")
    .schema("n INT, p INT, v VARIANT")
    .option("maxFilesPerTrigger", "2")
    .load(input)

  /** Starts the process. */
  def start(input: String, output: String, checkpoint: String, log: Path): Process = {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val main = getClass.getName.stripSuffix("$")
    val command = Seq(java, "-Xmx512m", "-XX:TieredStopAtLevel=1") ++ FaultChild.moduleOptions ++
      Seq(main, input, output, checkpoint)
    val builder = new ProcessBuilder(command: _*)
    builder.environment.put("CLASSPATH", System.getProperty("java.class.path"))
    builder.redirectErrorStream(true).redirectOutput(log.toFile)
    builder.start()
  }
}

package io.github.variantshredded

import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.spark.StreamInternals
import io.github.variantshredded.table.{PartitionColumns, PathSave}
import io.github.variantshredded.write.{StreamedBatch, StreamTarget}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.{classic, DataFrame}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Writes the batches of `df.writeStream.format("variant-shredded").partitionBy(...).start(path)`.
 * Each micro-batch is written like a batch, but is committed to the log of Spark's file sink
 * ([[io.github.variantshredded.write.BatchLog]]), once for each number of a batch.
 *
 * It is a V1 sink, because Spark passes the partition columns to no other kind of sink.
 */
private[variantshredded] final class VariantStreamSink private (
    options: CaseInsensitiveMap[String],
    path: Path,
    partitionColumns: Seq[String]
) extends Sink
    with Logging {

  override def addBatch(batchId: Long, data: DataFrame): Unit = data match {
    case batch: classic.Dataset[_] =>
      val session = SessionSetup.classicSession(batch.sparkSession)
      val query = Option(session.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY))
      val streamed = StreamedBatch(query, batchId)
      val target =
        StreamTarget(session, path, VariantStreamSink.conf(session, options), settings)
      if (!streamed.begin(target))
        logInfo(s"Skipping batch $batchId, which $path has already")
      else {
        val numbered = CaseInsensitiveMap(options.originalMap ++ streamed.options)
        PathSave.add(numbered, path, partitionColumns, StreamInternals.batch(batch.toDF()))
      }
    case other =>
      throw VariantShreddedErrors.unsupported(
        s"A micro-batch of ${other.getClass.getName}",
        "Use the sink in the driver or the Spark Connect server."
      )
  }

  private def settings = new CaseInsensitiveStringMap(options.originalMap.asJava)

  override def toString: String = s"${VariantShreddedSource.ShortName} $path"
}

private[variantshredded] object VariantStreamSink {

  /**
   * Returns the sink of a query that is about to start.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   `STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE` for modes other than append
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   if the directory has data that no stream has written, or is partitioned by other columns
   */
  def apply(
      session: classic.SparkSession,
      parameters: Map[String, String],
      partitionBy: Seq[String],
      mode: OutputMode
  ): VariantStreamSink = {
    if (mode != OutputMode.Append)
      throw StreamInternals.unsupportedOutputMode(VariantShreddedSource.ShortName, mode)
    val options = CaseInsensitiveMap(parameters)
    if (options.contains(DataSourceUtils.CLUSTERING_COLUMNS_KEY)) throw PartitionColumns.clustering
    val settings = new CaseInsensitiveStringMap(options.originalMap.asJava)
    OptionNames.check(settings)
    WriteOptions.All.foreach(_.get(settings))
    val path = new Path(options.getOrElse("path", throw PathSave.missingPath))
    val hadoopConf = conf(session, options)
    val root = Directories.qualified(path, hadoopConf)
    val log = StreamedBatch.log(StreamTarget(session, root, hadoopConf, settings))
    val columns = PartitionColumns.added(
      root,
      log.partitionColumns,
      partitionBy,
      session.sessionState.conf.resolver
    )
    new VariantStreamSink(options, root, columns)
  }

  private def conf(session: classic.SparkSession, options: CaseInsensitiveMap[String]) =
    session.sessionState.newHadoopConfWithOptions(options.originalMap)
}

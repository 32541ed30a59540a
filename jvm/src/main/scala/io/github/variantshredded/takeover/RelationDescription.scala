package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.read.file.FileOverlay
import io.github.variantshredded.read.options.{ReaderConf, ReadOptions, ReadSettings}
import io.github.variantshredded.read.scan.RelationFiles
import io.github.variantshredded.write.ColumnTypes
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Says what this source needs to know of a relation of another source.
 *
 * @param source
 *   the other source
 * @param session
 *   the session in which the relation was made. As in Spark, files are read with its settings,
 *   whatever session runs the query; only `ignoreCorruptFiles` and `ignoreMissingFiles` are those of
 *   the query.
 * @param files
 *   its files
 * @param columns
 *   its columns
 * @param isBucketed
 *   whether Spark may plan joins by the buckets of the table
 * @param overlay
 *   how the relation differs from its files
 */
private[takeover] final case class RelationDescription(
    source: OtherSource,
    session: classic.SparkSession,
    files: FileIndex,
    columns: RelationColumns,
    options: CaseInsensitiveStringMap,
    isBucketed: Boolean = false,
    overlay: FileOverlay = FileOverlay.Empty
) {

  /**
   * Returns the table by which this source reads the relation, or why it cannot.
   *
   * @param ofQuery
   *   the session that runs the query
   */
  def table(ofQuery: classic.SparkSession, relation: LogicalPlan): Either[String, RelationTable] =
    reasonToDecline(ofQuery, relation).toLeft(table)

  /** Returns the table by which this source reads the relation, if there is no reason against it. */
  def table: RelationTable = RelationTable(
    session,
    files match {
      case index: PartitioningAwareFileIndex => index
      case index                             => new RelationFiles(session, index)
    },
    CharVarcharUtils.replaceCharVarcharWithStringInSchema(columns.ofFiles),
    CharVarcharUtils.replaceCharVarcharWithStringInSchema(columns.all),
    readerOptions,
    overlay
  )

  private def readerOptions: CaseInsensitiveStringMap = TakenOverOptions.of(options, source)

  /** Returns why this source cannot read the relation. Does not list its files. */
  def reasonToDecline(queried: classic.SparkSession, relation: LogicalPlan): Option[String] = {
    val ofQuery = queried.sessionState.conf
    val conf = session.sessionState.conf
    // In this order, so that a user reads of the table's option before all other reasons.
    val reasons = Seq(
      !ReadOptions.TakeOverOption.of(options) -> RelationDescription.SwitchedOff,
      relation.isStreaming -> "the query is a stream",
      isBucketed -> "the table is bucketed",
      hasColumnStatistics(ofQuery, relation) ->
        "the cost-based optimizer uses statistics of its columns",
      !conf.parquetVectorizedReaderEnabled ->
        "spark.sql.parquet.enableVectorizedReader is false",
      // Spark's reader of rows uses the default values of some columns, unlike its other reader.
      (source.asSpark && !conf.parquetVectorizedReaderNestedColumnEnabled) ->
        "spark.sql.parquet.enableNestedColumnVectorizedReader is false",
      RelationDescription.isFalse(ofQuery, "spark.sql.variant.allowReadingShredded") ->
        "spark.sql.variant.allowReadingShredded is false",
      // Only if the session says so, whatever the default of its version of Spark is.
      RelationDescription.isFalse(ofQuery, PushDown) -> s"$PushDown is false",
      RelationDescription.has(ofQuery, Archives, "true") -> s"$Archives is true",
      (ReaderConf.hadoop(session, options).get(EncryptionKey) != null) ->
        "the session reads encrypted files",
      (conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(columns.all)) ->
        "its columns are found by field ids",
      (files.partitionSchema != columns.partition) ->
        "its partition columns are not those of its files",
      files.isInstanceOf[MetadataLogFileIndex] -> "its files are in the log of a stream"
    ).collectFirst { case (true, reason) => reason }
    reasons
      .orElse(columns.all.find(field => !ColumnTypes.supported(field.dataType)).map { field =>
        s"the type of its column ${field.name}"
      })
      .orElse {
        val known = columns.all.fieldNames.toSet + FileFormat.METADATA_NAME
        relation.output.map(_.name).find(!known(_)).map(name => s"its column $name")
      }
      .orElse(
        Try(ReadSettings(readerOptions, conf)).failed.toOption
          .map(_.getMessage)
      )
  }

  private def hasColumnStatistics(ofQuery: SQLConf, relation: LogicalPlan): Boolean =
    relation match {
      case logical: LogicalRelation =>
        (ofQuery.cboEnabled || ofQuery.planStatsEnabled) &&
        logical.catalogTable.flatMap(_.stats).exists(_.colStats.nonEmpty)
      case _ => false
    }

  private final val PushDown = "spark.sql.variant.pushVariantIntoScan"

  // Spark 4.3's source reads files in archives then.
  private final val Archives = "spark.sql.files.archive.reader.enabled"

  private final val EncryptionKey = "parquet.crypto.factory.class"
}

private[takeover] object RelationDescription {

  /** The reason to decline a relation whose option `variantShredded.takeOver` is false. */
  final val SwitchedOff = s"its option ${ReadOptions.TakeOverOption.name} is false"

  /** Returns whether a setting that is on by default is off. */
  def isFalse(conf: SQLConf, key: String): Boolean = has(conf, key, "false")

  private def has(conf: SQLConf, key: String, value: String): Boolean =
    Try(conf.getConfString(key)).toOption.exists(_.trim.equalsIgnoreCase(value))

  /** Describes a relation of Data Source V1. */
  def of(source: OtherSource, files: HadoopFsRelation): RelationDescription = RelationDescription(
    source,
    classicSession(files.sparkSession),
    files.location,
    RelationColumns(files.dataSchema, files.partitionSchema, files.schema),
    new CaseInsensitiveStringMap(files.options.asJava),
    files.bucketSpec.isDefined
  )

  /** Returns the session of a relation as the class that Spark's internals need. */
  def classicSession(session: SparkSession): classic.SparkSession = session match {
    case ofSpark: classic.SparkSession => ofSpark
    case other => throw new IllegalStateException(s"A session of ${other.getClass.getName}")
  }
}

package io.github.variantshredded.read.options

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetWriteSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Makes the Hadoop configuration that Spark's Parquet classes expect on the executors. */
private[variantshredded] object ReaderConf {

  // Session settings that Spark's schema converter and read support look up in the Hadoop
  // configuration. Some are plain strings because not every supported Spark version defines a
  // constant for them.
  private val SessionKeys = Seq(
    SQLConf.SESSION_LOCAL_TIMEZONE.key,
    SQLConf.NESTED_SCHEMA_PRUNING_ENABLED.key,
    SQLConf.CASE_SENSITIVE.key,
    SQLConf.PARQUET_BINARY_AS_STRING.key,
    SQLConf.PARQUET_INT96_AS_TIMESTAMP.key,
    SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED.key,
    SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key,
    SQLConf.PARQUET_FIELD_ID_READ_ENABLED.key,
    "spark.sql.parquet.reader.respectUnknownTypeAnnotation.enabled"
  )

  /**
   * Returns the session's Hadoop configuration, overlaid with `options` and with the settings that
   * Spark's schema converter needs.
   */
  def apply(session: classic.SparkSession, options: CaseInsensitiveStringMap): Configuration = {
    val conf = hadoop(session, options)
    val sqlConf = session.sessionState.conf
    SessionKeys.foreach(key => Try(sqlConf.getConfString(key)).foreach(conf.set(key, _)))
    // With this setting, parquet-java trusts bounds of strings that early writers computed in another
    // order; the footers that sessions share would have them.
    conf.unset("parquet.strings.signed-min-max.enabled")
    conf
  }

  /** Returns the same configuration with the settings that a scan of `readDataSchema` needs. */
  def apply(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      readDataSchema: StructType
  ): Configuration = {
    val conf = apply(session, options)
    conf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    conf.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, readDataSchema.json)
    conf.set(ParquetWriteSupport.SPARK_ROW_SCHEMA, readDataSchema.json)
    conf
  }

  /** Returns the session's Hadoop configuration, overlaid with `options`. */
  def hadoop(session: classic.SparkSession, options: CaseInsensitiveStringMap): Configuration =
    session.sessionState.newHadoopConfWithOptions(options.asCaseSensitiveMap.asScala.toMap)
}

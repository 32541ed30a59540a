package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.read.options.{ReaderConf, VariantReadOptions, VariantShreddedOptions}
import io.github.variantshredded.write.ColumnTypes
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, METADATA_COL_ATTR_KEY}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Relations of Spark's Parquet source, by both of its interfaces, as tables of this source. */
private[takeover] object ParquetRelations {

  final val Source = "parquet"

  /** Returns the table for a relation of Spark's first interface, or why there is none. */
  def of(
      session: classic.SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation,
      sources: Set[String]
  ): Option[Either[String, RelationTable]] =
    Option.when(files.fileFormat.getClass == classOf[ParquetFileFormat] && sources(Source)) {
      val described = Described(
        files.location,
        files.dataSchema,
        files.partitionSchema,
        files.schema,
        new CaseInsensitiveStringMap(files.options.asJava)
      )
      val reasons = Seq(
        Option.when(relation.isStreaming)("the query is a stream"),
        Option.when(files.bucketSpec.isDefined)("the table is bucketed"),
        Option.when(hasColumnStatistics(session, relation))(
          "the cost-based optimizer uses statistics of its columns"
        )
      )
      table(session, relation, described, reasons)
    }

  /** Returns the table for a relation of Spark's second interface, or why there is none. */
  def of(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      parquet: ParquetTable,
      sources: Set[String]
  ): Option[Either[String, RelationTable]] = Option.when(sources(Source)) {
    val index = parquet.fileIndex
    val options = parquet.options.asCaseSensitiveMap.asScala ++
      relation.options.asCaseSensitiveMap.asScala
    val described = Described(
      index,
      parquet.dataSchema,
      index.partitionSchema,
      parquet.schema,
      new CaseInsensitiveStringMap(options.asJava)
    )
    table(session, relation, described, Nil)
  }

  /** What both interfaces know of a relation. */
  private final case class Described(
      index: FileIndex,
      fileColumns: StructType,
      partitionColumns: StructType,
      columns: StructType,
      options: CaseInsensitiveStringMap
  )

  private def table(
      session: classic.SparkSession,
      relation: LogicalPlan,
      described: Described,
      reasons: Seq[Option[String]]
  ): Either[String, RelationTable] = {
    val all = reasons ++ reasonsToDecline(session, relation, described)
    all.flatten.headOption.toLeft {
      RelationTable(
        session,
        described.index match {
          case index: PartitioningAwareFileIndex => index
          case index                             => new RelationFiles(session, index)
        },
        CharVarcharUtils.replaceCharVarcharWithStringInSchema(described.fileColumns),
        CharVarcharUtils.replaceCharVarcharWithStringInSchema(described.columns),
        ReaderOptions.of(described.options, Source)
      )
    }
  }

  private def reasonsToDecline(
      session: classic.SparkSession,
      relation: LogicalPlan,
      described: Described
  ): Seq[Option[String]] = {
    val conf = session.sessionState.conf
    val hadoopConf = ReaderConf.hadoop(session, described.options)
    val options = ReaderOptions.of(described.options, Source)
    def setting(key: String): Boolean = Try(conf.getConfString(key)).toOption.contains("false")
    Seq(
      Option.when(VariantShreddedOptions.TakeOverOption.get(described.options).contains(false))(
        s"its option ${VariantShreddedOptions.TakeOverOption.name} is false"
      ),
      Option.when(!conf.parquetVectorizedReaderEnabled)(
        "spark.sql.parquet.enableVectorizedReader is false"
      ),
      Option.when(setting("spark.sql.variant.allowReadingShredded"))(
        "spark.sql.variant.allowReadingShredded is false"
      ),
      Option.when(hadoopConf.get("parquet.crypto.factory.class") != null)(
        "the session reads encrypted files"
      ),
      Option.when(conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(described.columns))(
        "its columns are found by field ids"
      ),
      Option.when(described.index.partitionSchema != described.partitionColumns)(
        "its partition columns are not those of its files"
      ),
      Option.when(described.index.isInstanceOf[MetadataLogFileIndex])(
        "its files are in the log of a stream"
      ),
      described.columns
        .find(field => !ColumnTypes.supported(field.dataType))
        .map(field => s"the type of its column ${field.name}"),
      relation.output.map(_.name).diff(described.columns.fieldNames.toSeq).collectFirst {
        case name if name != FileFormat.METADATA_NAME => s"its column $name"
      },
      relation.output
        .find(column => column.metadata.contains(METADATA_COL_ATTR_KEY))
        .filter(column => column.name != FileFormat.METADATA_NAME)
        .map(column => s"its column ${column.name}"),
      Try(VariantReadOptions(options, conf)).failed.toOption.map(_.getMessage)
    )
  }

  private def hasColumnStatistics(
      session: classic.SparkSession,
      relation: LogicalRelation
  ): Boolean = {
    val conf = session.sessionState.conf
    (conf.cboEnabled || conf.planStatsEnabled) &&
    relation.catalogTable.flatMap(_.stats).exists(_.colStats.nonEmpty)
  }
}

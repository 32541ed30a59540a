package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetTable
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Turns relations of Spark's Parquet source, by both of its interfaces, into tables of this source.
 */
private[takeover] object ParquetRelations {

  final val Source = "parquet"

  private val V1 = OtherSource(Source)

  private val V2 = OtherSource(Source, isV2 = true)

  /**
   * Returns whether a relation is one of Spark's Parquet source, and not of a source derived from
   * it.
   */
  def has(files: HadoopFsRelation): Boolean =
    files.fileFormat.getClass == classOf[ParquetFileFormat]

  /** Returns the same for a table of Data Source V2. */
  def has(table: ParquetTable): Boolean = table.getClass == classOf[ParquetTable]

  /**
   * Returns the table for a relation of Data Source V1, or why there is none.
   *
   * @param filters
   *   predicates that all rows meet that the query needs of the relation
   */
  def of(
      session: classic.SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation,
      filters: => Seq[Expression]
  ): Either[String, RelationTable] = {
    val description = RelationDescription.of(V1, files)
    val found = files.location match {
      case index: CatalogFileIndex =>
        new CatalogFiles(description.session, index, relation, filters)
      case index => index
    }
    description.copy(files = found).table(session, relation)
  }

  /** Returns the table for a relation of Data Source V2, or why there is none. */
  def of(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      parquet: ParquetTable
  ): Either[String, RelationTable] = {
    val index = parquet.fileIndex
    val options = parquet.options.asCaseSensitiveMap.asScala ++
      relation.options.asCaseSensitiveMap.asScala
    RelationDescription(
      V2,
      RelationDescription.classicSession(parquet.sparkSession),
      index,
      RelationColumns(parquet.dataSchema, index.partitionSchema, parquet.schema),
      new CaseInsensitiveStringMap(options.asJava)
    ).table(session, relation)
  }
}

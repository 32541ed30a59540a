package io.github.variantshredded.table.statement

import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.PathSave
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.{classic, Row, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode

/** Runs `INSERT OVERWRITE [LOCAL] DIRECTORY ... USING variant_shredded`. */
private[variantshredded] final case class InsertDirectoryStatement(
    classicSession: classic.SparkSession,
    storage: CatalogStorageFormat,
    query: LogicalPlan,
    overwrite: Boolean
) extends LeafRunnableCommand {

  override def innerChildren: Seq[LogicalPlan] = Seq(query)

  override def run(session: SparkSession): Seq[Row] = {
    val path = storage.locationUri.map(uri => "path" -> CatalogUtils.URIToString(uri))
    val mode = if (overwrite) SaveMode.Overwrite else SaveMode.ErrorIfExists
    PathSave(
      classicSession,
      mode,
      replacesAll ++ storage.properties ++ path,
      TableInternals.rows(classicSession, query)
    )
    Nil
  }

  /** Lets the statement replace the whole directory in every session, as in Spark's sources. */
  private def replacesAll: Map[String, String] = {
    val option = WriteOptions.PartitionOverwrite.name
    if (CaseInsensitiveMap(storage.properties).contains(option)) Map.empty
    else Map(option -> PartitionOverwriteMode.STATIC.toString)
  }
}

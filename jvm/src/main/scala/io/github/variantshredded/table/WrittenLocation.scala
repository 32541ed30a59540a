package io.github.variantshredded.table

import scala.util.control.NonFatal

import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.{CaseClasses, TableInternals}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, V2SessionCatalog}

/**
 * Checks the option `path` of a write to an existing table by name: `saveAsTable` in the mode
 * `append`, `writeTo` and `toTable`. The rows go to the location of the table, so another path
 * is an error, as for Spark's file sources.
 */
private[variantshredded] object WrittenLocation {

  /**
   * Checks a write of a batch query. Spark's file sources ignore the option in `insertInto`, whose
   * columns are found by position.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   Spark's error for a table whose location is another one
   */
  def check(session: classic.SparkSession, write: V2WriteCommand): Unit = write.table match {
    case relation: DataSourceV2Relation =>
      (relation.table, relation.catalog, relation.identifier) match {
        case (table: CatalogedTable, Some(_: V2SessionCatalog), Some(name)) if write.isByName =>
          for {
            path <- CaseInsensitiveMap(options(write)).get("path").filter(_.nonEmpty)
            directory <- table.directory
          } {
            val identifier = TableInternals.identifier(name)
            val location = DeclaredTable.absolute(session, identifier, path)
            if (!isSame(new Path(location), directory, session.sessionState.newHadoopConf())) {
              val entry = session.sessionState.catalog.getTableMetadata(identifier)
              val storage = CaseClasses.copy(entry.storage, "locationUri" -> Some(location))
              val declared = CaseClasses.copy(entry, "storage" -> storage)
              throw TableInternals.mismatchedLocation(entry.identifier, entry, declared)
            }
          }
        case _ => ()
      }
    case _ => ()
  }

  /**
   * Checks the path of a streaming query. A relative one belongs to a database that the table does
   * not know.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def check(directory: Path, path: Option[String], conf: Configuration): Unit =
    path
      .filter(_.nonEmpty)
      .filter(text => new Path(text).isAbsolute)
      .filterNot(text => isSame(new Path(text), directory, conf))
      .foreach { text =>
        val expected = s"the location of the table, '$directory'"
        throw VariantShreddedErrors.invalidOption("path", text, expected)
      }

  private def options(write: V2WriteCommand): Map[String, String] = write match {
    case append: AppendData                    => append.writeOptions
    case overwrite: OverwriteByExpression      => overwrite.writeOptions
    case overwrite: OverwritePartitionsDynamic => overwrite.writeOptions
    case _                                     => Map.empty
  }

  /**
   * Returns whether two paths are one, of which the second is qualified: `s3` may be `s3a`. A path
   * without the name of a host or bucket may be on the file system of the table, as for Spark.
   */
  private def isSame(path: Path, directory: Path, conf: Configuration): Boolean = {
    val asked = Directories.rooted(path)
    val authority = asked.toUri.getAuthority
    def isOfFileSystem =
      try { val _ = directory.getFileSystem(conf).makeQualified(asked); true }
      catch { case NonFatal(_) => false }
    asked.toUri.getPath == directory.toUri.getPath &&
    (authority == null || authority == directory.toUri.getAuthority || isOfFileSystem)
  }
}

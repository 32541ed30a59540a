package io.github.variantshredded.table

import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}

/**
 * Recognises a table or a directory that a format of Spark's first interface, such as `parquet`,
 * replaces. Spark deletes the old files before it runs the query. It refuses this only if the query
 * reads them by such a format too.
 */
private[variantshredded] object OverwrittenTable {

  /** Refuses what `saveAsTable` replaces if the query that replaces it reads its files. */
  def refuseIfRead(session: classic.SparkSession, saved: TableInternals.SavedTable): Unit = {
    val tables = session.sessionState.catalog
    if (tables.tableExists(saved.table)) {
      val metadata = tables.getTableMetadata(saved.table)
      val reads = metadata.storage.locationUri.exists { location =>
        val directory = new TableDirectory(session.sessionState.newHadoopConf(), location)
        readPaths(saved.query).exists(directory.overlaps)
      }
      if (reads) throw TableInternals.overwrittenWhileRead(metadata.identifier)
    }
  }

  /** Returns the paths of the files of this source that the query reads. */
  private def readPaths(query: LogicalPlan): Seq[String] =
    query.collectWithSubqueries { case relation: DataSourceV2Relation =>
      relation.table match {
        case table: CatalogedTable => table.location.toSeq
        case table: PathTable      => table.fileIndex.rootPaths.map(_.toString)
        case _                     => Nil
      }
    }.flatten

  /**
   * Refuses to replace a directory if the query reads a file in it. Other files of the same table
   * may be read, such as those of another partition. Relations of other sources that this source
   * reads are left to Spark's own check.
   */
  def refuseIfRead(session: classic.SparkSession, saved: TableInternals.SavedPath): Unit = {
    val scans = saved.query.collectWithSubqueries { case relation: DataSourceV2ScanRelation =>
      Some(relation.scan).collect { case scan: VariantScan if !scan.isTakenOver => scan }
    }.flatten
    val cached = saved.query.collectWithSubqueries { case relation: InMemoryRelation =>
      relation.cacheBuilder
    }
    // A cached query that has run reads its files again only if a block of it is lost.
    val pathsOfCached =
      cached.filterNot(_.isCachedColumnBuffersLoaded).flatMap(cache => readPaths(cache.logicalPlan))
    if (scans.nonEmpty || pathsOfCached.nonEmpty) {
      val conf = session.sessionState.newHadoopConfWithOptions(saved.options)
      val directory = new TableDirectory(conf, saved.path.toUri)
      if (scans.exists(reads(_, directory)) || pathsOfCached.exists(directory.overlaps)) {
        throw saved.table.fold(TableInternals.overwrittenWhileRead(saved.path))(
          TableInternals.overwrittenWhileRead
        )
      }
    }
  }

  private def reads(scan: VariantScan, directory: TableDirectory): Boolean =
    scan.selectedFiles.exists(_.files.exists(file => directory.contains(file.getPath)))
}

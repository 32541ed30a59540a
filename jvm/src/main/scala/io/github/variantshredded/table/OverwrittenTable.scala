package io.github.variantshredded.table

import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.spark.TableInternals
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.{InMemoryRelation, InMemoryTableScanExec}
import org.apache.spark.sql.execution.datasources.v2.{
  BatchScanExec,
  DataSourceV2Relation,
  DataSourceV2ScanRelation
}

/**
 * Recognizes a table or a directory that a format of Data Source V1, such as `parquet`,
 * replaces. Spark deletes the old files before it runs the query. It refuses this only if the query
 * reads them by such a format too.
 */
private[variantshredded] object OverwrittenTable {

  /** Refuses what `saveAsTable` replaces if the query that replaces it reads its files. */
  def refuseIfRead(session: classic.SparkSession, saved: TableInternals.SavedTable): Unit = {
    val tables = session.sessionState.catalog
    if (tables.tableExists(saved.table.identifier)) {
      val metadata = tables.getTableMetadata(saved.table.identifier)
      val reads = metadata.storage.locationUri.exists { location =>
        val directory = new TableDirectory(session.sessionState.newHadoopConf(), location)
        readPaths(saved.query).exists(directory.overlaps)
      }
      if (reads) throw TableInternals.overwrittenWhileRead(metadata.identifier)
    }
  }

  /** Returns the paths of the files of this source that the query reads. */
  def readPaths(query: LogicalPlan): Seq[String] =
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
    val scans = scansOf(saved.query, loaded = false)
    if (scans.nonEmpty) {
      val conf = session.sessionState.newHadoopConfWithOptions(saved.options)
      val directory = new TableDirectory(conf, saved.path.toUri)
      if (scans.exists(files(_).exists(directory.contains))) {
        throw saved.table.fold(TableInternals.overwrittenWhileRead(saved.path))(
          TableInternals.overwrittenWhileRead
        )
      }
    }
  }

  /** Returns the files of this source that a planned query reads, or has read into a cache. */
  def readFiles(query: LogicalPlan): Seq[Path] = scansOf(query, loaded = true).flatMap(files)

  /**
   * Returns the scans of a query.
   *
   * @param loaded
   *   whether those of cached queries count that have run. These read their files again only if a
   *   block of the cache is lost, or if neither memory nor the disk has it.
   */
  private def scansOf(query: LogicalPlan, loaded: Boolean): Seq[VariantScan] =
    query.collectWithSubqueries {
      case relation: DataSourceV2ScanRelation => own(relation.scan)
      case cached: InMemoryRelation           => scansOf(cached, loaded)
    }.flatten

  private def scansOf(cached: InMemoryRelation, loaded: Boolean): Seq[VariantScan] = {
    val cache = cached.cacheBuilder
    if (!loaded && cache.isCachedColumnBuffersLoaded && cache.storageLevel.useDisk) Nil
    else scansOf(cache.cachedPlan, loaded)
  }

  private def scansOf(plan: SparkPlan, loaded: Boolean): Seq[VariantScan] =
    plan.collectWithSubqueries {
      case adaptive: AdaptiveSparkPlanExec => scansOf(adaptive.executedPlan, loaded)
      case stage: QueryStageExec           => scansOf(stage.plan, loaded)
      case cached: InMemoryTableScanExec   => scansOf(cached.relation, loaded)
      case batch: BatchScanExec            => own(batch.scan)
    }.flatten

  private def own(scan: Scan): Seq[VariantScan] = scan match {
    case scan: VariantScan if !scan.isTakenOver => Seq(scan)
    case _                                      => Nil
  }

  private def files(scan: VariantScan): Seq[Path] =
    scan.selectedFiles.flatMap(_.files).map(_.getPath)
}

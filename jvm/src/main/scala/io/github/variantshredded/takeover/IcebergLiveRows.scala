package io.github.variantshredded.takeover

import java.util.function.Supplier

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.LiveRows
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.data.BaseDeleteLoader
import org.apache.iceberg.deletes.PositionDeleteIndex
import org.apache.iceberg.io.FileIO
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Finds the rows of an Iceberg table's files that no position delete and no deletion vector marks.
 *
 * @param io
 *   opens the files with deletes
 * @param cachedAs
 *   the name of the table in Iceberg's cache of such files, if they are cached
 */
private[takeover] final case class IcebergLiveRows(io: FileIO, cachedAs: Option[String])
    extends LiveRows {
  import IcebergLiveRows._

  override def of(file: PartitionedFile, conf: Configuration): Option[LiveRows.OfFile] = {
    val values = file.otherConstantMetadataColumnValues
    values.get(IcebergFiles.Deletes).map { deletes =>
      val location = values(IcebergFiles.Location).toString
      new Marked({
        val loader = cachedAs.fold(new BaseDeleteLoader(io.newInputFile(_)))(new Cached(io, _))
        loader.loadPositionDeletes(IcebergFiles.deletesOf(deletes).asJava, location)
      })
    }
  }
}

private[takeover] object IcebergLiveRows {

  // Iceberg's cache on an executor. It is called by name: see `IcebergFilters`.
  private final val Cache = "org.apache.iceberg.spark.SparkExecutorCache"

  private val Settings =
    Seq("enabled", "delete-files.enabled").map("spark.sql.iceberg.executor-cache." + _)

  /** Returns whether Iceberg caches files with deletes on the executors. */
  def isCached(session: classic.SparkSession): Boolean = Settings.forall { setting =>
    session.sessionState.conf.getConfString(setting, "true").equalsIgnoreCase("true")
  }

  /** Decodes a file with the deletes of many data files once, as Iceberg's own reader does. */
  private final class Cached(io: FileIO, table: String)
      extends BaseDeleteLoader(io.newInputFile(_)) {

    // It is null if the first session of the process has switched it off.
    private val cache = Option(ByName.loaded(Cache).getMethod("getOrCreate").invoke(null))

    override protected def canCache(size: Long): Boolean =
      cache.map(ByName.call(_, "maxEntrySize")).exists {
        case most: java.lang.Long => size < most
        case _                    => false
      }

    override protected def getOrLoad[V](key: String, load: Supplier[V], size: Long): V =
      ByName.call(cache.get, "getOrLoad", table, key, load, Long.box(size)).asInstanceOf[V]
  }

  private final class Marked(load: => PositionDeleteIndex) extends LiveRows.OfFile {
    private lazy val deleted = load

    override def read(first: Long, count: Int, isLive: Array[Boolean]): Unit = {
      var row = 0
      while (row < count) {
        isLive(row) = !deleted.isDeleted(first + row)
        row += 1
      }
    }
  }
}

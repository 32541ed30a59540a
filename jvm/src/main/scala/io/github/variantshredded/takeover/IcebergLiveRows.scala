package io.github.variantshredded.takeover

import java.util.Arrays

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.LiveRows
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.data.BaseDeleteLoader
import org.apache.iceberg.deletes.PositionDeleteIndex
import org.apache.iceberg.io.FileIO
import org.apache.spark.sql.execution.datasources.PartitionedFile

/**
 * Finds the rows of an Iceberg table's files that no position delete and no deletion vector marks.
 *
 * @param io
 *   opens the files with deletes
 */
private[takeover] final case class IcebergLiveRows(io: FileIO) extends LiveRows {
  import IcebergLiveRows._

  override def of(file: PartitionedFile, conf: Configuration): Option[LiveRows.OfFile] = {
    val values = file.otherConstantMetadataColumnValues
    values.get(IcebergFiles.Deletes).map { deletes =>
      val loader = new BaseDeleteLoader(delete => io.newInputFile(delete))
      val location = values(IcebergFiles.Location).toString
      new Marked(loader.loadPositionDeletes(IcebergFiles.deletesOf(deletes).asJava, location))
    }
  }
}

private object IcebergLiveRows {

  private final class Marked(index: PositionDeleteIndex) extends LiveRows.OfFile {

    private val deleted: Array[Long] = {
      val rows = Array.newBuilder[Long]
      index.forEach(row => rows += row: Unit)
      val sorted = rows.result()
      Arrays.sort(sorted)
      sorted
    }

    override def read(first: Long, count: Int, isLive: Array[Boolean]): Unit = {
      Arrays.fill(isLive, 0, count, true)
      val found = Arrays.binarySearch(deleted, first)
      var at = if (found < 0) -found - 1 else found
      while (at < deleted.length && deleted(at) < first + count) {
        isLive((deleted(at) - first).toInt) = false
        at += 1
      }
    }
  }
}

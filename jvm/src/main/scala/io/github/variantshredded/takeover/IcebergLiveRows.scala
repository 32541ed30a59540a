package io.github.variantshredded.takeover

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
      val location = values(IcebergFiles.Location).toString
      new Marked({
        val loader = new BaseDeleteLoader(delete => io.newInputFile(delete))
        loader.loadPositionDeletes(IcebergFiles.deletesOf(deletes).asJava, location)
      })
    }
  }
}

private object IcebergLiveRows {

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

package io.github.variantshredded.takeover

import io.github.variantshredded.read.file.LiveRows
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.ByteType

/**
 * Finds the rows of a Delta table's files that no deletion vector marks. Delta Lake's own classes
 * read the vectors; they are not on the class path of this source, so they are called by name.
 *
 * @param table
 *   the directory of the table, to which the paths of deletion vectors are relative
 */
private[takeover] final case class DeltaLiveRows(table: String) extends LiveRows {
  import DeltaLiveRows._

  override def of(file: PartitionedFile, conf: Configuration): Option[LiveRows.OfFile] = {
    val values = file.otherConstantMetadataColumnValues
    (values.get(Vector), values.get(Kind)) match {
      case (None, None)                             => None
      case (Some(encoded: String), Some(kind: Any)) =>
        Some(new Marked(filter(encoded, kind.toString, conf)))
      case other => throw new IllegalStateException(s"The deletion vector of $file: $other")
    }
  }

  /** Reads a deletion vector. */
  private def filter(encoded: String, kind: String, conf: Configuration): AnyRef = {
    val descriptor = loaded("actions.DeletionVectorDescriptor")
    val vector =
      ByName.invoke(descriptor.getMethod("deserializeFromBase64", classOf[String]), null, encoded)
    val filters = builder(kind)
    ByName.invoke(
      filters.getClass
        .getMethod("createInstance", descriptor, classOf[Configuration], classOf[Option[_]]),
      filters,
      vector,
      conf,
      Some(new Path(table))
    )
  }

  /** Returns the object that makes the filter: it drops the marked rows, or keeps only these. */
  private def builder(kind: String): AnyRef = {
    val name = kind match {
      case "IF_CONTAINED"     => "DropMarkedRowsFilter"
      case "IF_NOT_CONTAINED" => "KeepMarkedRowsFilter"
      case other => throw new IllegalStateException(s"A deletion vector that is $other")
    }
    loaded(s"deletionvectors.$name$$").getField("MODULE$").get(null)
  }
}

private object DeltaLiveRows {
  // The names under which Delta Lake's index gives them with a file.
  final val Vector = "row_index_filter_id_encoded"
  final val Kind = "row_index_filter_type"

  private def loaded(name: String): Class[_] =
    ByName.loaded(s"org.apache.spark.sql.delta.$name")

  private final class Marked(load: => AnyRef) extends LiveRows.OfFile {
    private lazy val filter = load

    private val method = loaded("RowIndexFilter").getMethod(
      "materializeIntoVector",
      classOf[Long],
      classOf[Long],
      classOf[WritableColumnVector]
    )

    override def read(first: Long, count: Int, isLive: Array[Boolean]): Unit = {
      val marks = new OnHeapColumnVector(count, ByteType)
      val _ = ByName.invoke(method, filter, Long.box(first), Long.box(first + count), marks)
      var row = 0
      while (row < count) {
        isLive(row) = marks.getByte(row) == 0
        row += 1
      }
    }
  }
}

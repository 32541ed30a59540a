package io.github.variantshredded.read.file

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.RequestedColumns
import io.github.variantshredded.read.options.{ReadMetrics, ReadSettings}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Reads [[MemoryFile]] through [[VariantFileReader]]. */
object MemoryRows {

  /**
   * @param columns
   *   read as they are
   * @param schema
   *   of the whole file
   * @param row
   *   applied while the row's batch is valid
   */
  def read[T](
      columns: StructType,
      schema: StructType,
      extractions: Seq[ScanExtraction],
      conjuncts: Seq[Conjunct],
      limit: Option[Int],
      options: ReadSettings
  )(row: InternalRow => T): Vector[T] = {
    val path = MemoryFile.split.toPath
    val reader = new VariantFileReader(
      MemoryFile.split,
      path.getFileSystem(MemoryFile.conf).getFileStatus(path),
      MemoryFile.conf,
      ReadPlan(
        RequestedColumns(columns, schema, extractions),
        UnfetchedColumns(),
        conjuncts,
        limit,
        options
      ),
      new ReadMetrics
    )
    try {
      val found = mutable.ArrayBuffer.empty[T]
      while (reader.next()) reader.get().rowIterator().asScala.foreach(found += row(_))
      found.toVector
    } finally reader.close()
  }
}

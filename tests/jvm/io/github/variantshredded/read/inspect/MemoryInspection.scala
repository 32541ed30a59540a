package io.github.variantshredded.read.inspect

import scala.collection.mutable

import io.github.variantshredded.read.file.MemoryFile
import io.github.variantshredded.read.options.ReadSettings
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** What `variant-shredded-files` says of [[MemoryFile]]. */
object MemoryInspection {
  val schema: StructType = FilesTableColumn.schema

  def read[T](options: ReadSettings)(row: InternalRow => T): Vector[T] = {
    val columns = schema.fields.map(FilesTableColumn.of)
    val inspector =
      new FileInspector(MemoryFile.split, MemoryFile.conf, columns, new StructType, 100, options)
    try {
      val found = mutable.ArrayBuffer.empty[T]
      while (inspector.next()) found += row(inspector.get())
      found.toVector
    } finally inspector.close()
  }
}

package io.github.variantshredded.table

import io.github.variantshredded.read.columns.FileMetadata
import org.apache.spark.sql.connector.catalog.{MetadataColumn, SupportsMetadataColumns}

/** Adds the column `_metadata` to a table, which queries get only if they name it. */
private[variantshredded] trait WithFileMetadata extends SupportsMetadataColumns {

  override def metadataColumns(): Array[MetadataColumn] = Array(FileMetadata.column)

  // As in Spark's file sources: a column of the files with the same name comes first, and
  // `df.metadataColumn("_metadata")` finds this one.
  override def canRenameConflictingMetadataColumns(): Boolean = true
}

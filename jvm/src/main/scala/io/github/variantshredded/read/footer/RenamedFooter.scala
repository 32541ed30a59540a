package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.DottedNames
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  ParquetMetadata
}
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.schema.{MessageType, PrimitiveType}

/** Makes footers in which columns have other names. The bytes that they describe are the same. */
private[read] object RenamedFooter {

  /**
   * Returns the footer with the names of the table.
   *
   * @param names
   *   the names; None if the names of the file are those of the table
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if the file does not have the columns of the table
   */
  def apply(footer: FooterCache.Footer, names: Option[ColumnNames]): FooterCache.Footer =
    names.fold(footer)(renamed(footer, _))

  private def renamed(footer: FooterCache.Footer, names: ColumnNames): FooterCache.Footer = {
    val file = footer.metadata.getFileMetaData
    // The names of encrypted columns are needed for their keys.
    require(file.getEncryptionType == EncryptionType.UNENCRYPTED, "The file is encrypted")
    val schema = names.rename(file.getSchema)
    if (schema == file.getSchema) footer else renamed(footer, schema)
  }

  private def renamed(footer: FooterCache.Footer, schema: MessageType): FooterCache.Footer = {
    val file = footer.metadata.getFileMetaData
    val paths = file.getSchema.getPaths.asScala
      .zip(schema.getPaths.asScala)
      .map { case (before, after) =>
        ColumnPath.get(before: _*) -> ColumnPath.get(after: _*)
      }
      .toMap
    // Their bloom filters may be those of other leaf columns, which the new names would hide.
    val shared = DottedNames.shared(file.getSchema).map(path => ColumnPath.get(path: _*))
    new FooterCache.Footer(
      new ParquetMetadata(
        FooterCopies.withSchema(file, schema),
        footer.metadata.getBlocks.asScala.map(renamed(_, schema, paths, shared)).asJava
      ),
      footer.indexes
    )
  }

  private def renamed(
      rowGroup: BlockMetaData,
      schema: MessageType,
      paths: Map[ColumnPath, ColumnPath],
      withoutBloomFilter: Set[ColumnPath]
  ): BlockMetaData = FooterCopies.withChunks(
    rowGroup,
    rowGroup.getColumns.asScala.map { chunk =>
      // A chunk of no leaf of the schema is left as it is.
      paths.get(chunk.getPath).fold(chunk) { path =>
        val isShared = withoutBloomFilter(chunk.getPath)
        if (path == chunk.getPath && !isShared) chunk
        else {
          val copy = renamed(chunk, schema, path)
          if (isShared) copy.setBloomFilterOffset(FooterCopies.NoBloomFilter)
          copy
        }
      }
    }
  )

  private def renamed(
      chunk: ColumnChunkMetaData,
      schema: MessageType,
      path: ColumnPath
  ): ColumnChunkMetaData = {
    val column: PrimitiveType = schema.getType(path.toArray: _*).asPrimitiveType
    FooterCopies.chunk(chunk, path, column, chunk.getStatistics, chunk.getEncodingStats)
  }
}

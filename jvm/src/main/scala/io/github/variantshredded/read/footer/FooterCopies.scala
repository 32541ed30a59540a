package io.github.variantshredded.read.footer

import org.apache.parquet.column.EncodingStats
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  FileMetaData
}
import org.apache.parquet.schema.{MessageType, PrimitiveType}

/** Copies parts of a footer, with changes. */
private[read] object FooterCopies {

  /** The offset of the bloom filter, as parquet-java says it, of a chunk that has none. */
  final val NoBloomFilter = -1L

  /** Returns the metadata of a file with another schema. */
  def withSchema(file: FileMetaData, schema: MessageType): FileMetaData = new FileMetaData(
    schema,
    file.getKeyValueMetaData,
    file.getCreatedBy,
    file.getEncryptionType,
    file.getFileDecryptor
  )

  /** Returns a row group with other chunks. */
  def withChunks(rowGroup: BlockMetaData, chunks: Iterable[ColumnChunkMetaData]): BlockMetaData = {
    val made = new BlockMetaData
    made.setPath(rowGroup.getPath)
    made.setRowCount(rowGroup.getRowCount)
    made.setRowIndexOffset(rowGroup.getRowIndexOffset)
    made.setTotalByteSize(rowGroup.getTotalByteSize)
    made.setOrdinal(rowGroup.getOrdinal)
    chunks.foreach(made.addColumn)
    made
  }

  /**
   * Returns a chunk with another path, type and statistics.
   *
   * @param encodings
   *   the encodings by type of page; null if unknown
   */
  def chunk(
      chunk: ColumnChunkMetaData,
      path: ColumnPath,
      column: PrimitiveType,
      statistics: Statistics[_],
      encodings: EncodingStats
  ): ColumnChunkMetaData = {
    val made = ColumnChunkMetaData.get(
      path,
      column,
      chunk.getCodec,
      encodings,
      chunk.getEncodings,
      statistics,
      chunk.getFirstDataPageOffset,
      chunk.getDictionaryPageOffset,
      chunk.getValueCount,
      chunk.getTotalSize,
      chunk.getTotalUncompressedSize,
      chunk.getSizeStatistics
    )
    made.setRowGroupOrdinal(chunk.getRowGroupOrdinal)
    made.setColumnIndexReference(chunk.getColumnIndexReference)
    made.setOffsetIndexReference(chunk.getOffsetIndexReference)
    made.setBloomFilterOffset(chunk.getBloomFilterOffset)
    made.setBloomFilterLength(chunk.getBloomFilterLength)
    made
  }
}

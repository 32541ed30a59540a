package io.github.variantshredded.read.decode

/** Decodes leaf columns of a file, batch by batch. */
private[read] trait BatchDecoding {

  /** Prepares for the next row group. */
  def startRowGroup(rowGroup: FetchedRowGroup): Unit

  /** Decodes the next `rows` rows. */
  def readBatch(rows: Int): Unit

  def close(): Unit
}

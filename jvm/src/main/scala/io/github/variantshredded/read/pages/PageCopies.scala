package io.github.variantshredded.read.pages

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.{DataPage, DataPageV1, DataPageV2}

/** Makes copies of data pages with other bytes, which are not compressed. */
private[pages] object PageCopies {

  /**
   * Returns a copy of a page of version 1.
   *
   * @param input
   *   levels and values
   * @param encoding
   *   the encoding of the values
   */
  def v1(page: DataPageV1, input: BytesInput, encoding: Encoding): DataPage =
    if (page.getFirstRowIndex.isPresent) {
      new DataPageV1(
        input,
        page.getValueCount,
        page.getUncompressedSize,
        page.getFirstRowIndex.get,
        page.getIndexRowCount.get,
        page.getStatistics,
        page.getRlEncoding,
        page.getDlEncoding,
        encoding
      )
    } else {
      new DataPageV1(
        input,
        page.getValueCount,
        page.getUncompressedSize,
        page.getStatistics,
        page.getRlEncoding,
        page.getDlEncoding,
        encoding
      )
    }

  /**
   * Returns a copy of a page of version 2.
   *
   * @param values
   *   the values, without levels
   * @param encoding
   *   their encoding
   */
  def v2(
      page: DataPageV2,
      repetition: BytesInput,
      definition: BytesInput,
      values: BytesInput,
      encoding: Encoding
  ): DataPage =
    if (page.getFirstRowIndex.isPresent) {
      DataPageV2.uncompressed(
        page.getRowCount,
        page.getNullCount,
        page.getValueCount,
        page.getFirstRowIndex.get,
        repetition,
        definition,
        encoding,
        values,
        page.getStatistics
      )
    } else {
      DataPageV2.uncompressed(
        page.getRowCount,
        page.getNullCount,
        page.getValueCount,
        repetition,
        definition,
        encoding,
        values,
        page.getStatistics
      )
    }
}

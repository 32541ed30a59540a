package io.github.variantshredded.read.pages

import java.io.ByteArrayOutputStream

import org.apache.parquet.bytes.{ByteBufferInputStream, BytesInput, BytesUtils}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.page.{DataPage, DictionaryPage}
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder

/**
 * Converts pages of a VOID column of which rows are skipped. Spark's decoder cannot skip any value
 * of such a column, and tries to skip zero values in each bit-packed run of definition levels. So
 * the levels are converted to runs of one repeated level.
 */
private[read] final class VoidPages(stored: ColumnDescriptor) extends PageConversion {
  private val width = BytesUtils.getWidthFromMaxInt(stored.getMaxDefinitionLevel)

  override private[pages] def dictionary(page: DictionaryPage): DictionaryPage = page

  override private[pages] def data(page: PageParts): DataPage =
    if (width == 0) page.page else page.withDefinition(repeatedRuns(page))

  private def repeatedRuns(page: PageParts): BytesInput = {
    val levels =
      new RunLengthBitPackingHybridDecoder(width, ByteBufferInputStream.wrap(page.definition))
    val out = new ByteArrayOutputStream
    var level = 0
    var length = 0
    def endRun(): Unit = if (length > 0) {
      BytesUtils.writeUnsignedVarInt(length << 1, out)
      BytesUtils.writeIntLittleEndianPaddedOnBitWidth(out, level, width)
    }
    var left = page.page.getValueCount
    while (left > 0) {
      val next = levels.readInt()
      if (next != level) {
        endRun()
        level = next
        length = 0
      }
      length += 1
      left -= 1
    }
    endRun()
    BytesInput.from(out.toByteArray)
  }
}

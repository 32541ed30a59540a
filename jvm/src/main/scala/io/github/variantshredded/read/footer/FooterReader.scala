package io.github.variantshredded.read.footer

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.charset.StandardCharsets.US_ASCII

import scala.jdk.CollectionConverters._

import io.github.variantshredded.variant.LittleEndian
import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.format.{ColumnMetaData, FileMetaData, Type, Util}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.apache.parquet.format.converter.ParquetMetadataConverter.NO_FILTER
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.io.InputFile

/**
 * Reads the footer of a file.
 *
 * parquet-java fails if a min or max in the statistics of a chunk is too short for the type of the
 * column. Such a file is read without these bounds. Statistics that the writer may have got wrong
 * are left out, too ([[CorrectedFooter]]).
 */
private[read] object FooterReader {

  /** Reads a footer for the cache. */
  def read(
      input: InputFile,
      options: ParquetReadOptions,
      tail: FileTail,
      file: FileStatus
  ): FooterCache.Footer = {
    val metadata = read(input, options, tail)
    new FooterCache.Footer(metadata, IndexBytes.of(file, metadata.getBlocks.asScala, tail))
  }

  /**
   * Reads a footer as `ParquetFileReader.readFooter` does, without invalid bounds and wrong
   * statistics.
   *
   * @param tail
   *   the end of the file
   */
  def read(file: InputFile, options: ParquetReadOptions, tail: FileTail): ParquetMetadata =
    CorrectedFooter.of(parse(file, options, tail))

  private def parse(file: InputFile, options: ParquetReadOptions, tail: FileTail): ParquetMetadata =
    try ParquetFileReader.readFooter(file, options, tail.newStream())
    catch {
      // parquet-java throws these for invalid bounds, but for other reasons too.
      case e @ (_: IndexOutOfBoundsException | _: IllegalArgumentException) =>
        plainFooter(tail)
          .filter(footer => !footer.isSetEncryption_algorithm && dropImpossibleBounds(footer))
          .map(convert(_, options))
          .getOrElse(throw e)
    }

  /** Returns the footer as it is in the file, or None if it is encrypted. */
  private def plainFooter(tail: FileTail): Option[FileMetaData] = {
    val bytes = tail.bytes
    val end = bytes.length - 8
    Option.when(new String(bytes, end + 4, 4, US_ASCII) == "PAR1") {
      // parquet-java has already checked that the footer lies within the file.
      val size = LittleEndian.getInt(bytes, end)
      Util.readFileMetaData(new ByteArrayInputStream(bytes, end - size, size))
    }
  }

  /** Removes invalid bounds. Returns true if any were removed. */
  private def dropImpossibleBounds(footer: FileMetaData): Boolean = {
    val chunks = footer.getRow_groups.asScala.flatMap(_.getColumns.asScala)
    val impossible = chunks.filter(_.isSetMeta_data).map(_.getMeta_data).filter(hasImpossibleBounds)
    impossible.map(_.getStatistics).foreach { statistics =>
      statistics.unsetMin()
      statistics.unsetMax()
      statistics.unsetMin_value()
      statistics.unsetMax_value()
    }
    impossible.nonEmpty
  }

  private def hasImpossibleBounds(chunk: ColumnMetaData): Boolean = chunk.isSetStatistics && {
    val statistics = chunk.getStatistics
    val bounds = Seq(
      statistics.getMin,
      statistics.getMax,
      statistics.getMin_value,
      statistics.getMax_value
    )
    bounds.exists(bound => bound != null && !isPossible(chunk.getType, bound.length))
  }

  private def isPossible(physical: Type, size: Int): Boolean = physical match {
    case Type.BOOLEAN             => size == 1
    case Type.INT32 | Type.FLOAT  => size == 4
    case Type.INT64 | Type.DOUBLE => size == 8
    case Type.BYTE_ARRAY          => true
    // The other types are fixed-length byte arrays and INT96. Of these, parquet-java reads only the
    // bounds of FLOAT16, which take two bytes.
    case _ => size > 1
  }

  private def convert(footer: FileMetaData, options: ParquetReadOptions): ParquetMetadata = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, out)
    new ParquetMetadataConverter(options)
      .readParquetMetadata(new ByteArrayInputStream(out.toByteArray), NO_FILTER)
  }
}

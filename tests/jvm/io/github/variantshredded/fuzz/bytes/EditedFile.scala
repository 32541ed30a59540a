package io.github.variantshredded.fuzz.bytes

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.util.zip.CRC32

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.github.variantshredded.read.file.{PageEdit, ParquetFixture}
import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.format.{
  BloomFilterHeader,
  ColumnIndex,
  ColumnMetaData,
  FileMetaData,
  OffsetIndex,
  PageHeader,
  PageType,
  Util
}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** A file in parts that can be changed; [[assemble]] makes all offsets in it right again. */
final class EditedFile(original: Array[Byte]) {
  import EditedFile._

  val footer: FileMetaData = ParquetFixture.footer(original)
  private val footerStart = ParquetFixture.footerStart(original)

  private val chunks: Seq[ColumnMetaData] =
    footer.getRow_groups.asScala.toSeq.flatMap(_.getColumns.asScala).map(_.getMeta_data)

  val pages: Vector[Page] = {
    val codecs = chunks.map(c => c.getPath_in_schema.asScala.mkString(".") -> c.getCodec).toMap
    PageEdit.pages(original).toVector.map { case (leaf, at) =>
      val codec = CompressionCodecName.fromParquet(codecs(leaf))
      new Page(at.start, at.end, at.header, original.slice(at.body, at.end), codec)
    }
  }

  /** Column indexes, offset indexes and headers of bloom filters. */
  val others: Vector[Structure] = {
    def parsed[T <: AnyRef](offset: Long, length: Int)(read: ByteArrayInputStream => T) = {
      val in = new ByteArrayInputStream(original, offset.toInt, length)
      val before = in.available
      val struct = read(in)
      new Structure(offset.toInt, offset.toInt + before - in.available, struct)
    }
    footer.getRow_groups.asScala.toVector.flatMap(_.getColumns.asScala).flatMap { chunk =>
      val meta = chunk.getMeta_data
      Seq(
        Option.when(chunk.isSetColumn_index_offset)(
          parsed(chunk.getColumn_index_offset, chunk.getColumn_index_length)(
            Util.readColumnIndex(_)
          )
        ),
        Option.when(chunk.isSetOffset_index_offset)(
          parsed(chunk.getOffset_index_offset, chunk.getOffset_index_length)(
            Util.readOffsetIndex(_)
          )
        ),
        Option.when(meta.isSetBloom_filter_offset)(
          parsed(meta.getBloom_filter_offset, footerStart - meta.getBloom_filter_offset.toInt)(
            Util.readBloomFilterHeader(_)
          )
        )
      ).flatten
    }
  }

  /** Changes that come after the offsets have been made right. */
  val late: mutable.ArrayBuffer[() => Unit] = mutable.ArrayBuffer.empty

  /** None if what was changed cannot be written. */
  def assemble(): Option[Array[Byte]] =
    try {
      val parts = (pages ++ others).sortBy(_.start)
      val grown = parts.map(part => part.start -> (part.bytes.length - (part.end - part.start)))
      move(grown)
      late.foreach(_())
      val out = new ByteArrayOutputStream
      val end = parts.foldLeft(0) { (at, part) =>
        out.write(original, at, part.start - at)
        out.write(part.bytes)
        part.end
      }
      out.write(original, end, footerStart - end)
      Some(ParquetFixture.assemble(out.toByteArray, footer))
    } catch { case NonFatal(_) => None }

  private def move(grown: Seq[(Int, Int)]): Unit = if (grown.exists(_._2 != 0)) {
    def moved(offset: Long): Long = offset + grown.iterator.takeWhile(_._1 < offset).map(_._2).sum
    def size(start: Long, length: Long): Long =
      length + grown.iterator.filter(g => g._1 >= start && g._1 < start + length).map(_._2).sum
    others.map(_.struct).foreach {
      case index: OffsetIndex =>
        index.getPage_locations.asScala.foreach { page =>
          val length = size(page.getOffset, page.getCompressed_page_size.toLong)
          page.setCompressed_page_size(length.toInt)
          page.setOffset(moved(page.getOffset))
        }
      case _ => ()
    }
    footer.getRow_groups.asScala.flatMap(_.getColumns.asScala).foreach { chunk =>
      val meta = chunk.getMeta_data
      val dictionary =
        if (meta.isSetDictionary_page_offset) meta.getDictionary_page_offset else Long.MaxValue
      val start = math.min(dictionary, meta.getData_page_offset)
      meta.setTotal_compressed_size(size(start, meta.getTotal_compressed_size))
      meta.setData_page_offset(moved(meta.getData_page_offset))
      if (meta.isSetDictionary_page_offset)
        meta.setDictionary_page_offset(moved(meta.getDictionary_page_offset))
      if (meta.isSetBloom_filter_offset)
        meta.setBloom_filter_offset(moved(meta.getBloom_filter_offset))
      if (chunk.isSetColumn_index_offset)
        chunk.setColumn_index_offset(moved(chunk.getColumn_index_offset))
      if (chunk.isSetOffset_index_offset)
        chunk.setOffset_index_offset(moved(chunk.getOffset_index_offset))
    }
  }
}

object EditedFile {
  private val codecs = new CodecFactory(new Configuration(false), 1024)

  /** More bytes than any page of the seed files has. */
  private final val MaxBytes = 1 << 24

  sealed abstract class Part(val start: Int, val end: Int) {
    def bytes: Array[Byte]
  }

  final class Structure(start: Int, end: Int, val struct: AnyRef) extends Part(start, end) {
    override def bytes: Array[Byte] = written { out =>
      struct match {
        case index: ColumnIndex        => Util.writeColumnIndex(index, out)
        case index: OffsetIndex        => Util.writeOffsetIndex(index, out)
        case header: BloomFilterHeader => Util.writeBloomFilterHeader(header, out)
        case other                     => throw new IllegalArgumentException(s"$other")
      }
    }
  }

  final class Page(
      start: Int,
      end: Int,
      val header: PageHeader,
      var body: Array[Byte],
      codec: CompressionCodecName
  ) extends Part(start, end) {
    override def bytes: Array[Byte] = written(Util.writePageHeader(header, _)) ++ body

    // Levels of version 2 stand before what is compressed.
    private def levels: Int =
      if (header.getType != PageType.DATA_PAGE_V2) 0
      else {
        val v2 = header.getData_page_header_v2
        v2.getDefinition_levels_byte_length + v2.getRepetition_levels_byte_length
      }

    private def isCompressed: Boolean = codec != CompressionCodecName.UNCOMPRESSED &&
      (header.getType != PageType.DATA_PAGE_V2 || header.getData_page_header_v2.isIs_compressed)

    private def plain: Array[Byte] =
      if (!isCompressed) body
      else {
        val (before, packed) = body.splitAt(levels)
        val size = header.getUncompressed_page_size - before.length
        require(size >= 0 && size <= MaxBytes, "An earlier change gave the page another size.")
        val unpacked = codecs.getDecompressor(codec).decompress(BytesInput.from(packed), size)
        before ++ unpacked.toInputStream.readAllBytes()
      }

    /**
     * Changes what is in the page, before compression.
     *
     * @param fixesChecksum
     *   whether the checksum is that of the new content, if there is one
     */
    def edit(fixesChecksum: Boolean)(change: Array[Byte] => Array[Byte]): Unit = {
      val before = levels
      val changed = change(plain)
      header.setUncompressed_page_size(changed.length)
      body =
        if (!isCompressed) changed
        else {
          val packed = codecs.getCompressor(codec).compress(BytesInput.from(changed.drop(before)))
          changed.take(before) ++ packed.toInputStream.readAllBytes()
        }
      header.setCompressed_page_size(body.length)
      if (header.isSetCrc) {
        val crc = new CRC32
        crc.update(body)
        val checksum = crc.getValue.toInt
        if (fixesChecksum) header.setCrc(checksum): Unit
        // gzip ends with the same checksum of its content, which can cancel a change of the content.
        else require(header.getCrc != checksum, "The page has the checksum that it had before.")
      }
    }
  }

  private def written(write: OutputStream => Unit): Array[Byte] = {
    val out = new ByteArrayOutputStream
    write(out)
    out.toByteArray
  }
}

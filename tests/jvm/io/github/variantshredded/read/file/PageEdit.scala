package io.github.variantshredded.read.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{ColumnMetaData, FileMetaData, PageHeader, Util}

/**
 * A page of a file.
 *
 * @param start
 *   of the header
 * @param body
 *   where the header ends
 */
final case class PageAt(start: Int, body: Int, header: PageHeader) {
  def end: Int = body + header.getCompressed_page_size
}

/** Finds pages in small files, and changes their headers. */
object PageEdit {

  private def chunks(footer: FileMetaData): Seq[ColumnMetaData] =
    footer.getRow_groups.asScala.toSeq.flatMap(_.getColumns.asScala).map(_.getMeta_data)

  private def start(chunk: ColumnMetaData): Long =
    if (chunk.isSetDictionary_page_offset && chunk.getDictionary_page_offset > 0) {
      math.min(chunk.getDictionary_page_offset, chunk.getData_page_offset)
    } else {
      chunk.getData_page_offset
    }

  /** The pages of every column chunk, by the path of the leaf. */
  def pages(file: Array[Byte]): Seq[(String, PageAt)] =
    chunks(ParquetFixture.footer(file)).flatMap { chunk =>
      val first = start(chunk).toInt
      val end = first + chunk.getTotal_compressed_size.toInt
      Iterator
        .unfold(first) { at =>
          Option.when(at < end) {
            val in = new ByteArrayInputStream(file, at, end - at)
            val header = Util.readPageHeader(in)
            val page = PageAt(at, end - in.available, header)
            page -> page.end
          }
        }
        .map(chunk.getPath_in_schema.asScala.mkString(".") -> _)
    }

  /** Changes the header of the first page of `leaf` of which `isWanted` holds. */
  def editHeader(path: Path, leaf: String, isWanted: PageHeader => Boolean = _ => true)(
      edit: PageHeader => Unit
  ): Unit = editPage(path, leaf, isWanted) { (header, body) =>
    edit(header)
    body
  }

  /** Changes the header, and replaces the bytes, of the first page of `leaf` with `isWanted`. */
  def editPage(path: Path, leaf: String, isWanted: PageHeader => Boolean = _ => true)(
      edit: (PageHeader, Array[Byte]) => Array[Byte]
  ): Unit = {
    val file = Files.readAllBytes(path)
    val page =
      pages(file).collectFirst { case (`leaf`, page) if isWanted(page.header) => page }.get
    val end = page.end
    val body = edit(page.header, file.slice(page.body, end))
    val out = new ByteArrayOutputStream
    Util.writePageHeader(page.header, out)
    out.writeBytes(body)
    val grown = out.size - (end - page.start)
    val footer = ParquetFixture.footer(file)
    chunks(footer).foreach { chunk =>
      def moved(offset: Long) = if (offset > page.start) offset + grown else offset
      val isOwn =
        start(chunk) <= page.start && page.start < start(chunk) + chunk.getTotal_compressed_size
      if (isOwn) chunk.setTotal_compressed_size(chunk.getTotal_compressed_size + grown)
      chunk.setData_page_offset(moved(chunk.getData_page_offset))
      if (chunk.isSetDictionary_page_offset) {
        chunk.setDictionary_page_offset(moved(chunk.getDictionary_page_offset))
      }
    }
    val edited = file.take(page.start) ++ out.toByteArray ++
      file.slice(end, ParquetFixture.footerStart(file))
    Files.write(path, ParquetFixture.assemble(edited, footer)): Unit
  }
}

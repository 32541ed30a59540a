package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.file.ParquetFixture.{bytes, Row}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.testing.VariantTreeEncoder
import org.apache.parquet.bytes.BytesUtils
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.format.{
  ColumnMetaData,
  CompressionCodec,
  Encoding,
  FileMetaData,
  PageType,
  RowGroup => FormatRowGroup
}
import org.apache.parquet.hadoop.metadata.CompressionCodecName

/** Parquet files that are broken below the level of Variants. */
object MalformedParquet {
  import Permissive.Refused

  private val schema = variant(
    "optional binary value; optional group typed_value { " +
      "required group id { optional binary value; optional int64 typed_value; } " +
      "required group name { optional binary value; optional binary typed_value (STRING); } " +
      "required group tags { optional binary value; optional group typed_value (LIST) { " +
      "repeated group list { required group element { optional binary value; " +
      "optional binary typed_value (STRING); } } } } }"
  )

  private val names = Vector("id", "name", "other", "tags")

  private val dictionary = VariantTreeEncoder.metadata(names, sorted = true, 1)

  private def row(i: Int): Row = if (i % 10 == 9) Map() else Map("v" -> shredded(i))

  private def shredded(i: Int): Row = {
    val tags = (0 until i % 3).map(t => Map("element" -> Map("typed_value" -> s"tag$t")))
    Map[String, Any](
      "metadata" -> dictionary,
      "typed_value" -> Map(
        "id" -> Map("typed_value" -> i.toLong),
        "name" -> Map("typed_value" -> s"name ${i % 4}"),
        "tags" -> Map("typed_value" -> Map("list" -> tags))
      )
    ) ++ Option.when(i % 5 == 0) {
      "value" -> VariantTreeEncoder.value(obj("other" -> Int32(i)), names, 0L)
    }
  }

  def version(v2: Boolean): WriterVersion =
    if (v2) WriterVersion.PARQUET_2_0 else WriterVersion.PARQUET_1_0

  /** A well-formed file of 40 rows in two row groups. */
  def wellFormed(
      path: Path,
      crc: Boolean = false,
      v2: Boolean = false,
      codec: CompressionCodecName = CompressionCodecName.SNAPPY,
      dictionaries: Boolean = true
  ): Unit = ParquetFixture.write(
    path,
    schema,
    (0 until 40).map(row),
    _.withRowGroupRowCountLimit(20)
      .withPageRowCountLimit(7)
      .withMinRowCountForPageSizeCheck(1)
      .withPageWriteChecksumEnabled(crc)
      .withWriterVersion(version(v2))
      .withCompressionCodec(codec)
      .withDictionaryEncoding(dictionaries)
  )

  private def corrupt(rule: String)(write: Path => Unit): MalformedFile =
    MalformedFile(rule, Corrupt, Refused)(write)

  private def corrupt(rule: String, reason: String, location: String)(
      write: Path => Unit
  ): MalformedFile = MalformedFile(rule, Corrupt, Refused, Some(reason), Some(location))(write)

  private def unsupported(rule: String, reason: String, location: Option[String])(
      write: Path => Unit
  ): MalformedFile =
    MalformedFile(rule, Unsupported, Refused, Some(s"Cannot read the file: $reason"), location)(
      write
    )

  private def replaced(change: Array[Byte] => Array[Byte]): Path => Unit = { path =>
    wellFormed(path)
    Files.write(path, change(Files.readAllBytes(path))): Unit
  }

  private val wholeFiles: Seq[MalformedFile] = Seq(
    corrupt("a file without bytes")(replaced(_ => Array.emptyByteArray)),
    corrupt("a file of four bytes")(replaced(_ => "PAR1".getBytes)),
    corrupt("a file of two magics")(replaced(_ => "PAR1PAR1".getBytes)),
    corrupt("a file of two magics and no footer")(
      replaced(_ => "PAR1".getBytes ++ new Array[Byte](4) ++ "PAR1".getBytes)
    ),
    corrupt("another magic at the end")(replaced(_.dropRight(4) ++ "PAR2".getBytes)),
    unsupported(
      "the magic of encrypted files",
      "Trying to read file with encrypted footer. No keys available",
      None
    )(replaced(_.dropRight(4) ++ "PARE".getBytes)),
    corrupt("text")(replaced(_ => ("{\"a\": 1}\n" * 20).getBytes)),
    corrupt("a footer longer than the file")(
      replaced(_.dropRight(8) ++ bytes("FF FF FF 7F") ++ "PAR1".getBytes)
    ),
    corrupt("a footer of a negative length")(
      replaced(_.dropRight(8) ++ bytes("FF FF FF FF") ++ "PAR1".getBytes)
    ),
    corrupt("a footer of other bytes")(
      replaced { file =>
        val start = ParquetFixture.footerStart(file)
        val noise = new scala.util.Random(1).nextBytes(file.length - 8 - start)
        file.take(start) ++ noise ++ file.takeRight(8)
      }
    ),
    corrupt("a footer that begins later")(
      replaced { file =>
        val length = file.length - 8 - ParquetFixture.footerStart(file) - 5
        file.dropRight(8) ++ Array(length.toByte, (length >> 8).toByte, 0.toByte, 0.toByte) ++
          "PAR1".getBytes
      }
    )
  )

  private def footer(rule: String)(edit: FileMetaData => Unit): MalformedFile =
    corrupt(rule)(editing(edit))

  private def editing(edit: FileMetaData => Unit): Path => Unit = { path =>
    wellFormed(path)
    ParquetFixture.editFooter(path)(edit)
  }

  private def rowGroup(footer: FileMetaData): FormatRowGroup = footer.getRow_groups.get(1)

  private def chunk(footer: FileMetaData, leaf: String): ColumnMetaData =
    rowGroup(footer).getColumns.asScala
      .map(_.getMeta_data)
      .find(_.getPath_in_schema.asScala.mkString(".") == leaf)
      .get

  private val ids = "v.typed_value.id.typed_value"
  private val tags = "v.typed_value.tags.typed_value.list.element.typed_value"

  private val footers: Seq[MalformedFile] = {
    val leaves = Seq("v.metadata", "v.value", ids, tags)
    def numbers = Seq(Long.MaxValue, Int.MaxValue.toLong, 1L << 40, -1L, Long.MinValue)
    val sizes = for {
      leaf <- leaves
      number <- numbers
    } yield footer(s"a chunk of $leaf of $number bytes") { f =>
      chunk(f, leaf).setTotal_compressed_size(number): Unit
    }
    val offsets = for {
      leaf <- leaves
      number <- numbers
    } yield footer(s"a chunk of $leaf at $number") { f =>
      chunk(f, leaf).setData_page_offset(number).unsetDictionary_page_offset()
    }
    val missing = leaves.map { leaf =>
      corrupt(
        s"no chunk of $leaf",
        "The row group has no column chunk of a leaf of the schema.",
        s"rowGroup=1, column=$leaf"
      )(editing { f =>
        rowGroup(f).getColumns.removeIf { c =>
          c.getMeta_data.getPath_in_schema.asScala.mkString(".") == leaf
        }: Unit
      })
    }
    val missingInAll = corrupt(
      s"no chunk of $tags in any row group",
      "The row group has no column chunk of a leaf of the schema.",
      s"column=$tags"
    )(editing { f =>
      f.getRow_groups.forEach { group =>
        group.getColumns.removeIf { c =>
          c.getMeta_data.getPath_in_schema.asScala.mkString(".") == tags
        }: Unit
      }
    })
    val counts = for {
      leaf <- leaves
      number <- Seq(0L, 19L, 21L, 1000000L, Int.MaxValue.toLong, Long.MaxValue, -1L)
    } yield footer(s"a chunk of $leaf of $number values") { f =>
      chunk(f, leaf).setNum_values(number): Unit
    }
    val rowCounts = Seq(0L, 19L, 21L, 1000000L, Int.MaxValue.toLong, Long.MaxValue, -1L).map { n =>
      footer(s"a row group of $n rows")(f => rowGroup(f).setNum_rows(n): Unit)
    }
    sizes ++ offsets ++ missing ++ Seq(missingInAll) ++ counts ++ rowCounts ++ Seq(
      corrupt(
        "a chunk beyond the end of the file",
        "The column chunk claims 1099511627776 bytes at offset 4 of a file of SIZE bytes.",
        s"rowGroup=0, column=$ids"
      )(editing { f =>
        val first = f.getRow_groups.get(0).getColumns.asScala.map(_.getMeta_data)
        first
          .find(_.getPath_in_schema.asScala.mkString(".") == ids)
          .get
          .setData_page_offset(4)
          .setTotal_compressed_size(1L << 40)
          .unsetDictionary_page_offset()
      }),
      corrupt(
        "a second chunk of a leaf",
        "The row group has 10 column chunks, but the schema has 9 leaf columns.",
        "rowGroup=1"
      )(editing { f =>
        val chunks = rowGroup(f).getColumns
        val second = chunks.asScala
          .find(_.getMeta_data.getPath_in_schema.asScala.mkString(".") == ids)
          .get
          .deepCopy
        second.getMeta_data.setTotal_compressed_size(1L << 40)
        chunks.add(second): Unit
      }),
      corrupt("chunks that overlap") { path =>
        wellFormed(path)
        val size = ParquetFixture.footerStart(Files.readAllBytes(path)) - 4L
        ParquetFixture.editFooter(path) { f =>
          rowGroup(f).getColumns.asScala.map(_.getMeta_data).foreach { chunk =>
            chunk.setData_page_offset(4).setTotal_compressed_size(size)
            chunk.unsetDictionary_page_offset()
          }
        }
      },
      footer("a dictionary beyond the end of the file")(f =>
        chunk(f, "v.metadata").setDictionary_page_offset(1L << 40): Unit
      ),
      footer("a chunk of another codec")(f => chunk(f, ids).setCodec(CompressionCodec.GZIP): Unit),
      unsupported(
        "a chunk of a codec that is not there",
        "There is no library for the codec LZO.",
        Some(s"rowGroup=1, column=$ids")
      )(editing(f => chunk(f, ids).setCodec(CompressionCodec.LZO): Unit)),
      footer("a chunk of another path")(f =>
        chunk(f, ids).setPath_in_schema(List("v", "typed_value", "id", "x").asJava): Unit
      ),
      footer("a chunk in another file")(f =>
        rowGroup(f).getColumns.asScala.foreach(_.setFile_path("elsewhere.parquet"))
      ),
      footer("columns without metadata")(f =>
        rowGroup(f).getColumns.asScala.foreach(_.unsetMeta_data())
      )
    )
  }

  private def isDictionary(kind: PageType) = kind == PageType.DICTIONARY_PAGE

  private val pages: Seq[MalformedFile] = {
    val unpacked = for {
      leaf <- Seq("v.metadata", ids, tags)
      size <- Seq(Int.MaxValue, 1 << 30, 0, -1, Int.MinValue)
    } yield corrupt(s"a page of $leaf that claims $size bytes uncompressed") { path =>
      wellFormed(path)
      PageEdit.editHeader(path, leaf)(_.setUncompressed_page_size(size): Unit)
    }
    // Two claims have the sign of a negative size.
    val snappy = for {
      leaf <- Seq("v.metadata", ids, tags)
      claim <- Seq("FF FF FF FF 03", "80 80 80 80 08", "FF FF FF FF 0F")
    } yield corrupt(s"a page of $leaf whose Snappy bytes begin with $claim") { path =>
      wellFormed(path)
      PageEdit.editPage(path, leaf) { (header, body) =>
        val edited = bytes(claim) ++ body.dropWhile(_ < 0).drop(1)
        header.setCompressed_page_size(edited.length)
        edited
      }
    }
    val packed = for {
      leaf <- Seq("v.metadata", ids, tags)
      size <- Seq(Int.MaxValue, 1 << 28, 0, -1, Int.MinValue)
    } yield corrupt(s"a page of $leaf that claims $size bytes") { path =>
      wellFormed(path)
      PageEdit.editHeader(path, leaf)(_.setCompressed_page_size(size): Unit)
    }
    val dictionaries = Seq(Int.MaxValue, 1 << 28, 0, -1).map { n =>
      corrupt(s"a dictionary that claims $n values") { path =>
        wellFormed(path)
        PageEdit.editHeader(path, "v.metadata", h => isDictionary(h.getType)) {
          _.getDictionary_page_header.setNum_values(n): Unit
        }
      }
    }
    val values = for {
      leaf <- Seq("v.metadata", ids, tags)
      n <- Seq(Int.MaxValue, 1 << 28, 0, -1)
      v2 <- Seq(false, true)
    } yield corrupt(s"a page of $leaf that claims $n values${if (v2) ", v2" else ""}") { path =>
      wellFormed(path, v2 = v2)
      PageEdit.editHeader(path, leaf, h => !isDictionary(h.getType)) { header =>
        if (v2) header.getData_page_header_v2.setNum_values(n): Unit
        else header.getData_page_header.setNum_values(n): Unit
      }
    }
    val levels = for {
      leaf <- Seq("v.metadata", ids, tags)
      size <- Seq(Int.MaxValue, 1 << 20, -1)
    } yield corrupt(s"a page of $leaf that claims $size bytes of levels") { path =>
      wellFormed(path, v2 = true)
      PageEdit.editHeader(path, leaf, h => !isDictionary(h.getType)) { header =>
        header.getData_page_header_v2.setDefinition_levels_byte_length(size): Unit
      }
    }
    val encodings = Seq(Encoding.BIT_PACKED, Encoding.DELTA_LENGTH_BYTE_ARRAY).map { encoding =>
      corrupt(s"an encoding that is not that of the page: $encoding") { path =>
        wellFormed(path, dictionaries = false)
        PageEdit.editHeader(path, ids)(_.getData_page_header.setEncoding(encoding): Unit)
      }
    }
    val levelEncodings = Seq(ids, tags).map { leaf =>
      unsupported(
        s"levels of $leaf in a deprecated encoding",
        "The levels are in the deprecated encoding BIT_PACKED.",
        Some(s"rowGroup=0, column=$leaf")
      ) { path =>
        wellFormed(path)
        PageEdit.editHeader(path, leaf, h => !isDictionary(h.getType)) { h =>
          val page = h.getData_page_header
          if (leaf == tags) page.setRepetition_level_encoding(Encoding.BIT_PACKED): Unit
          else page.setDefinition_level_encoding(Encoding.BIT_PACKED): Unit
        }
      }
    }
    val checksum = corrupt(
      "a page whose checksum is another",
      "Cannot read the file: could not verify page integrity, CRC checksum verification failed",
      "rowGroup=0"
    ) { path =>
      wellFormed(path, crc = true)
      PageEdit.editHeader(path, ids)(header => header.setCrc(header.getCrc + 1): Unit)
    }
    unpacked ++ snappy ++ packed ++ dictionaries ++ values ++ levels ++ encodings ++ levelEncodings :+ checksum
  }

  /** Changes a byte of the first data page of `id`, all of whose seven values are there. */
  private def inPage(offset: Int, from: Int, to: Int, v2: Boolean): Path => Unit = { path =>
    wellFormed(path, v2 = v2, codec = CompressionCodecName.UNCOMPRESSED, dictionaries = false)
    val file = Files.readAllBytes(path)
    val page = PageEdit.pages(file).collectFirst { case (`ids`, page) => page }.get
    require(file(page.body + offset) == from, s"${file(page.body + offset)} is there")
    file(page.body + offset) = to.toByte
    Files.write(path, file): Unit
  }

  /** Counts within pages: Spark's decoders never end, or take memory, by what these claim. */
  private val bodies: Seq[MalformedFile] = {
    val location = s"rowGroup=0, column=$ids"
    Seq(
      corrupt("fewer levels than values", "A page of 7 values has 0 levels.", location)(
        inPage(0, 3, 0, v2 = false)
      ),
      corrupt(
        "levels that are longer than the page",
        "A page claims 127 bytes of levels, but has 59 bytes left.",
        location
      )(inPage(0, 3, 127, v2 = false)),
      corrupt(
        "a run of levels that is longer than the page",
        "A run claims 126 bytes of a page that has 2 left.",
        location
      )(inPage(4, 3, 127, v2 = false)),
      corrupt(
        "more numbers than values",
        "A page of 7 values claims 127 delta-encoded values in blocks of 128 values and " +
          "4 miniblocks.",
        location
      )(inPage(6, 7, 127, v2 = true)),
      corrupt(
        "numbers in no blocks",
        "A page of 7 values claims 7 delta-encoded values in blocks of 128 values and " +
          "0 miniblocks.",
        location
      )(inPage(5, 4, 0, v2 = true))
    )
  }

  /**
   * A file with a page of each leaf that claims 2^27 values, of which the first ones are there and
   * all others null. Only the second row is malformed.
   */
  private def nulls(values: Int, metadata: Array[Byte]): Path => Unit = { path =>
    ParquetFixture.write(
      path,
      "message m { required group v (VARIANT(1)) { optional binary metadata; " +
        "optional binary value; } }",
      Seq.fill(values)(Map("v" -> Map("metadata" -> metadata, "value" -> bytes("00")))) ++
        Seq.fill(100 - values)(Map("v" -> Map())),
      _.withPageWriteChecksumEnabled(false)
        .withWriterVersion(version(v2 = true))
        .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
        .withDictionaryEncoding(false)
    )
    val count = 1 << 27
    val present = if (values == 0) Array.emptyByteArray else Array((values << 1).toByte, 1.toByte)
    val rest = new java.io.ByteArrayOutputStream
    BytesUtils.writeUnsignedVarInt((count - values) << 1, rest)
    val levels = present ++ rest.toByteArray :+ 0.toByte
    Seq("v.metadata", "v.value").foreach { leaf =>
      PageEdit.editPage(path, leaf) { (header, body) =>
        val page = header.getData_page_header_v2
        require(page.getEncoding == Encoding.DELTA_BYTE_ARRAY, page)
        val edited = levels ++ body.drop(page.getDefinition_levels_byte_length)
        page.setNum_values(count).setNum_rows(count).setNum_nulls(count - values)
        page.setDefinition_levels_byte_length(levels.length)
        header.setCompressed_page_size(edited.length).setUncompressed_page_size(edited.length)
        edited
      }
    }
    ParquetFixture.editFooter(path) { footer =>
      footer.setNum_rows(count.toLong)
      val rowGroup = footer.getRow_groups.get(0).setNum_rows(count.toLong)
      rowGroup.getColumns.asScala.map(_.getMeta_data).foreach { chunk =>
        chunk.setNum_values(count.toLong).unsetStatistics()
        chunk.unsetSize_statistics()
      }
    }
  }

  private val manyNulls: Seq[MalformedFile] = Seq(0, 1).map { values =>
    MalformedFile(
      s"delta-encoded pages of $values values and 100 million nulls",
      Malformed,
      Refused,
      Some("'metadata' is null where the Variant is not."),
      Some("column=v, path=$")
    )(nulls(values, emptyMetadata))
  }

  val all: Seq[MalformedFile] = wholeFiles ++ footers ++ pages ++ bodies ++ manyNulls
}

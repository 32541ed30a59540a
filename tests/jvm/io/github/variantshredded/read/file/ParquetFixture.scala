package io.github.variantshredded.read.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.HeapByteBufferAllocator
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.format.{ColumnChunk, ColumnIndex, FileMetaData, OffsetIndex, Util}
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.LocalOutputFile
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{MessageType, MessageTypeParser}

/** Small Parquet files for tests, and changes to their footers. */
object ParquetFixture {

  /** By field name; a field that is left out is null. See [[fill]]. */
  type Row = Map[String, Any]

  /** For writers: a Hadoop configuration is slow to make. */
  val plain = new Configuration(false)

  def write(path: Path, schema: String, rows: Seq[Row]): Unit = write(path, schema, rows, identity)

  def write(
      path: Path,
      schema: String,
      rows: Seq[Row],
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder
  ): Unit = write(path, MessageTypeParser.parseMessageType(schema), rows, settings)

  def write(
      path: Path,
      schema: MessageType,
      rows: Seq[Row],
      settings: ExampleParquetWriter.Builder => ExampleParquetWriter.Builder
  ): Unit = {
    val builder = ExampleParquetWriter
      .builder(new LocalOutputFile(path))
      .withConf(plain)
      .withType(schema)
    val writer = settings(builder).build()
    try
      rows.foreach { row =>
        val group = new SimpleGroup(schema)
        fill(group, row)
        writer.write(group)
      }
    finally writer.close()
  }

  /** A Map fills a group, a Seq is a repetition, everything else a primitive. */
  private def fill(group: Group, row: Row): Unit = row.foreach { case (name, value) =>
    def put(one: Any): Unit = one match {
      case map: Map[_, _]     => fill(group.addGroup(name), map.map { case (k, v) => s"$k" -> v })
      case bytes: Array[Byte] => group.add(name, Binary.fromConstantByteArray(bytes))
      case text: String       => group.add(name, text)
      case number: Int        => group.add(name, number)
      case number: Long       => group.add(name, number)
      case number: Float      => group.add(name, number)
      case number: Double     => group.add(name, number)
      case flag: Boolean      => group.add(name, flag)
      case other              => throw new IllegalArgumentException(s"$name: $other")
    }
    value match {
      case many: Seq[_] => many.foreach(put)
      case one          => put(one)
    }
  }

  /** Hexadecimal digits, with spaces anywhere. */
  def bytes(hex: String): Array[Byte] =
    hex.filterNot(_.isWhitespace).grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  /** Numbers in the encoding `DELTA_BINARY_PACKED`. */
  def delta(numbers: Seq[Int]): Array[Byte] = {
    val writer =
      new DeltaBinaryPackingValuesWriterForInteger(64, 1024, HeapByteBufferAllocator.getInstance)
    numbers.foreach(writer.writeInteger(_))
    writer.getBytes.toInputStream.readAllBytes()
  }

  def footer(file: Array[Byte]): FileMetaData =
    Util.readFileMetaData(new ByteArrayInputStream(file, footerStart(file), file.length))

  /** Where the footer starts: four bytes of length and the magic follow it. */
  def footerStart(file: Array[Byte]): Int =
    file.length - 8 - ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(file.length - 8)

  /** The file with `pages`, the bytes before its footer, and `footer`. */
  def assemble(pages: Array[Byte], footer: FileMetaData): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(footer, out)
    val size = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(out.size).array
    pages ++ out.toByteArray ++ size ++ "PAR1".getBytes
  }

  def editFooter(path: Path)(edit: FileMetaData => Unit): Unit = {
    val file = Files.readAllBytes(path)
    val changed = footer(file)
    edit(changed)
    Files.write(path, assemble(file.take(footerStart(file)), changed)): Unit
  }

  /** Changes the page indexes of chunks, which all have both; writes them behind the old ones. */
  def editIndexes(path: Path)(edit: (ColumnChunk, ColumnIndex, OffsetIndex) => Unit): Unit = {
    val file = Files.readAllBytes(path)
    val changed = footer(file)
    val out = new ByteArrayOutputStream
    out.write(file, 0, footerStart(file))
    changed.getRow_groups.forEach(_.getColumns.forEach { chunk =>
      def at(offset: Long) = new ByteArrayInputStream(file, offset.toInt, file.length)
      val columnIndex = Util.readColumnIndex(at(chunk.getColumn_index_offset))
      val offsetIndex = Util.readOffsetIndex(at(chunk.getOffset_index_offset))
      edit(chunk, columnIndex, offsetIndex)
      chunk.setColumn_index_offset(out.size.toLong)
      Util.writeColumnIndex(columnIndex, out)
      chunk.setColumn_index_length(out.size - chunk.getColumn_index_offset.toInt)
      chunk.setOffset_index_offset(out.size.toLong)
      Util.writeOffsetIndex(offsetIndex, out)
      chunk.setOffset_index_length(out.size - chunk.getOffset_index_offset.toInt): Unit
    })
    Files.write(path, assemble(out.toByteArray, changed)): Unit
  }
}

package io.github.variantshredded.write.file

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.util.Arrays

import io.github.variantshredded.variant.LittleEndian
import io.github.variantshredded.write.column.EachStep
import org.apache.parquet.format.{Encoding, FileMetaData, Util}
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/**
 * Writes a file whose footer lists the encodings of each column chunk in a fixed order, so that the
 * same rows give the same bytes. parquet-java keeps them in a set, whose order differs between
 * JVMs.
 *
 * @param file
 *   file that parquet-java's writer writes to
 * @param maxHeld
 *   most bytes of the end of the file that are held in memory at a time; a footer that is longer
 *   than half of this is not changed
 */
private[write] final class FooterOrder(
    file: OutputFile,
    maxHeld: Int = FooterOrder.MaxHeld
) extends OutputFile {

  private var stream: Option[FooterOrder.Stream] = None

  /** Announces that the end of the file is written next, with an unencrypted footer. */
  def holdEnd(): Unit = stream.foreach(_.hold())

  /**
   * Announces that the end of the file could not be written: the bytes that are held are dropped.
   */
  def dropEnd(): Unit = stream.foreach(_.drop())

  override def create(blockSizeHint: Long): PositionOutputStream =
    wrapped(file.create(blockSizeHint))

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
    wrapped(file.createOrOverwrite(blockSizeHint))

  private def wrapped(out: PositionOutputStream) = {
    val created = new FooterOrder.Stream(out, maxHeld)
    stream = Some(created)
    created
  }

  override def supportsBlockSize: Boolean = file.supportsBlockSize

  override def defaultBlockSize: Long = file.defaultBlockSize

  override def getPath: String = file.getPath
}

private[write] object FooterOrder {

  /** Twice the size of the footer of a file with 300 leaf columns and 500 row groups. */
  final val MaxHeld: Int = 64 * 1024 * 1024

  // Length of the footer in 4 bytes, and the last four bytes of the file.
  private final val TrailerBytes = 8

  final class Stream(out: PositionOutputStream, maxHeld: Int) extends PositionOutputStream {
    private var held: Array[Byte] = _
    private var count = 0

    def hold(): Unit = if (held == null) held = new Array[Byte](1024)

    def drop(): Unit = {
      held = null
      count = 0
    }

    override def getPos: Long = out.getPos + count

    override def write(byte: Int): Unit =
      if (held == null) out.write(byte)
      else {
        reserve(1)
        held(count) = byte.toByte
        count += 1
      }

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
      if (held == null) out.write(bytes, offset, length)
      else {
        reserve(length)
        System.arraycopy(bytes, offset, held, count, length)
        count += length
      }

    private def reserve(length: Int): Unit = {
      val kept = maxHeld / 2
      if (count > kept && count.toLong + length > maxHeld) {
        out.write(held, 0, count - kept)
        System.arraycopy(held, count - kept, held, 0, kept)
        count = kept
      }
      val needed = count.toLong + length
      if (needed > held.length) {
        val doubled = math.min(held.length * 2L, maxHeld.toLong)
        held = Arrays.copyOf(held, math.max(needed, doubled).toInt)
      }
    }

    override def flush(): Unit = out.flush()

    override def close(): Unit =
      EachStep(() => if (held != null) release(), () => out.close())

    private def release(): Unit = {
      val start = footerStart
      if (start < 0) out.write(held, 0, count)
      else {
        val footer = new ByteArrayInputStream(held, start, count - TrailerBytes - start)
        val ordered = new ByteArrayOutputStream(count - start)
        Util.writeFileMetaData(inOrder(Util.readFileMetaData(footer)), ordered)
        out.write(held, 0, start)
        ordered.writeTo(out)
        LittleEndian.putInt(held, count - TrailerBytes, ordered.size)
        out.write(held, count - TrailerBytes, TrailerBytes)
      }
      drop()
    }

    // Position of the footer in the bytes that are held, or -1 if it is not held completely.
    private def footerStart: Int = {
      val lengthAt = count - TrailerBytes
      val length = if (lengthAt < 0) -1 else LittleEndian.getInt(held, lengthAt)
      if (length < 0 || length > lengthAt) -1 else lengthAt - length
    }
  }

  private def inOrder(footer: FileMetaData): FileMetaData = {
    footer.getRow_groups.forEach { group =>
      group.getColumns.forEach { chunk =>
        if (chunk.isSetMeta_data)
          chunk.getMeta_data.getEncodings.sort((a: Encoding, b: Encoding) =>
            Integer.compare(a.getValue, b.getValue)
          )
      }
    }
    footer
  }
}

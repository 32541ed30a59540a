package io.github.variantshredded.json

import java.io.{ByteArrayInputStream, InputStream, SequenceInputStream}

import com.github.luben.zstd.ZstdInputStreamNoFinalizer
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.io.compress.CompressionCodecFactory

/** Opens a file of JSON text, and decompresses it according to its name. */
private[json] final class JsonFile(path: Path, conf: Configuration) {

  private lazy val codecs = new CompressionCodecFactory(conf)

  val isCompressed: Boolean = JsonFile.isCompressed(path, codecs)

  /** Returns the decompressed content. */
  def open(): InputStream = {
    val in = path.getFileSystem(conf).open(path)
    try decompressed(in)
    catch {
      case e: Throwable =>
        in.close()
        throw e
    }
  }

  /** Returns the content of a file that is not compressed, from an offset on. */
  def openAt(offset: Long): InputStream = {
    val in = path.getFileSystem(conf).open(path)
    try in.seek(offset)
    catch {
      case e: Throwable =>
        in.close()
        throw e
    }
    in
  }

  private def decompressed(in: InputStream): InputStream =
    if (JsonFile.isZstd(path)) new ZstdInputStreamNoFinalizer(in)
    else Option(codecs.getCodec(path)).fold(in)(_.createInputStream(in))
}

private[json] object JsonFile {
  private final val HeadBytes = 1 << 16

  /** The number of bytes to read if the first ones do not show the form. */
  private final val MaxHeadBytes = 4 << 20

  /** Returns whether the file is compressed, so that it cannot be read from the middle. */
  def isCompressed(path: Path, codecs: => CompressionCodecFactory): Boolean =
    isZstd(path) || codecs.getCodec(path) != null

  // Hadoop's codec needs a native library that Spark does not come with.
  private def isZstd(path: Path): Boolean =
    Seq(".zst", ".zstd").exists(path.getName.toLowerCase(java.util.Locale.ROOT).endsWith(_))

  /**
   * Holds what the beginning of a file tells, and the content of the file.
   *
   * @param form
   *   what the beginning tells of the form
   * @param mark
   *   number of bytes of a byte order mark, which `content` is without
   */
  final case class Begun(form: JsonForm, mark: Int, content: InputStream)

  /** Reads the beginning of a stream. */
  def begin(in: InputStream): Begun = {
    val first = in.readNBytes(HeadBytes)
    val isUnclear = first.length == HeadBytes && JsonForm.isUnclear(first)
    val head = if (isUnclear) first ++ in.readNBytes(MaxHeadBytes - HeadBytes) else first
    val mark = JsonBytes.afterMark(head, head.length)
    val start = new ByteArrayInputStream(head, mark, head.length - mark)
    Begun(JsonForm.of(head, head.length), mark, new SequenceInputStream(start, in))
  }
}

package io.github.variantshredded.json

import java.io.{ByteArrayInputStream, FileNotFoundException, InputStream, IOException}
import java.nio.charset.StandardCharsets
import java.util.regex.Pattern

import scala.util.control.NonFatal

import com.fasterxml.jackson.core.{
  JsonFactory,
  JsonFactoryBuilder,
  JsonProcessingException,
  JsonToken
}
import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hdfs.BlockMissingException
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.types.StructType
import org.apache.spark.types.variant.{VariantBuilder, VariantSizeLimitException, VariantUtil}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Reads a part of a JSON file into rows.
 *
 * A line belongs to the part in which it begins. A file that does not have one value on each line is
 * read as a whole by the part that begins it.
 *
 * @param wanted
 *   the requested columns of [[JsonOptions.schema]]
 * @param toleratesCorrupt
 *   whether a file that cannot be decompressed ends there, without an error. A text that is not
 *   JSON is not such a case
 */
private[json] final class JsonRows(
    part: PartitionedFile,
    conf: Configuration,
    options: JsonOptions,
    wanted: StructType,
    toleratesCorrupt: Boolean
) extends PartitionReader[InternalRow]
    with Logging {
  import JsonRows._

  private val file = new JsonFile(part.toPath, conf)
  private val row = new GenericInternalRow(wanted.length)
  private val variantAt = wanted.fieldNames.indexOf(options.column)
  // Without malformed=keep, a column of this name is that of the Variants.
  private val keptAt = if (options.keeps) wanted.fieldNames.indexOf(options.malformedColumn) else -1

  /** The offset in the file at which `texts` begin. */
  private var from = 0L
  private val texts: JsonTexts =
    try open()
    catch { case e: Throwable if isTolerated(e) => nothing }

  override def next(): Boolean = {
    val found =
      try texts.next()
      catch {
        case e: JsonTexts.TooLong =>
          throw VariantShreddedErrors.jsonTextTooLong(JsonTexts.MaxBytes, at(e.line))
        case e: Throwable if isTolerated(e) => false
      }
    if (found) fill()
    found
  }

  /** Returns whether the rest of the file is left out because of an error, and logs that it is. */
  private def isTolerated(error: Throwable): Boolean = {
    val isOfContent = error match {
      // Spark does not skip these as corrupt files either.
      case _: FileNotFoundException | _: AccessControlException | _: BlockMissingException => false
      case _: IOException | _: InternalError                                               => true
      case _                                                                               => false
    }
    if (toleratesCorrupt && isOfContent)
      logWarning(s"The rest of ${part.urlEncodedPath} is left out, which is corrupt", error)
    toleratesCorrupt && isOfContent
  }

  override def get(): InternalRow = row

  override def close(): Unit = texts.close()

  private def open(): JsonTexts = {
    val isStart = part.start == 0
    if (isStart || options.records.isEmpty) {
      val in = file.open()
      try begun(JsonFile.begin(in), isStart)
      catch {
        case e: Throwable =>
          in.close()
          throw e
      }
    } else if (options.records.contains(JsonForm.Lines)) lines()
    else nothing
  }

  private def begun(start: JsonFile.Begun, isStart: Boolean): JsonTexts = {
    val form = options.records.getOrElse(start.form)
    if (isStart) {
      val length = if (file.isCompressed) Long.MaxValue else part.length - start.mark
      JsonTexts.of(form, start.content, length)
    } else {
      start.content.close()
      if (form == JsonForm.Lines) lines() else nothing
    }
  }

  /** Returns the lines that begin in this part, which does not begin the file. */
  private def lines(): JsonTexts = {
    // If the byte before the part ends a line, a line begins with the part.
    val in = file.openAt(part.start - 1)
    try {
      from = part.start - 1 + skipLine(in)
      in.close()
      JsonTexts.of(JsonForm.Lines, file.openAt(from), part.start + part.length - from)
    } finally in.close()
  }

  private def nothing: JsonTexts =
    JsonTexts.of(JsonForm.Lines, new ByteArrayInputStream(Array.emptyByteArray), 0)

  private def fill(): Unit = {
    val (variant, reason) = texts.flaw match {
      case Some(flaw) => (null, flaw)
      case None       =>
        try (parse(), null)
        catch {
          case _: VariantSizeLimitException if options.fails =>
            throw VariantShreddedErrors.jsonSizeLimit(text, VariantUtil.SIZE_LIMIT, at(texts.line))
          case NonFatal(e) => (null, reasonOf(e))
        }
    }
    if (variant == null && options.fails) throw malformed(text, reason, texts.line)
    if (variantAt >= 0) row.update(variantAt, variant)
    if (keptAt >= 0)
      row.update(keptAt, if (variant != null) null else kept)
  }

  /** Returns the text, without the half of a line break that ends it on Windows. */
  private def kept: UTF8String = {
    val length = texts.length
    val isHalf = length > 0 && texts.bytes(length - 1) == '\r'
    UTF8String.fromBytes(texts.bytes, 0, if (isHalf) length - 1 else length)
  }

  private def parse(): VariantVal = {
    val text = new String(texts.bytes, 0, texts.length, StandardCharsets.UTF_8)
    // Bytes that are not UTF-8 have become this character, which a text may also have itself.
    if (text.indexOf('\uFFFD') >= 0 && !kept.isValid) throw new OtherEncoding
    checkSurrogates(text)
    val parser = Factory.createParser(text)
    try {
      parser.nextToken(): Unit
      val variant = VariantBuilder.parseJson(parser, false)
      if (parser.nextToken() != null) throw new MoreText
      new VariantVal(variant.getValue, variant.getMetadata)
    } finally parser.close()
  }

  /** Throws an error for an unpaired surrogate, as Spark 4.2 does. Spark 4.1 makes it a `?`. */
  private def checkSurrogates(text: String): Unit =
    if (text.contains("\\u") && SurrogateEscape.matcher(text).find()) {
      val parser = Factory.createParser(text)
      val encoder = StandardCharsets.UTF_8.newEncoder()
      try {
        while (parser.nextToken() != null) {
          val token = parser.currentToken
          if (token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING) {
            if (!encoder.canEncode(parser.getText)) throw new UnpairedSurrogate
          }
        }
      } finally parser.close()
    }

  private def reasonOf(error: Throwable): String = error match {
    case e: JsonProcessingException =>
      val location = Option(e.getLocation).fold("")(at => s" at character ${at.getColumnNr}")
      s"${firstLine(e.getOriginalMessage)}$location."
    case _: MoreText          => "Text follows the first JSON value in it."
    case _: OtherEncoding     => "Its bytes are not UTF-8."
    case _: UnpairedSurrogate => "It has an escape of an unpaired surrogate."
    case e                    => firstLine(String.valueOf(e.getMessage))
  }

  private def firstLine(message: String): String =
    message.linesIterator.nextOption().getOrElse("").trim.stripSuffix(".")

  private def text: String =
    new String(texts.bytes, 0, math.min(texts.length, ShownBytes), StandardCharsets.UTF_8) +
      (if (texts.length > ShownBytes) "..." else "")

  private def malformed(text: String, reason: String, line: Long) =
    VariantShreddedErrors.malformedJson(text, reason, at(line))

  private def at(line: Long) =
    ErrorLocation(file = Some(part.urlEncodedPath), line = Some(linesBefore + line + 1))

  /** Counts the lines before `texts` begin. Only an error needs the number. */
  private def linesBefore: Long =
    if (from == 0) 0
    else {
      val in = file.openAt(0)
      try {
        val buffer = new Array[Byte](1 << 16)
        var left = from
        var lines = 0L
        while (left > 0) {
          val count = in.read(buffer, 0, math.min(left, buffer.length.toLong).toInt)
          if (count < 0) left = 0
          else {
            var i = 0
            while (i < count) {
              if (buffer(i) == '\n') lines += 1
              i += 1
            }
            left -= count
          }
        }
        lines
      } finally in.close()
    }
}

private object JsonRows {

  /** Errors show so many bytes of a text. */
  private final val ShownBytes = 200

  private val Factory: JsonFactory = new JsonFactoryBuilder()
    .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
    .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
    .build()

  private final class MoreText extends RuntimeException

  private final class OtherEncoding extends RuntimeException

  private final class UnpairedSurrogate extends RuntimeException

  private val SurrogateEscape = Pattern.compile("\\\\u[dD][89a-fA-F]")

  /** Skips the rest of a line; returns the number of bytes skipped. */
  private def skipLine(in: InputStream): Long = {
    val buffer = new Array[Byte](1 << 12)
    var skipped = 0L
    var isFound = false
    while (!isFound) {
      val count = in.read(buffer)
      val newline = if (count < 0) -1 else buffer.indexOf('\n'.toByte)
      if (count < 0) isFound = true
      else if (newline >= 0 && newline < count) {
        isFound = true
        skipped += newline + 1
      } else skipped += count
    }
    skipped
  }
}

package io.github.variantshredded.extraction

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import io.github.variantshredded.spark.SparkErrors
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.{ArrayType, ByteType, DataType}

/**
 * Encodes the errors of one row's extractions as bytes, so that an error is thrown only where the
 * query evaluates the value. If a filter, a join or a CASE leaves out the row, a cast that fails in
 * it is no error.
 */
object ExtractionErrors {

  /**
   * Type of the columns of errors. It is an array of bytes because Spark's size estimates assume a
   * hundred bytes per row for a binary.
   */
  final val ColumnType: DataType = ArrayType(ByteType, containsNull = false)

  /** Returns `previous`, which may be null, with the error of the extraction `index` added. */
  def append(previous: Array[Byte], index: Int, error: SparkThrowable): Array[Byte] = {
    val parameters = error.getMessageParameters.asScala.toMap
    write(previous, index, Failure(error.getCondition, parameters))
  }

  /**
   * Throws the error of the extraction `index` if `errors` contains one.
   *
   * @throws java.lang.RuntimeException
   *   the exception that Spark's own cast of the Variant would throw
   */
  def raise(errors: Array[Byte], index: Int): Unit =
    find(errors, index).foreach { error =>
      throw SparkErrors.runtime(error.condition, error.parameters)
    }

  /** Returns the error of the extraction `index` alone, with the index 0; null if there is none. */
  def select(errors: Array[Byte], index: Int): Array[Byte] =
    find(errors, index).map(write(null, 0, _)).orNull

  private final case class Failure(condition: String, parameters: Map[String, String])

  private def find(errors: Array[Byte], index: Int): Option[Failure] = {
    val in = new DataInputStream(new ByteArrayInputStream(errors))
    Iterator
      .continually(in)
      .takeWhile(_.available > 0)
      .map(_ => in.readInt() -> readFailure(in))
      .collectFirst { case (`index`, failure) => failure }
  }

  private def readFailure(in: DataInputStream): Failure = {
    val condition = readText(in)
    Failure(condition, Seq.fill(in.readInt())(readText(in) -> readText(in)).toMap)
  }

  private def write(previous: Array[Byte], index: Int, failure: Failure): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    if (previous != null) out.write(previous)
    out.writeInt(index)
    writeText(out, failure.condition)
    out.writeInt(failure.parameters.size)
    failure.parameters.foreach { case (name, value) =>
      writeText(out, name)
      writeText(out, value)
    }
    bytes.toByteArray
  }

  private def writeText(out: DataOutputStream, text: String): Unit = {
    val bytes = text.getBytes(UTF_8)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readText(in: DataInputStream): String =
    new String(in.readNBytes(in.readInt()), UTF_8)
}

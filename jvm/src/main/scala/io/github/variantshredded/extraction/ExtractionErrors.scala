package io.github.variantshredded.extraction

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import io.github.variantshredded.spark.SparkErrors
import org.apache.spark.SparkThrowable

/**
 * The errors of one row's extractions as bytes, so that they can be carried to where the query
 * looks at the value: a cast that fails in a row that a filter, a join or a CASE leaves out is no
 * error.
 */
object ExtractionErrors {

  /** One error more, of the extraction `index`; `previous` may be null. */
  def append(previous: Array[Byte], index: Int, error: SparkThrowable): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    if (previous != null) out.write(previous)
    out.writeInt(index)
    writeText(out, error.getCondition)
    val parameters = error.getMessageParameters.asScala
    out.writeInt(parameters.size)
    parameters.foreach { case (name, value) =>
      writeText(out, name)
      writeText(out, value)
    }
    bytes.toByteArray
  }

  /**
   * Raises the error of the extraction `index` if `errors` hold one.
   *
   * @throws org.apache.spark.SparkRuntimeException
   *   as Spark's own cast of the Variant would have
   */
  def raise(errors: Array[Byte], index: Int): Unit = {
    val in = new DataInputStream(new ByteArrayInputStream(errors))
    while (in.available > 0) {
      val found = in.readInt()
      val condition = readText(in)
      val parameters = Seq.fill(in.readInt())(readText(in) -> readText(in)).toMap
      if (found == index) throw SparkErrors.runtime(condition, parameters)
    }
  }

  private def writeText(out: DataOutputStream, text: String): Unit = {
    val bytes = text.getBytes(UTF_8)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readText(in: DataInputStream): String =
    new String(in.readNBytes(in.readInt()), UTF_8)
}

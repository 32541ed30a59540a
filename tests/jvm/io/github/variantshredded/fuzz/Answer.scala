package io.github.variantshredded.fuzz

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** What a query says: its rows, or the condition of its error. */
sealed trait Answer

object Answer {

  /**
   * @param types
   *   of the columns
   * @param rows
   *   as text that differs where values differ; sorted unless the query determines their order
   */
  final case class Rows(types: String, rows: Vector[String]) extends Answer {
    override def toString: String =
      s"${rows.size} rows of $types: ${rows.take(12).mkString("; ").take(1200)}"
  }

  final case class Error(condition: String, message: String) extends Answer {
    override def equals(other: Any): Boolean = other match {
      case Error(otherCondition, _) => condition == otherCondition
      case _                        => false
    }
    override def hashCode: Int = condition.hashCode
    override def toString: String = s"$condition: ${message.take(1200)}"
  }

  def rows(schema: StructType, found: Array[InternalRow], ordered: Boolean): Rows = {
    val texts = found.toVector.map { row =>
      val out = new StringBuilder
      struct(row, schema, out)
      out.toString
    }
    Rows(
      schema.fields.map(_.dataType.catalogString).mkString(", "),
      if (ordered) texts else texts.sorted
    )
  }

  /** The first condition that an error or what caused it names. */
  def error(thrown: Throwable): Error = {
    val chain = Causes.of(thrown).toVector
    val named = chain.collectFirst {
      case spark: org.apache.spark.SparkThrowable
          if spark.getCondition != null &&
            !wrappers.contains(spark.getCondition) =>
        spark.getCondition
    }
    val last = chain.last
    val condition = named.getOrElse(last.getClass.getName)
    val unexpected = named.forall(name => name == "INTERNAL_ERROR" || name == "TASK_WRITE_FAILED")
    val at = if (unexpected) last.getStackTrace.take(9).mkString(" at ", " at ", "") else ""
    Error(condition, s"$last$at")
  }

  // Said around the error of a file.
  private val wrappers = Set("FAILED_READ_FILE.NO_HINT")

  private def struct(row: InternalRow, schema: StructType, out: StringBuilder): Unit = {
    out.append('{')
    schema.fields.indices.foreach { at =>
      if (at > 0) out.append(", ")
      value(row, at, schema(at).dataType, out)
    }
    out.append('}')
  }

  private def array(values: ArrayData, element: DataType, out: StringBuilder): Unit = {
    out.append('[')
    (0 until values.numElements()).foreach { at =>
      if (at > 0) out.append(", ")
      value(values, at, element, out)
    }
    out.append(']')
  }

  private def map(values: MapData, key: DataType, of: DataType, out: StringBuilder): Unit = {
    def texts(all: ArrayData, dataType: DataType) = (0 until values.numElements()).map { at =>
      val text = new StringBuilder
      value(all, at, dataType, text)
      text.toString
    }
    // The order of a map's entries says nothing.
    val entries = texts(values.keyArray(), key).zip(texts(values.valueArray(), of)).sorted
    out.append(entries.map { case (k, v) => s"$k -> $v" }.mkString("(", ", ", ")"))
  }

  private def value(
      from: SpecializedGetters,
      at: Int,
      dataType: DataType,
      out: StringBuilder
  ): Unit =
    if (from.isNullAt(at)) out.append("NULL")
    else {
      dataType match {
        case inner: StructType   => struct(from.getStruct(at, inner.length), inner, out)
        case ArrayType(of, _)    => array(from.getArray(at), of, out)
        case MapType(key, of, _) => map(from.getMap(at), key, of, out)
        case VariantType         =>
          val variant = from.getVariant(at)
          tree(VariantTree.decode(variant.getMetadata, variant.getValue), out)
        case BinaryType =>
          out.append(from.getBinary(at).map("%02x".format(_)).mkString("x", "", ""))
        case StringType => out.append('"').append(from.getUTF8String(at)).append('"')
        // NaN and -0.0 have texts of their own.
        case other => out.append(from.get(at, other))
      }
    }

  /** Integers and decimals without their widths: files do not keep them. */
  private def tree(of: VariantTree, out: StringBuilder): Unit = of match {
    case Int8(n)             => out.append(n.toLong)
    case Int16(n)            => out.append(n.toLong)
    case Int32(n)            => out.append(n.toLong)
    case Int64(n)            => out.append(n)
    case Decimal4(u, scale)  => out.append(s"$u~$scale")
    case Decimal8(u, scale)  => out.append(s"$u~$scale")
    case Decimal16(u, scale) => out.append(s"$u~$scale")
    case Obj(fields)         =>
      out.append('{')
      fields.sortBy(_._1).foreach { case (name, child) =>
        out.append('"').append(name).append("\": ")
        tree(child, out)
        out.append("; ")
      }
      out.append('}')
    case Arr(elements) =>
      out.append('[')
      elements.foreach { element =>
        tree(element, out)
        out.append("; ")
      }
      out.append(']')
    case other => out.append(other)
  }
}

package io.github.variantshredded.sql.kernel

import java.util.{ArrayList => JArrayList}

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.variant.{
  ArrayCursor,
  MetadataDictionary,
  ObjectCursor,
  VariantConstants,
  VariantPath,
  VariantReader
}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/**
 * Lists the fields and elements of a value as rows, which `inline` makes a table of. A value that
 * is no object or array has no rows.
 *
 * Arguments: the value; whether nested values are listed too; `BOTH`, `OBJECT` or `ARRAY` for the
 * values whose contents are listed. Values and paths of all rows together have at most the size
 * limit of a Variant. This does not count `this`: rows share the parent in memory, but each row
 * that is stored, for example by a sort, has a copy of it.
 */
private[sql] final case class Flatten(function: String) extends VariantKernel {
  @transient private lazy val arguments = new VariantArguments(function)

  override def fresh: VariantKernel = copy()

  override def apply(values: Array[AnyRef]): AnyRef = {
    val variant = values(0).asInstanceOf[VariantVal]
    val recursive = values(1).asInstanceOf[java.lang.Boolean]
    val mode = values(2).asInstanceOf[UTF8String]
    if (variant == null || recursive == null || mode == null) null
    else {
      val opened = mode.toUpperCase.toString
      if (!Flatten.Modes.contains(opened))
        throw VariantShreddedErrors.functionArgument(
          function,
          s"has no mode '$mode', only ${Flatten.Modes.mkString(", ")}"
        )
      val walk = new FlattenWalk(
        arguments.checked(variant),
        recursive,
        objects = opened != "ARRAY",
        arrays = opened != "OBJECT"
      )
      walk.open(variant, "")
      new GenericArrayData(walk.rows.toArray)
    }
  }
}

private[sql] object Flatten {

  /** The modes: which values have their contents listed. */
  val Modes: Seq[String] = Seq("BOTH", "OBJECT", "ARRAY")

  /** An array of (key, path, index, value, this). */
  val Rows: DataType = ArrayType(
    StructType(
      Seq(
        StructField("key", StringType),
        StructField("path", StringType),
        StructField("index", IntegerType),
        StructField("value", VariantType),
        StructField("this", VariantType)
      )
    ),
    containsNull = false
  )
}

/** Walks through one value, which has been checked, and collects rows. */
private final class FlattenWalk(
    dictionary: MetadataDictionary,
    recursive: Boolean,
    objects: Boolean,
    arrays: Boolean
) {
  val rows = new JArrayList[Any]
  private var bytes = 0L

  /** Adds the contents of `parent`, which is at `path` in the whole value. */
  def open(parent: VariantVal, path: String): Unit =
    VariantArguments.kind(parent) match {
      case VariantReader.ObjectKind if objects =>
        val cursor = new ObjectCursor().reset(parent.getValue, 0, parent.getValue.length)
        (0 until cursor.numFields).foreach { i =>
          val name = dictionary.key(cursor.fieldId(i))
          val at = DocumentPath.appendField(new StringBuilder(path), name).toString
          add(UTF8String.fromString(name), at, null, parent, cursor.fieldPos(i), cursor.end)
        }
      case VariantReader.ArrayKind if arrays =>
        val cursor = new ArrayCursor().reset(parent.getValue, 0, parent.getValue.length)
        (0 until cursor.numElements).foreach { i =>
          val at = VariantPath.element(path, i)
          add(null, at, Integer.valueOf(i), parent, cursor.elementPos(i), cursor.end)
        }
      case _ =>
    }

  private def add(
      key: UTF8String,
      path: String,
      index: Integer,
      parent: VariantVal,
      pos: Int,
      limit: Int
  ): Unit = {
    val value = VariantArguments.child(parent, pos, limit)
    bytes += value.getValue.length + path.length
    if (bytes > VariantConstants.SizeLimit)
      throw VariantShreddedErrors.variantSizeLimit(VariantConstants.SizeLimit)
    rows.add(InternalRow(key, UTF8String.fromString(path), index, value, parent))
    if (recursive) open(value, path)
  }
}

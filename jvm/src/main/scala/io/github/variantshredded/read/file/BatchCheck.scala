package io.github.variantshredded.read.file

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Reads the values of a batch that are computed only when they are read: Variants, and flags such as
 * whether a path exists. Where corrupt files are skipped, their errors have to be raised while the
 * file is read, and not in the operators of Spark that read the batch.
 */
private[file] object BatchCheck {

  def apply(batch: ColumnarBatch): Unit = {
    val types = (0 until batch.numCols).map(batch.column(_).dataType)
    val columns = types.indices.filter(i => isChecked(types(i)))
    if (columns.nonEmpty) (0 until batch.numRows).foreach { row =>
      val values = batch.getRow(row)
      columns.foreach(i => check(values, i, types(i)))
    }
  }

  private def isChecked(dataType: DataType): Boolean = dataType match {
    case VariantType | BooleanType => true
    case StructType(fields)        => fields.exists(field => isChecked(field.dataType))
    case ArrayType(element, _)     => isChecked(element)
    case MapType(_, value, _)      => isChecked(value)
    case _                         => false
  }

  private def check(values: SpecializedGetters, at: Int, dataType: DataType): Unit =
    if (isChecked(dataType) && !values.isNullAt(at)) dataType match {
      case VariantType        => values.getVariant(at): Unit
      case BooleanType        => values.getBoolean(at): Unit
      case StructType(fields) =>
        val struct = values.getStruct(at, fields.length)
        fields.indices.foreach(i => check(struct, i, fields(i).dataType))
      case ArrayType(element, _) =>
        val array = values.getArray(at)
        (0 until array.numElements()).foreach(check(array, _, element))
      case MapType(_, value, _) =>
        val all = values.getMap(at).valueArray()
        (0 until all.numElements()).foreach(check(all, _, value))
      case _ => ()
    }
}

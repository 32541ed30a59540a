package io.github.variantshredded.read.inspect

import io.github.variantshredded.read.columns.{FileColumns, RequestedParquet}
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.FileSchema
import io.github.variantshredded.read.skip.PathSkipping
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types._

/** Describes the leaf columns of ordinary columns. */
private[inspect] object OrdinaryLeaves {

  /**
   * Returns the leaf columns of the columns of `wanted` that the file has.
   *
   * @param columns
   *   `wanted`, as resolved in the file
   */
  def of(
      wanted: StructType,
      columns: FileColumns,
      schema: FileSchema,
      decoding: DecoderSettings
  ): Seq[FileLeaf] = {
    val leaves = new OrdinaryLeaves(
      new PathSkipping.OfColumns(wanted, columns, schema, decoding.datetimeRebase.mode)
    )
    wanted.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
      columns.stored(i).toSeq.flatMap(leaves.at(_, Seq(field.name)))
    }
  }
}

/** Walks through ordinary columns, and describes their leaf columns. */
private final class OrdinaryLeaves(predicates: PathSkipping.OfColumns) {

  /**
   * Returns the leaf columns at a column, or at a field in structs.
   *
   * @param path
   *   the name of the column and of the fields
   */
  def at(column: ParquetColumn, path: Seq[String]): Seq[FileLeaf] = column.sparkType match {
    case struct: StructType =>
      struct.fieldNames.toSeq.zip(column.children).flatMap { case (name, child) =>
        at(child, path :+ name)
      }
    case array: ArrayType =>
      column.children.flatMap(inElements(_, path, array, array.elementType, Nil))
    case _: MapType => column.children.flatMap(withoutPath)
    case dataType   => described(column, predicates.at(path, dataType))
  }

  /**
   * Returns the leaf columns of the elements of an array, or of a field in them.
   *
   * @param dataType
   *   the type of the elements or of the field
   * @param fields
   *   the ordinals that lead from an element to the field
   */
  private def inElements(
      column: ParquetColumn,
      path: Seq[String],
      array: ArrayType,
      dataType: DataType,
      fields: Seq[Int]
  ): Seq[FileLeaf] = dataType match {
    case struct: StructType =>
      struct.fields.toSeq.zip(column.children).zipWithIndex.flatMap { case ((field, child), i) =>
        inElements(child, path, array, field.dataType, fields :+ i)
      }
    case _: ArrayType | _: MapType => column.children.flatMap(withoutPath)
    case _                         => described(column, predicates.elements(path, array, fields))
  }

  /** Returns the leaf columns of a column to which no path leads that a predicate can name. */
  private def withoutPath(column: ParquetColumn): Seq[FileLeaf] =
    RequestedParquet.leavesOf(column).flatMap(described(_, predicates.nowhere))

  private def described(column: ParquetColumn, skipping: => PathSkipping): Seq[FileLeaf] =
    column.descriptor.toSeq.map { descriptor =>
      val path = descriptor.getPath.toIndexedSeq
      val dataType = Some(column.sparkType.simpleString)
      FileLeaf(path, path.mkString("."), None, dataType, None, Some(skipping))
    }
}

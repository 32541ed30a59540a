package io.github.variantshredded.read.skip

import scala.annotation.tailrec

import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.shredding.VariantTypes
import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, MessageType, Type}
import org.apache.parquet.schema.Type.Repetition
import org.apache.spark.sql.catalyst.util.ResolveDefaultColumns
import org.apache.spark.sql.execution.datasources.parquet.ParquetColumn
import org.apache.spark.sql.types._

/**
 * Translates tests of ordinary columns into predicates on their leaf columns.
 *
 * @param wanted
 *   the columns of the predicate
 * @param columns
 *   the same columns as resolved in the file
 */
private[skip] final class ColumnPredicates(
    wanted: StructType,
    columns: FileColumns,
    schema: MessageType,
    rebase: CalendarRebase
) {
  import ColumnPredicates._
  import LeafPredicate._

  private lazy val defaults = ResolveDefaultColumns.existenceDefaultValues(wanted)

  /** Returns the predicate that a column, or a field in it, passes `test`. */
  def ofValue(path: Seq[String], dataType: DataType, test: ValueTest): LeafPredicate =
    find(path) match {
      case Found.Constant(value) => ofConstant(test, dataType, valuesOf(value))
      case Found.Unclear         => Always
      case Found.At(column, _)   => leaf(column, dataType, test)
    }

  /**
   * Returns the predicate that an element of a column passes `test`, or the field of an element to
   * which the ordinals `fields` lead.
   */
  def ofElements(
      path: Seq[String],
      dataType: DataType,
      fields: Seq[Int],
      test: ValueTest
  ): LeafPredicate = (find(path), dataType) match {
    case (Found.Constant(null), _)                        => Never
    case (Found.At(column, _), ArrayType(elementType, _)) =>
      elementOf(column).fold[LeafPredicate](Always) { element =>
        val tested = VariantPredicates.fieldType(elementType, fields.toList)
        fieldOf(element, elementType, fields.toList) match {
          case Found.Constant(value)   => ofConstant(test, tested, valuesOf(value))
          case Found.At(leafColumn, _) => leaf(leafColumn, tested, test)
          case Found.Unclear           => Always
        }
      }
    case _ => Always
  }

  private def valuesOf(constant: Any): PossibleValues =
    if (constant == null) PossibleValues.OnlyNull else PossibleValues.only(constant)

  private def find(path: Seq[String]): Found = {
    val index = wanted.fieldNames.indexOf(path.head)
    if (index < 0 || VariantTypes.hasVariant(wanted(index).dataType)) Found.Unclear
    else {
      columns.stored(index) match {
        case Some(column) =>
          fieldAt(column, wanted(index).dataType, path.tail.toList)
        case None if path.size == 1 || defaults(index) == null => Found.Constant(defaults(index))
        case None                                              => Found.Unclear
      }
    }
  }

  private def fieldAt(column: ParquetColumn, dataType: DataType, names: List[String]): Found = {
    @tailrec
    def ordinals(at: DataType, names: List[String], found: List[Int]): Option[List[Int]] =
      (at, names) match {
        case (_, Nil) => Some(found.reverse)
        case (struct: StructType, name :: rest) if struct.fieldNames.contains(name) =>
          val ordinal = struct.fieldIndex(name)
          ordinals(struct(ordinal).dataType, rest, ordinal :: found)
        case _ => None
      }
    ordinals(dataType, names, Nil).fold[Found](Found.Unclear)(fieldOf(column, dataType, _))
  }

  @tailrec
  private def fieldOf(column: ParquetColumn, dataType: DataType, fields: List[Int]): Found =
    (dataType, fields) match {
      case _ if typeAt(column.path).isEmpty => Found.Constant(null)
      case (_, Nil)                         => Found.At(column, dataType)
      case (struct: StructType, field :: rest) if field < column.children.size =>
        fieldOf(column.children(field), struct(field).dataType, rest)
      case _ => Found.Unclear
    }

  private def leaf(column: ParquetColumn, dataType: DataType, test: ValueTest): LeafPredicate =
    column.descriptor.fold[LeafPredicate](Always) { descriptor =>
      val values = ColumnValues.of(descriptor.getPrimitiveType, dataType, rebase)
      Of(
        new LeafTest.Passes(
          descriptor.getPath.toIndexedSeq,
          values,
          test,
          dataType,
          orNull = false
        )
      )
    }

  /** Returns the element of an array that is stored as a three-level list; None for other forms. */
  private def elementOf(array: ParquetColumn): Option[ParquetColumn] = {
    val isList = typeAt(array.path).exists {
      case group: GroupType =>
        group.getLogicalTypeAnnotation == LogicalTypeAnnotation.listType &&
        group.getFieldCount == 1 && group.getType(0).isRepetition(Repetition.REPEATED)
      case _ => false
    }
    array.children match {
      case Seq(element) if isList && element.path.size == array.path.size + 2 => Some(element)
      case _                                                                  => None
    }
  }

  private def typeAt(path: Seq[String]): Option[Type] =
    path.foldLeft(Option[Type](schema)) {
      case (Some(group: GroupType), name) if group.containsField(name) => Some(group.getType(name))
      case _                                                           => None
    }
}

private object ColumnPredicates {

  /** Says what a file has for a column. */
  private sealed trait Found

  private object Found {
    final case class At(column: ParquetColumn, dataType: DataType) extends Found

    /** The column has the same value, or null, in every row. */
    final case class Constant(value: Any) extends Found
    case object Unclear extends Found
  }
}

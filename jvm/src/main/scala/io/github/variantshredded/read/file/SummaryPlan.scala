package io.github.variantshredded.read.file

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, LongType, StructField}

/**
 * Describes what an aggregate needs of each row group so that the statistics in the footer can answer
 * it: `count`, `min` and `max` of columns.
 *
 * If they can, a reader returns one or two summary rows in place of the rows of the row group: the
 * first has the least value of each column, the second the greatest. A summary row has counts
 * ([[countFields]]), which are null in other rows: the number of rows, and of the values of each
 * column; they are 0 in the second summary row.
 *
 * @param columns
 *   the columns that are aggregated or compared
 * @param predicates
 *   predicates of the query, bound to `columns`: each holds for all rows between two values if it
 *   holds for both
 */
final case class SummaryPlan(columns: Seq[SummaryPlan.Column], predicates: Seq[Expression]) {

  /** Returns the columns of the counts: of the rows, and of the values of each column. */
  def countFields: Seq[StructField] =
    StructField(SummaryPlan.RowCount, LongType) +: columns.indices.map { i =>
      StructField(s"${SummaryPlan.ValueCount}$i", LongType)
    }
}

object SummaryPlan {
  final val RowCount = "__rows"
  final val ValueCount = "__values_"

  /** Describes a column of a scan. */
  sealed trait Column {
    def dataType: DataType

    /** Returns whether the least and the greatest value are needed, beside the number of values. */
    def needsBounds: Boolean
  }

  /** Describes the data column `index`. */
  final case class OfData(index: Int, dataType: DataType, needsBounds: Boolean) extends Column

  /** Describes the extraction `index`. */
  final case class OfExtraction(index: Int, dataType: DataType, needsBounds: Boolean) extends Column
}

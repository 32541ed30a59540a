package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Expression,
  SubqueryExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.internal.SQLConf

/**
 * `DELETE FROM`: all rows, or those of the partitions for which `condition` holds.
 *
 * @param condition
 *   a condition on partition columns, which are found by their names
 */
private[variantshredded] final case class DeleteStatement private (
    table: CatalogedTable,
    condition: Expression
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    if (condition == TrueLiteral) table.truncateTable()
    else {
      val bound = condition.transform { case column: AttributeReference =>
        BoundReference(DeleteStatement.index(table, column), column.dataType, nullable = true)
      }
      table.partitions.delete((values: InternalRow) => bound.eval(values) == true)
    }
    Nil
  }
}

private[variantshredded] object DeleteStatement {

  /**
   * Returns the statement.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the condition does not select whole partitions
   */
  def of(table: CatalogedTable, condition: Expression): DeleteStatement = {
    val isOnPartitions = condition.deterministic && condition.references.forall {
      case column: AttributeReference => index(table, column) >= 0
      case _                          => false
    }
    val isEvaluable = !condition.exists {
      case _: AttributeReference => false
      case part                  => part.isInstanceOf[Unevaluable]
    }
    if (!isOnPartitions || !isEvaluable || SubqueryExpression.hasSubquery(condition))
      throw VariantShreddedErrors.unsupported(
        s"DELETE FROM ${table.name()} WHERE ${condition.sql}",
        "Files are deleted as a whole: compare partition columns only, or INSERT OVERWRITE the " +
          "table with the rows to keep."
      )
    DeleteStatement(table, condition)
  }

  private def index(table: CatalogedTable, column: AttributeReference): Int =
    table.partitionColumns.indexWhere(SQLConf.get.resolver(_, column.name))
}

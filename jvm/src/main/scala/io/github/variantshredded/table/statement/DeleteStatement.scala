package io.github.variantshredded.table.statement

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{CatalogedTable, PathTable, TableEntry}
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BoundReference,
  Expression,
  SubqueryExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  V2SessionCatalog
}
import org.apache.spark.sql.internal.SQLConf

/**
 * Runs `DELETE FROM`: deletes all rows, or those of the partitions for which `predicate` holds.
 *
 * @param predicate
 *   a predicate on partition columns, which are found by their names
 */
private[variantshredded] final case class DeleteStatement private (
    table: CatalogedTable,
    predicate: Expression
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    if (predicate == TrueLiteral) table.truncateTable()
    else {
      val bound = predicate.transform { case column: AttributeReference =>
        BoundReference(DeleteStatement.index(table, column), column.dataType, nullable = true)
      }
      table.partitions.delete((values: InternalRow) => bound.eval(values) == true)
    }
    Nil
  }
}

private[variantshredded] object DeleteStatement {

  /**
   * Returns the `DELETE` of a table of this source. Spark itself would replace a cached table by
   * its rows, also in a `DELETE`, and would pass on few kinds of predicates.
   */
  def of(session: classic.SparkSession, delete: DeleteFromTable): LogicalPlan = {
    val target = delete.table match {
      case cached: InMemoryRelation => cached.cacheBuilder.logicalPlan
      case plan                     => plan
    }
    val relation = target.collectFirst {
      case relation: DataSourceV2Relation => relation
      case scan: DataSourceV2ScanRelation => scan.relation
    }
    relation.map(r => (r.table, r.catalog, r.identifier)) match {
      case Some((table: CatalogedTable, Some(_: V2SessionCatalog), Some(name))) =>
        val entry = TableEntry.of(session, TableInternals.identifier(name))
        of(table.copy(entry = Some(entry)), delete.condition)
      case Some((table: CatalogedTable, _, _)) => of(table, delete.condition)
      case Some((table: PathTable, _, _))      => throw TableInternals.unsupportedDelete(table)
      case _                                   => delete
    }
  }

  /**
   * Returns the statement.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the predicate does not select whole partitions
   */
  private def of(table: CatalogedTable, predicate: Expression): DeleteStatement = {
    val isOnPartitions = predicate.deterministic && predicate.references.forall {
      case column: AttributeReference => index(table, column) >= 0
      case _                          => false
    }
    val isEvaluable = !predicate.exists {
      case _: AttributeReference => false
      case part                  => part.isInstanceOf[Unevaluable]
    }
    if (!isOnPartitions || !isEvaluable || SubqueryExpression.hasSubquery(predicate))
      throw VariantShreddedErrors.unsupported(
        s"DELETE FROM ${table.name()} WHERE ${predicate.sql}",
        "Files are deleted as a whole: compare partition columns only, or INSERT OVERWRITE the " +
          "table with the rows to keep."
      )
    DeleteStatement(table, predicate)
  }

  private def index(table: CatalogedTable, column: AttributeReference): Int =
    table.partitionColumns.indexWhere(SQLConf.get.resolver(_, column.name))
}

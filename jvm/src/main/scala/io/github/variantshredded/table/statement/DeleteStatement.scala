package io.github.variantshredded.table.statement

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.read.scan.VariantScan
import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.table.{CatalogedTable, PathTable, TableEntry}
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.plans.logical.{
  DeleteFromTable,
  LogicalPlan,
  Project,
  SubqueryAlias,
  View
}
import org.apache.spark.sql.catalyst.util.{CharVarcharCodegenUtils, CharVarcharUtils}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.{
  DataSourceV2Relation,
  DataSourceV2ScanRelation,
  V2SessionCatalog
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

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
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the target is a view that does not show the table as it is
   */
  def of(session: classic.SparkSession, delete: DeleteFromTable): LogicalPlan = {
    val relation = relationIn(delete.table)
    relation.map(r => (r.table, r.catalog, r.identifier)) match {
      case Some((table: CatalogedTable, catalog, identifier)) =>
        val known = (catalog, identifier) match {
          case (Some(_: V2SessionCatalog), Some(name)) =>
            table.copy(entry = Some(TableEntry.of(session, TableInternals.identifier(name))))
          case _ => table
        }
        if (!isWhole(delete.table)) throw viewOf(known)
        of(known, delete.condition)
      case Some((table: PathTable, _, _)) => throw TableInternals.unsupportedDelete(table)
      case _                              => delete
    }
  }

  /** Returns the first relation of this source in the target of the statement. */
  private def relationIn(target: LogicalPlan): Option[DataSourceV2Relation] =
    target
      .collect {
        case relation: DataSourceV2Relation => Some(relation)
        case scan: DataSourceV2ScanRelation => Some(scan.relation)
        case cached: InMemoryRelation       => relationIn(cached.cacheBuilder.logicalPlan)
      }
      .flatten
      .find(found =>
        found.table.isInstanceOf[CatalogedTable] || found.table.isInstanceOf[PathTable]
      )

  /**
   * Returns whether the target is a table with all of its rows and columns. The optimizer has put
   * the queries of views in their place, and has pushed parts of them into the scans. The query of a
   * cache is as it was before the optimizer, and only its columns have the names of the target.
   */
  private def isWhole(target: LogicalPlan): Boolean = target match {
    case relation: DataSourceV2Relation => relation.options.isEmpty
    case scan: DataSourceV2ScanRelation =>
      def ids(columns: Seq[Attribute]) = columns.map(_.exprId).toSet
      isWhole(scan.relation) && ids(scan.output) == ids(scan.relation.output) &&
      (scan.scan match {
        case variants: VariantScan => variants.pushed.isEmpty
        case _                     => false
      })
    case cached: InMemoryRelation =>
      val query = cached.cacheBuilder.logicalPlan
      isWhole(query) && cached.output.map(_.name) == query.output.map(_.name)
    case SubqueryAlias(_, child) => isWhole(child)
    case view: View              => isWhole(view.child)
    // A scan returns partition columns last, whatever their place in the table is.
    case Project(columns, child) =>
      isWhole(child) && columns.size == child.output.size &&
      columns.forall(column => child.output.exists(isSame(column, _)))
    case _ => false
  }

  /** Returns whether `read` is a column without a change, except for the padding of CHAR. */
  private def isSame(read: NamedExpression, column: Attribute): Boolean =
    read.name == column.name && read.references == AttributeSet(column) && (read match {
      case Alias(value, _) =>
        value match {
          case _: Attribute                           => true
          case Cast(child: Attribute, dataType, _, _) => dataType == child.dataType
          case padding: StaticInvoke => padding.staticObject == classOf[CharVarcharCodegenUtils]
          // The fields of a struct are padded.
          case _ =>
            !value.dataType.isInstanceOf[StringType] &&
            CharVarcharUtils.getRawType(read.metadata).isDefined
        }
      case _ => true
    })

  private def viewOf(table: CatalogedTable): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"DELETE of a view of ${table.name()}",
      "Delete from the table."
    )

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

package io.github.variantshredded.table

import scala.util.Try

import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  LogicalPlan,
  V2WriteCommand
}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Handles the statement `INSERT ... PARTITION (p = '')`. */
private[variantshredded] object EmptyPartitionValue {

  // The two forms of an empty literal.
  private val Empty = Seq("''", "\"\"")

  /**
   * Refuses the statement, whose rows would get null in place of the value. Spark refuses it for
   * its own file sources. The plan is the same as for a query that returns an empty value, for
   * which both write null, so the text of the statement is checked.
   */
  def refuse(session: classic.SparkSession, write: V2WriteCommand): Unit = write.table match {
    case relation: DataSourceV2Relation if relation.table.isInstanceOf[CatalogedTable] =>
      for {
        text <- write.origin.sqlText.toSeq
        if Empty.exists(text.contains)
        statement <- Try(session.sessionState.sqlParser.parsePlan(text)).toOption.toSeq
        insert <- inserts(statement)
        if insert.origin.startIndex == write.origin.startIndex
        case (column, Some("")) <- insert.partitionSpec
      } throw TableInternals.invalidPartition(
        s"The spec ([$column=]) contains an empty partition column value"
      )
    case _ => ()
  }

  /**
   * Returns the statements within a parsed text. They are behind `WITH`, several in one `FROM ...
   * INSERT ... INSERT`, and anywhere in a script, whose nodes do not have all of them as children.
   */
  private def inserts(parsed: Any): Iterator[InsertIntoStatement] = parsed match {
    case insert: InsertIntoStatement => Iterator(insert)
    case plan: LogicalPlan           => plan.productIterator.flatMap(inserts)
    case several: Iterable[_]        => several.iterator.flatMap(inserts)
    case some: Option[_]             => some.iterator.flatMap(inserts)
    case _                           => Iterator.empty
  }
}

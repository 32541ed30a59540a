package io.github.variantshredded.table

import scala.util.Try

import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, V2WriteCommand}
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
        text <- write.origin.sqlText
        if Empty.exists(text.contains)
        statement <- Try(session.sessionState.sqlParser.parsePlan(text))
      } statement.foreach {
        case insert: InsertIntoStatement if insert.origin.startIndex == write.origin.startIndex =>
          insert.partitionSpec.collectFirst { case (column, Some("")) =>
            throw TableInternals.invalidPartition(
              s"The spec ([$column=]) contains an empty partition column value"
            )
          }
        case _ => ()
      }
    case _ => ()
  }
}

package io.github.variantshredded.table

import java.util.Locale

import scala.util.Try

import io.github.variantshredded.spark.TableInternals
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  LogicalPlan,
  OverwriteByExpression,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf

/** Checks the values in the clause `PARTITION (p = 'x')` of an `INSERT`. */
private[variantshredded] object PartitionClause {

  // The two forms of an empty literal, and the beginning of a variable, which may stand for one.
  private val Variable = "${"
  private val MaybeEmpty = Seq("''", "\"\"", Variable)

  /**
   * Refuses a statement with an empty value, whose rows would get null in its place. Spark refuses
   * it for its own file sources. Also refuses an overwrite whose value does not fit the column.
   * Spark evaluates such a value twice: for the rows, which ends in an error unless Spark knows
   * early that there are none, and for the partition to replace, which is that of nulls if
   * `spark.sql.ansi.enabled` is false.
   *
   * The plan is the same as for a query that returns the value, so the text of the statement is
   * checked.
   */
  def check(session: classic.SparkSession, write: V2WriteCommand): Unit = write.table match {
    case relation: DataSourceV2Relation if relation.table.isInstanceOf[CatalogedTable] =>
      lazy val castsLeniently = isCastLeniently(write)
      for {
        text <- text(write.origin).toSeq
        if MaybeEmpty.exists(text.contains) || castsLeniently
        if mayHaveClause(text)
        statement <- Try(session.sessionState.sqlParser.parsePlan(text)).toOption.toSeq
        insert <- inserts(statement)
        if insert.origin.startIndex == write.origin.startIndex
        (column, Some(value)) <- insert.partitionSpec
        if value != null
      } {
        if (value.isEmpty) throw empty(column)
        if (castsLeniently) checkCast(relation, column, value)
      }
    case _ => ()
  }

  /** Returns whether the text may have a clause `PARTITION`, which may be the value of a variable. */
  private def mayHaveClause(text: String): Boolean =
    text.contains(Variable) || text.toLowerCase(Locale.ROOT).contains("partition")

  private def empty(column: String): Throwable = TableInternals.invalidPartition(
    s"The spec ([$column=]) contains an empty partition column value"
  )

  /** Throws the error in which the cast of the value ends for rows. */
  private def checkCast(relation: DataSourceV2Relation, column: String, value: String): Unit =
    relation.output.find(attribute => SQLConf.get.resolver(attribute.name, column)).foreach {
      attribute =>
        val cast = Cast(Literal(value), attribute.dataType, ansiEnabled = true)
        cast.setTagValue(Cast.BY_TABLE_INSERTION, ())
        val _ = cast.withTimeZone(SQLConf.get.sessionLocalTimeZone).eval()
    }

  /** Returns the text as Spark has parsed it, with the values of parameters. */
  private def text(origin: Origin): Option[String] =
    origin.positionMapper.map(_.substitutedText).orElse(origin.sqlText)

  /** Returns whether the values are cast for the partition only, and without errors. */
  private def isCastLeniently(write: V2WriteCommand): Boolean = write match {
    case overwrite: OverwriteByExpression =>
      !SQLConf.get.ansiEnabled && overwrite.query.maxRows.contains(0L)
    case _ => false
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

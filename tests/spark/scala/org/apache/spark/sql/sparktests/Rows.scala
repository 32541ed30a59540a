package org.apache.spark.sql.sparktests

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Predicate}
import org.apache.spark.sql.classic.ClassicConversions._

/** In a package of Spark's, as only these can make columns from expressions. */
object Rows {

  /** Returns the columns that `predicate` uses, in the rows for which it holds. */
  def of(df: DataFrame, predicate: Predicate): DataFrame = {
    val output = predicate.collect { case attribute: Attribute => attribute }.distinct
    df.select(output.map(Column(_)): _*).where(Column(predicate))
  }
}

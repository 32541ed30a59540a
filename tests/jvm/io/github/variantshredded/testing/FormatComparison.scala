package io.github.variantshredded.testing

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession

/** Runs statements on tables of two formats, Spark's Parquet source and this one. */
object FormatComparison {

  /** Stands for the name of the table; further tables are `T2`, `T3`. */
  private val Table = "\\bT(\\d?)\\b".r

  /** A statement, the answer of Spark's Parquet source, and that of this source. */
  final case class Answers(statement: String, parquet: String, ours: String)

  /**
   * Runs `statements` first with one format, then with the other.
   *
   * @param statements
   *   with `$F` for the format, `T` for the table, and `$D` for a directory
   */
  def run(spark: SparkSession, folder: String, statements: Seq[String]): Seq[Answers] = {
    val id = java.util.UUID.randomUUID.toString.take(8).replace("-", "")
    def answers(format: String): Seq[String] = {
      val prefix = s"t_${id}_${format.take(1)}"
      statements.map { statement =>
        val text = Table
          .replaceAllIn(statement, m => s"${prefix}_${m.group(1)}")
          .replace("$F", format)
          .replace("$D", s"$folder/$prefix")
        answer(spark, text).replace(prefix, "T").replace("variant_shredded", "parquet")
      }
    }
    statements.zip(answers("parquet")).zip(answers("variant_shredded")).map {
      case ((statement, parquet), ours) => Answers(statement, parquet, ours)
    }
  }

  private def answer(spark: SparkSession, statement: String): String =
    try {
      val answer = spark.sql(statement)
      (answer.columns.mkString(",") +: answer.collect().map(_.mkString("|")).toSeq).mkString("\n")
    } catch { case e: SparkThrowable => s"error ${e.getCondition}" }
}

package io.github.variantshredded.sparktests.quick

import io.github.variantshredded.options.Format
import io.github.variantshredded.sparktests.Judged
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.connector.InsertIntoTests

// Spark's tests of INSERT for a catalog with tables of the second version of its interfaces.

abstract class InsertIntoSuite(sql: Boolean)
    extends InsertIntoTests(supportsDynamicOverwrite = true, includeSQLOnlyTests = sql)
    with Judged {

  override protected val v2Format: String = Format.SqlName
  override protected val catalogAndNamespace: String = "spark_catalog.default."

  override protected def verifyTable(tableName: String, expected: DataFrame): Unit =
    checkAnswer(spark.table(tableName), expected)

  // Only Spark's table in memory has these metrics.
  override protected def checkInsertMetrics(tableName: String, numInsertedRows: Long): Unit = ()

  override protected def afterEach(): Unit =
    try spark.sessionState.catalog.reset()
    finally super.afterEach()
}

class SqlInsertIntoSuite extends InsertIntoSuite(sql = true) {

  override protected def doInsert(tableName: String, insert: DataFrame, mode: SaveMode): Unit =
    withTempView("rows") {
      insert.createOrReplaceTempView("rows")
      val into = if (mode == SaveMode.Overwrite) "OVERWRITE" else "INTO"
      sql(s"INSERT $into TABLE $tableName SELECT * FROM rows")
    }
}

class DataFrameInsertIntoSuite extends InsertIntoSuite(sql = false) {

  override protected def doInsert(tableName: String, insert: DataFrame, mode: SaveMode): Unit = {
    val writer = insert.write.format(Format.Name)
    if (mode != null) writer.mode(mode)
    writer.insertInto(tableName)
  }
}

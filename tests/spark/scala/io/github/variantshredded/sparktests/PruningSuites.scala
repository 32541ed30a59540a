package io.github.variantshredded.sparktests

import io.github.variantshredded.read.scan.VariantScan
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.Predicate
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.datasources.parquet
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.sparktests.Rows

// What scans leave out. The tests look into the scan of Spark's Parquet source, so these classes look
// into the scan of this source, or at the rows only.

/** Checks the rows; Spark's test also checks which classes of parquet-java do the filtering. */
class ParquetFilterSuite extends parquet.ParquetFilterSuite with Judged {

  override def checkFilterPredicate(
      df: DataFrame,
      predicate: Predicate,
      filterClass: Class[_ <: FilterPredicate],
      checker: (DataFrame, Seq[Row]) => Unit,
      expected: Seq[Row]
  ): Unit = checker(Rows.of(df, predicate), expected)
}

class ParquetV2SchemaPruningSuite extends parquet.ParquetV2SchemaPruningSuite with Judged {

  override def checkScanSchemata(df: DataFrame, expected: String*): Unit = {
    val schemas = collect(df.queryExecution.executedPlan) { case scan: BatchScanExec =>
      scan.scan.asInstanceOf[VariantScan].readDataSchema
    }
    assert(schemas.size === expected.size)
    schemas.zip(expected).foreach { case (schema, text) =>
      assert(schemaEquality.areEqual(schema, CatalystSqlParser.parseDataType(text)))
    }
  }
}

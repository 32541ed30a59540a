package io.github.variantshredded.sparktests

import org.apache.spark.sql

// Queries of many kinds.

class DynamicPartitionPruningV1SuiteAEOff
    extends sql.DynamicPartitionPruningV1SuiteAEOff
    with Judged {
  override protected def runAnalyzeColumnCommands: Boolean = false
}

class DynamicPartitionPruningV1SuiteAEOn
    extends sql.DynamicPartitionPruningV1SuiteAEOn
    with Judged {
  override protected def runAnalyzeColumnCommands: Boolean = false
}

class SQLQuerySuite extends sql.SQLQuerySuite with Judged

class DataFrameSuite extends sql.DataFrameSuite with Judged

class UnwrapCastInComparisonEndToEndSuite
    extends sql.UnwrapCastInComparisonEndToEndSuite
    with Judged

class STExpressionsSuite extends sql.STExpressionsSuite with Judged

class PruneFileSourcePartitionsSuite
    extends sql.execution.datasources.PruneFileSourcePartitionsSuite
    with Judged

package io.github.variantshredded.sparktests

import org.apache.spark.sql

// Tables by name, in Spark's own catalog.

class InsertSuite extends sql.sources.InsertSuite with Judged

class CachedTableSuite extends sql.CachedTableSuite with Judged

class CatalogSuite extends sql.internal.CatalogSuite with Judged

class DeprecatedCreateExternalTableSuite
    extends sql.internal.DeprecatedCreateExternalTableSuite
    with Judged

class InMemoryCatalogedDDLSuite extends sql.execution.command.InMemoryCatalogedDDLSuite with Judged

class BasicCharVarcharTestSuite extends sql.BasicCharVarcharTestSuite with Judged

class FileSourceCharVarcharTestSuite extends sql.FileSourceCharVarcharTestSuite with Judged

class FileSourceSQLInsertTestSuite extends sql.FileSourceSQLInsertTestSuite with Judged

class ResolveDefaultColumnsSuite extends sql.ResolveDefaultColumnsSuite with Judged

class StatisticsCollectionSuite extends sql.StatisticsCollectionSuite with Judged

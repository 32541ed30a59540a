package io.github.variantshredded.takeovertests

import io.github.variantshredded.sparktests.Judged
import org.apache.spark.sql
import org.apache.spark.sql.execution.datasources
import org.apache.spark.sql.execution.datasources.parquet

// Spark's suites in sessions with the extension, unchanged.

class VariantSuite extends sql.VariantSuite with Judged

class VariantEndToEndSuite extends sql.VariantEndToEndSuite with Judged

class VariantShreddingSuite extends sql.VariantShreddingSuite with Judged

class VariantInferShreddingSuite extends parquet.VariantInferShreddingSuite with Judged

class PushVariantIntoScanSuite extends datasources.PushVariantIntoScanSuite with Judged

class PushVariantIntoScanVectorizedSuite
    extends datasources.PushVariantIntoScanVectorizedSuite
    with Judged

class PushVariantIntoScanV2Suite extends datasources.PushVariantIntoScanV2Suite with Judged

class PushVariantIntoScanV2VectorizedSuite
    extends datasources.PushVariantIntoScanV2VectorizedSuite
    with Judged

class ParquetV1QuerySuite extends parquet.ParquetV1QuerySuite with Judged

class ParquetV2QuerySuite extends parquet.ParquetV2QuerySuite with Judged

class FileMetadataStructSuite extends datasources.FileMetadataStructSuite with Judged

class FileBasedDataSourceSuite extends sql.FileBasedDataSourceSuite with Judged

class CachedTableSuite extends sql.CachedTableSuite with Judged

class InsertSuite extends sql.sources.InsertSuite with Judged

class DynamicPartitionPruningV1SuiteAEOn extends sql.DynamicPartitionPruningV1SuiteAEOn with Judged

class DynamicPartitionPruningV1SuiteAEOff
    extends sql.DynamicPartitionPruningV1SuiteAEOff
    with Judged

class DynamicPartitionPruningV2SuiteAEOn extends sql.DynamicPartitionPruningV2SuiteAEOn with Judged

class DynamicPartitionPruningV2SuiteAEOff
    extends sql.DynamicPartitionPruningV2SuiteAEOff
    with Judged

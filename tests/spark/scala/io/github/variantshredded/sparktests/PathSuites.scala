package io.github.variantshredded.sparktests

import org.apache.spark.sql
import org.apache.spark.sql.execution.datasources

// Reads and writes of paths.

class DataFrameReaderWriterSuite extends sql.test.DataFrameReaderWriterSuite with Judged

class FileBasedDataSourceSuite extends sql.FileBasedDataSourceSuite with Judged

class MetadataCacheV1Suite extends sql.MetadataCacheV1Suite with Judged

class MetadataCacheV2Suite extends sql.MetadataCacheV2Suite with Judged

class ParquetReadSchemaSuite extends datasources.ParquetReadSchemaSuite with Judged

class VectorizedParquetReadSchemaSuite
    extends datasources.VectorizedParquetReadSchemaSuite
    with Judged

class MergedParquetReadSchemaSuite extends datasources.MergedParquetReadSchemaSuite with Judged

class FileMetadataStructSuite extends datasources.FileMetadataStructSuite with Judged

class TableLocationSuite extends datasources.TableLocationSuite with Judged

class ParquetFileMetadataStructRowIndexSuite
    extends datasources.parquet.ParquetFileMetadataStructRowIndexSuite
    with Judged

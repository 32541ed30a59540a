package io.github.variantshredded.sparktests

import org.apache.spark.sql.execution.datasources.parquet

// The features of Spark's Parquet source.

class ParquetV1QuerySuite extends parquet.ParquetV1QuerySuite with Judged

class ParquetV2QuerySuite extends parquet.ParquetV2QuerySuite with Judged

class ParquetIOSuite extends parquet.ParquetIOSuite with Judged

class ParquetV1PartitionDiscoverySuite extends parquet.ParquetV1PartitionDiscoverySuite with Judged

class ParquetV2PartitionDiscoverySuite extends parquet.ParquetV2PartitionDiscoverySuite with Judged

class ParquetFieldIdIOSuite extends parquet.ParquetFieldIdIOSuite with Judged

class ParquetTypeWideningSuite extends parquet.ParquetTypeWideningSuite with Judged

class ParquetRebaseDatetimeV1Suite extends parquet.ParquetRebaseDatetimeV1Suite with Judged

class ParquetRebaseDatetimeV2Suite extends parquet.ParquetRebaseDatetimeV2Suite with Judged

class ParquetInteroperabilitySuite extends parquet.ParquetInteroperabilitySuite with Judged

class ParquetEncodingSuite extends parquet.ParquetEncodingSuite with Judged

class ParquetColumnIndexSuite extends parquet.ParquetColumnIndexSuite with Judged

class ParquetThriftCompatibilitySuite extends parquet.ParquetThriftCompatibilitySuite with Judged

class ParquetAvroCompatibilitySuite extends parquet.ParquetAvroCompatibilitySuite with Judged

class ParquetProtobufCompatibilitySuite
    extends parquet.ParquetProtobufCompatibilitySuite
    with Judged

class ParquetFileFormatV1Suite extends parquet.ParquetFileFormatV1Suite with Judged

class ParquetFileFormatV2Suite extends parquet.ParquetFileFormatV2Suite with Judged

class ParquetGeoSuite extends parquet.ParquetGeoSuite with Judged

class ParquetSchemaInferenceSuite extends parquet.ParquetSchemaInferenceSuite with Judged

class ParquetSchemaSuite extends parquet.ParquetSchemaSuite with Judged

package io.github.variantshredded.sparktests.quick

import io.github.variantshredded.sparktests.Judged
import org.apache.spark.sql
import org.apache.spark.sql.execution

// The short suites that `make test` runs too: some of every kind.

class SaveLoadSuite extends sql.sources.SaveLoadSuite with Judged

class PartitionedWriteSuite extends sql.sources.PartitionedWriteSuite with Judged

class NestedDataSourceV1Suite extends sql.NestedDataSourceV1Suite with Judged

class NestedDataSourceV2Suite extends sql.NestedDataSourceV2Suite with Judged

class ParquetCodecSuite extends execution.datasources.ParquetCodecSuite with Judged

class FileFormatWriterSuite extends execution.datasources.FileFormatWriterSuite with Judged

class VariantEndToEndSuite extends sql.VariantEndToEndSuite with Judged

class CreateTableAsSelectSuite extends sql.sources.CreateTableAsSelectSuite with Judged {

  // The first fails if root runs it, and leaves the table on which the second fails then.
  override protected def excluded: Seq[String] = Seq(
    "CREATE TABLE USING AS SELECT based on the file without write permission",
    "create a table, drop it and create another one with the same name"
  )
}

class ParquetCompressionCodecPrecedenceSuite
    extends execution.datasources.parquet.ParquetCompressionCodecPrecedenceSuite
    with Judged

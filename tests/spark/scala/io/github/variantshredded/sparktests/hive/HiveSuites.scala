package io.github.variantshredded.sparktests.hive

import io.github.variantshredded.options.Format
import io.github.variantshredded.sparktests.{Judged, PartitionLocations}
import org.apache.spark.sql.execution.command.v1
import org.apache.spark.sql.hive
import org.apache.spark.sql.hive.execution.command
import org.apache.spark.sql.sources

// Tables in Hive's metastore. These suites share one session, and run in a JVM of their own.

class HadoopFsRelationSuite extends sources.ParquetHadoopFsRelationSuite with Judged {
  final override val dataSourceName = "variant_shredded"
}

class MetastoreDataSourcesSuite extends hive.MetastoreDataSourcesSuite with Judged

class PartitionProviderCompatibilitySuite
    extends hive.PartitionProviderCompatibilitySuite
    with Judged

class MultiDatabaseSuite extends hive.MultiDatabaseSuite with Judged

class DataSourceWithHiveMetastoreCatalogSuite
    extends hive.DataSourceWithHiveMetastoreCatalogSuite
    with Judged

/** The statements about tables, for tables of this source in Hive's metastore. */
trait HiveCommand extends command.CommandSuiteBase with PartitionLocations {
  override def defaultUsing: String = s"USING ${Format.SqlName}"
}

class HiveAlterTableAddColumnsSuite
    extends v1.AlterTableAddColumnsSuiteBase
    with HiveCommand
    with Judged

class HiveAlterTableAddPartitionSuite
    extends v1.AlterTableAddPartitionSuiteBase
    with HiveCommand
    with Judged

class HiveAlterTableDropPartitionSuite
    extends v1.AlterTableDropPartitionSuiteBase
    with HiveCommand
    with Judged

class HiveAlterTableRecoverPartitionsSuite
    extends v1.AlterTableRecoverPartitionsSuiteBase
    with HiveCommand
    with Judged

class HiveAlterTableRenamePartitionSuite
    extends v1.AlterTableRenamePartitionSuiteBase
    with HiveCommand
    with Judged

class HiveAlterTableRenameSuite extends v1.AlterTableRenameSuiteBase with HiveCommand with Judged

class HiveShowColumnsSuite extends v1.ShowColumnsSuiteBase with HiveCommand with Judged

class HiveShowPartitionsSuite extends v1.ShowPartitionsSuiteBase with HiveCommand with Judged

class HiveTruncateTableSuite extends v1.TruncateTableSuiteBase with HiveCommand with Judged

class HiveMsckRepairTableSuite extends v1.MsckRepairTableSuiteBase with HiveCommand with Judged

class HiveDropTableSuite extends v1.DropTableSuiteBase with HiveCommand with Judged

package io.github.variantshredded.sparktests

import org.apache.spark.sql.execution.command.v1

// Statements about tables, in Spark's own catalog.

class AlterTableAddColumnsSuite extends v1.AlterTableAddColumnsSuite with Judged

class AlterTableAddPartitionSuite
    extends v1.AlterTableAddPartitionSuite
    with PartitionLocations
    with Judged

class AlterTableDropColumnSuite extends v1.AlterTableDropColumnSuite with Judged

class AlterTableDropPartitionSuite
    extends v1.AlterTableDropPartitionSuite
    with PartitionLocations
    with Judged

class AlterTableRecoverPartitionsSuite
    extends v1.AlterTableRecoverPartitionsSuite
    with PartitionLocations
    with Judged

class AlterTableRenameColumnSuite extends v1.AlterTableRenameColumnSuite with Judged

class AlterTableRenamePartitionSuite
    extends v1.AlterTableRenamePartitionSuite
    with PartitionLocations
    with Judged

class AlterTableRenameSuite extends v1.AlterTableRenameSuite with Judged

class AlterTableSetLocationSuite extends v1.AlterTableSetLocationSuite with Judged

class AlterTableSetTblPropertiesSuite extends v1.AlterTableSetTblPropertiesSuite with Judged

class AlterTableUnsetTblPropertiesSuite extends v1.AlterTableUnsetTblPropertiesSuite with Judged

class ShowColumnsSuite extends v1.ShowColumnsSuite with Judged

class ShowCreateTableSuite extends v1.ShowCreateTableSuite with Judged

class ShowPartitionsSuite extends v1.ShowPartitionsSuite with PartitionLocations with Judged

class ShowTablesSuite extends v1.ShowTablesSuite with Judged

class ShowTblPropertiesSuite extends v1.ShowTblPropertiesSuite with Judged

class TruncateTableSuite extends v1.TruncateTableSuite with PartitionLocations with Judged

class MsckRepairTableSuite extends v1.MsckRepairTableSuite with PartitionLocations with Judged

class DescribeTableSuite extends v1.DescribeTableSuite with Judged

class DropTableSuite extends v1.DropTableSuite with Judged

class AlterTableClusterBySuite extends v1.AlterTableClusterBySuite with Judged

class CreateTableClusterBySuite extends v1.CreateTableClusterBySuite with Judged

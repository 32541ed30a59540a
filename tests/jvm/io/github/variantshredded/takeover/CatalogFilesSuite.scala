package io.github.variantshredded.takeover

import io.github.variantshredded.SessionSetup
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  GreaterThan,
  Literal
}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, InMemoryFileIndex}
import org.apache.spark.sql.types.IntegerType

/** How often the files of a table with partitions in the catalog are listed. */
class CatalogFilesSuite extends TableSuite {

  test("the catalog is asked for the same partitions once by a plan, and again by the next one") {
    withTable { t =>
      rows(0, 9).write.partitionBy("p").format("parquet").saveAsTable(t)
      val session = SessionSetup.classicSession(spark)
      val table = session.sessionState.catalog.getTableMetadata(TableIdentifier(t))
      var asked = 0
      val index = new CatalogFileIndex(session, table, 0) {
        override def filterPartitions(filters: Seq[Expression]): InMemoryFileIndex = {
          asked += 1
          super.filterPartitions(filters)
        }
      }
      def files = new CatalogFiles(session, index, LocalRelation(), Nil)
      val p = AttributeReference("p", IntegerType)()
      def partitions(files: CatalogFiles, above: Int): Seq[Int] =
        files.listFiles(Seq(GreaterThan(p, Literal(above))), Nil).map(_.values.getInt(0)).sorted
      val first = files
      assert(partitions(first, 0) === Seq(1, 2))
      assert(partitions(first, 0) === Seq(1, 2))
      assert(asked === 1)
      assert(partitions(first, 1) === Seq(2))
      assert(asked === 2)
      spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{}'), 5)")
      assert(partitions(files, 0) === Seq(1, 2, 5))
      assert(asked === 3)
      first.refresh()
      assert(partitions(first, 0) === Seq(1, 2, 5))
      assert(first.inputFiles.length === 4)
      assert(asked === 5)
    }
  }
}

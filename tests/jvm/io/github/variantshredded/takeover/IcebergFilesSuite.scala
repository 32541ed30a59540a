package io.github.variantshredded.takeover

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.read.footer.UnchangedFile
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{DeleteFile, FileFormat, PartitionSpec, Schema, Table}
import org.apache.iceberg.deletes.BaseDVFileWriter
import org.apache.iceberg.io.OutputFileFactory
import org.apache.iceberg.types.Types
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.scalatest.funsuite.AnyFunSuite

/** The files of Iceberg's tables and their live rows, without a session. */
class IcebergFilesSuite extends AnyFunSuite with TemporaryFolder {

  private val schema = new Schema(Types.NestedField.required(1, "n", Types.LongType.get))

  private def newTable(name: String): Table = IcebergTables.create(folder.resolve(name), schema)

  /** Writes a deletion vector for the rows of a file. */
  private def deleted(table: Table, location: String, rows: Seq[Long]): Seq[DeleteFile] = {
    val files = OutputFileFactory.builderFor(table, 1, 1).format(FileFormat.PUFFIN).build()
    val writer = new BaseDVFileWriter(files, _ => null)
    Using.resource(writer) { each =>
      rows.foreach(each.delete(location, _, PartitionSpec.unpartitioned, null))
    }
    writer.result.deleteFiles.asScala.toSeq
  }

  test("the files are known not to change") {
    val table = newTable("unchanged")
    IcebergTables.append(table)
    val tasks = Using.resource(table.newScan.planFiles())(_.asScala.toSeq)
    val files = new IcebergFiles(table, Option(table.currentSnapshot), schema, tasks, true)
    val listed = files.listFiles(Nil, Nil).flatMap(_.files).map(_.fileStatus)
    assert(listed.map(_.getClass) === Seq(classOf[UnchangedFile]))
    assert(listed.map(status => status.getPath.getName -> status.getLen) === Seq("a.parquet" -> 10))
  }

  test("the rows of a deletion vector, which is read when the rows are asked for") {
    val table = newTable("deleted")
    val location = s"${table.location}/data/a.parquet"
    def isMarked(row: Long) = row < 30000 && (row % 7 == 3 || row / 1000 == 12)
    def rows(of: Seq[DeleteFile]) = {
      val values = Map(
        IcebergFiles.Location -> location,
        IcebergFiles.Deletes -> new IcebergDeletes(of.toArray)
      )
      val path = SparkPath.fromPathString(location)
      val file = PartitionedFile(InternalRow.empty, path, 0, 10)
        .copy(otherConstantMetadataColumnValues = values)
      IcebergLiveRows(table.io, None).of(file, new Configuration).get
    }
    val deletes = deleted(table, location, (0L until 30000L).filter(isMarked))
    val live = new Array[Boolean](8192)
    val ofFile = rows(deletes)
    for ((first, count) <- Seq(0L -> 8192, 8192L -> 8192, 11999L -> 1, 29999L -> 10)) {
      ofFile.read(first, count, live)
      val expected = (first until first + count).map(row => !isMarked(row))
      assert(live.take(count).toSeq === expected, first)
    }
    val missing = rows(deletes)
    deletes.foreach(each => Files.delete(java.nio.file.Path.of(each.location)))
    intercept[Exception](missing.read(0, 1, live))
  }
}

package io.github.variantshredded.takeover

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.util.{EnumSet, Set => JSet}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Try}

import io.github.variantshredded.SessionSetup
import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.iceberg.{Schema, Snapshot, Table}
import org.apache.iceberg.types.Types
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.connector.catalog.{Column, Table => SparkTable, TableCapability}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Relations of Iceberg, without its classes for Spark: when they are planned, and when not. */
class IcebergRelationsSuite extends SparkSuite with TemporaryFolder {
  import IcebergRelationsSuite._

  private val columns = Seq(
    Types.NestedField.required(1, "id", Types.LongType.get),
    Types.NestedField.optional(2, "v", Types.VariantType.get),
    Types.NestedField.optional(
      3,
      "s",
      Types.StructType.of(Types.NestedField.optional(4, "n", Types.LongType.get))
    )
  )

  private def newTable(name: String, properties: (String, String)*): Table = {
    val schema = new Schema(columns.asJava)
    val table = IcebergTables.create(folder.resolve(name), schema, properties.toMap)
    IcebergTables.append(table)
    table
  }

  /** Takes over a relation of a table. Returns the reason against it, and how often it is planned. */
  private def outcome(
      table: Table,
      read: String => Boolean = _ => true,
      metadataColumns: Seq[(String, DataType)] = Nil,
      ddl: String = s"$Ids, s struct<n: bigint>"
  ): (Option[String], Int) = {
    val counted = new Counted(table)
    val ofSpark = new TableOfSpark(counted.table, ddl)
    val relation =
      DataSourceV2Relation.create(ofSpark, None, None, CaseInsensitiveStringMap.empty)
    val columns = metadataColumns.map { case (name, dataType) =>
      AttributeReference(name, dataType)()
    }
    val asked = relation.copy(output = relation.output ++ columns)
    val ids = asked.output.filter(column => read(column.name)).map(_.exprId).toSet
    val session = SessionSetup.classicSession(spark)
    val result = Try(IcebergRelations.of(session, asked, ids, Nil, hasFileFunctions = false))
    val reason = result match {
      // Filters are translated by a class for Spark, when planning begins.
      case Failure(_: ClassNotFoundException) => None
      case other                              => other.get.left.toOption
    }
    (reason, counted.planned.get)
  }

  test("a relation is planned once") {
    assert(outcome(newTable("planned")) === (None, 1))
  }

  test("nothing is planned for a relation that is left to Iceberg whatever its files are") {
    val table = newTable("declined")
    for (
      (setting, value) <- Seq(
        "spark.sql.parquet.enableVectorizedReader" -> "false",
        "spark.sql.variant.allowReadingShredded" -> "false",
        "spark.sql.variant.pushVariantIntoScan" -> "false",
        "spark.sql.files.archive.reader.enabled" -> "true"
      )
    ) {
      withConf(setting -> value) {
        assert(outcome(table) === (Some(s"$setting is $value"), 0))
      }
    }
    withConf("parquet.crypto.factory.class" -> "some.Factory") {
      assert(outcome(table) === (Some("the session reads encrypted files"), 0))
    }
    // Iceberg's statements that rewrite files read it.
    val file = Seq("_file" -> StringType)
    assert(outcome(table, metadataColumns = file) === (Some("its column _file"), 0))
    val off = newTable("off", "variantShredded.takeOver" -> "false")
    assert(outcome(off) === (Some("its option variantShredded.takeOver is false"), 0))
  }

  test("a field that was added inside a column matters to queries that read the column") {
    val table = newTable("added")
    table.updateSchema().addColumn("t", Types.StringType.get).commit()
    assert(outcome(table, ddl = s"$Ids, s struct<n: bigint>, t string") === (None, 1))
    table.updateSchema().addColumn("s", "m", Types.StringType.get).commit()
    val ddl = s"$Ids, s struct<n: bigint, m: string>, t string"
    val reason = "a field was added inside a column that is read, or may have been added before " +
      "schemas expired"
    assert(outcome(table, ddl = ddl) === (Some(reason), 0))
    assert(outcome(table, read = _ != "s", ddl = ddl) === (None, 1))
  }
}

private object IcebergRelationsSuite {

  final val Ids = "id bigint not null, v variant"

  /** Counts how often scans of a table are made. */
  final class Counted(counted: Table) extends InvocationHandler {
    val planned = new AtomicInteger

    val table: Table = classOf[Table].cast(
      Proxy.newProxyInstance(getClass.getClassLoader, Array(classOf[Table]), this)
    )

    override def invoke(proxy: Any, method: Method, arguments: Array[AnyRef]): AnyRef = {
      if (method.getName == "newBatchScan") { val _ = planned.incrementAndGet() }
      try method.invoke(counted, Option(arguments).toSeq.flatten: _*)
      catch { case e: InvocationTargetException => throw e.getCause }
    }
  }

  /** Has the members of Iceberg's table for Spark that [[PinnedIcebergTable]] reads. */
  final class TableOfSpark(val table: Table, ddl: String) extends SparkTable {
    private[this] val schema: Schema = table.schema
    private[this] val snapshot: Snapshot = table.currentSnapshot

    override def name: String = s"${table.name} of $schema at $snapshot"
    override def columns: Array[Column] =
      StructType.fromDDL(ddl).fields.map { field =>
        Column.create(field.name, field.dataType, field.nullable)
      }
    override def capabilities: JSet[TableCapability] = EnumSet.of(TableCapability.BATCH_READ)
  }
}

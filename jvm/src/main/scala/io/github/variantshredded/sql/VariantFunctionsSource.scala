package io.github.variantshredded.sql

import java.util.{EnumSet, Map => JMap, Set => JSet}

import io.github.variantshredded.SessionSetup
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/**
 * Implements the format `variant-shredded-functions`: reading it registers [[VariantFunctions]] in
 * the session (over Spark Connect, in the session of the server), and returns them as rows (name,
 * arguments, summary), one for each name.
 */
final class VariantFunctionsSource extends TableProvider with DataSourceRegister {
  override def shortName(): String = VariantFunctionsSource.ShortName

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    VariantFunctionsSource.Schema

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    val session = SessionSetup.classicSession(SparkSession.active)
    new VariantFunctionsSource.FunctionsTable(VariantFunctions.registerAll(session))
  }
}

object VariantFunctionsSource {

  /** The name of the format. */
  val ShortName = "variant-shredded-functions"

  private val Schema = StructType(
    Seq("name", "arguments", "summary").map(StructField(_, StringType, nullable = false))
  )

  private final class FunctionsTable(registered: Seq[VariantFunctions.Registered])
      extends Table
      with SupportsRead
      with ScanBuilder
      with LocalScan {
    override def name(): String = ShortName
    override def columns(): Array[Column] =
      Schema.fields.map(field => Column.create(field.name, field.dataType, field.nullable))
    override def capabilities(): JSet[TableCapability] = EnumSet.of(TableCapability.BATCH_READ)
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = this
    override def build(): Scan = this
    override def readSchema(): StructType = Schema

    override def rows(): Array[InternalRow] =
      registered.flatMap { entry =>
        val function = entry.function
        entry.names.map { name =>
          InternalRow.fromSeq(
            Seq(name, function.arguments, function.summary).map(UTF8String.fromString)
          )
        }
      }.toArray
  }
}

package io.github.variantshredded.table.statement

import scala.jdk.CollectionConverters._

import io.github.variantshredded.options.Format
import io.github.variantshredded.options.MergedOptions.namesOf
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.spark.CatalogTables
import io.github.variantshredded.table.{DeclaredTable, PartitionColumns, TableEntry}
import io.github.variantshredded.write.ColumnTypes
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.command.{CreateTableLikeCommand, LeafRunnableCommand}

/**
 * Runs `CREATE TABLE ... LIKE` for a new table of this format. Spark keeps the options of the
 * other table where it does not pass them to the source; they become properties here, as
 * for tables that `CREATE TABLE` makes.
 */
private[variantshredded] final case class LikeStatement(
    classicSession: classic.SparkSession,
    create: CreateTableLikeCommand
) extends LeafRunnableCommand {

  override def run(session: SparkSession): Seq[Row] = {
    val catalog = classicSession.sessionState.catalog
    val existed = catalog.tableExists(create.targetTable)
    val like = catalog.getTempViewOrPermanentTableMetadata(create.sourceTable)
    val inherited = optionsOf(like)
    if (!existed) check(like, inherited)
    create.run(session)
    if (!existed) {
      val created = catalog.getTableMetadata(create.targetTable)
      val location = TableEntry.externalLocation(created).map(TableCatalog.PROP_LOCATION -> _)
      val properties = created.properties ++ inherited ++ named ++ location
      catalog.alterTable(CatalogTables.withProperties(created, properties))
    }
    Nil
  }

  /** Throws the error in which `CREATE TABLE` with the same columns and options would end. */
  private def check(like: CatalogTable, inherited: Map[String, String]): Unit = {
    like.schema.foreach(ColumnTypes.check)
    if (like.bucketSpec.isDefined)
      throw PartitionColumns.bucketing("CREATE TABLE with the columns, without LIKE.")
    OptionNames.checkTable(create.properties.asJava)
    DeclaredTable.check(
      classicSession,
      create.properties ++ inherited,
      create.fileFormat.locationUri.getOrElse(
        classicSession.sessionState.catalog.defaultTablePath(create.targetTable)
      ),
      like.schema,
      like.partitionColumnNames
    )
  }

  private def named = Map(TableCatalog.PROP_PROVIDER -> Format.SqlName)

  /** Returns the options of the other table that the statement does not replace. */
  private def optionsOf(table: CatalogTable): Map[String, String] = {
    val replaced =
      create.properties.keys.map(_.stripPrefix(TableCatalog.OPTION_PREFIX)).flatMap(namesOf).toSet
    declaredOptions(table)
      .filter { case (name, _) => DeclaredTable.isOption(name) }
      .filterNot { case (name, _) => namesOf(name).exists(replaced) }
      .flatMap { case (name, value) =>
        Seq(name -> value, s"${TableCatalog.OPTION_PREFIX}$name" -> value)
      }
  }

  /**
   * Returns the options of the other table. `ALTER TABLE` changes those of a table of Spark's second
   * interface only in its properties.
   */
  private def declaredOptions(table: CatalogTable): Map[String, String] =
    if (!table.properties.contains(TableCatalog.PROP_PROVIDER)) table.storage.properties
    else {
      table.properties.collect {
        case (name, value) if name.startsWith(TableCatalog.OPTION_PREFIX) =>
          name.stripPrefix(TableCatalog.OPTION_PREFIX) -> value
      }
    }
}

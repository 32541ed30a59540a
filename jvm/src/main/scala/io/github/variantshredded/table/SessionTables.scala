package io.github.variantshredded.table

import java.util.{Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.spark.TableInternals
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Wraps Spark's session catalog for statements that create, replace or alter a table of this
 * source.
 *
 *   - The declarations of a statement are checked before anything is done.
 *   - A table that is replaced stays as it is until the rows of the new table have been written, see
 *     [[ReplacedTable]].
 *   - Columns can be changed if existing files remain valid, see [[ColumnChanges]].
 *
 * @param hasQuery
 *   whether the statement has a query, whose rows it writes to the table
 */
private[variantshredded] final class SessionTables(
    catalog: V2SessionCatalog,
    session: classic.SparkSession,
    hasQuery: Boolean
) extends StagingTableCatalog
    with Logging {

  override def name(): String = catalog.name

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()

  override def capabilities(): JSet[TableCatalogCapability] = catalog.capabilities()

  override def listTables(namespace: Array[String]): Array[Identifier] =
    catalog.listTables(namespace)

  override def tableExists(table: Identifier): Boolean = catalog.tableExists(table)

  override def loadTable(table: Identifier): Table = catalog.loadTable(table)

  override def invalidateTable(table: Identifier): Unit = catalog.invalidateTable(table)

  override def dropTable(table: Identifier): Boolean = catalog.dropTable(table)

  override def purgeTable(table: Identifier): Boolean = catalog.purgeTable(table)

  override def renameTable(from: Identifier, to: Identifier): Unit = catalog.renameTable(from, to)

  override def createTable(table: Identifier, info: TableInfo): Table = {
    val declaration = declared(table, info)
    declaration.check()
    declaration.createIn(catalog, table)
  }

  /** Stages `CREATE TABLE ... AS SELECT`. */
  override def stageCreate(table: Identifier, info: TableInfo): StagedTable = {
    val declaration = declared(table, info)
    declaration.check()
    declaration.requireEmptyLocation()
    create(table, declaration)
  }

  override def stageReplace(table: Identifier, info: TableInfo): StagedTable = {
    val declaration = declared(table, info)
    declaration.check()
    val old = metadata(table)
    val isTable = Set(CatalogTableType.MANAGED, CatalogTableType.EXTERNAL)
    // Spark 4.2 would drop the view, which the query may read; others refuse it.
    if (!isTable(old.tableType)) throw TableInternals.replacedView(old.qualifiedName)
    new ReplacedTable(catalog, session, table, declaration, old).staged()
  }

  override def stageCreateOrReplace(table: Identifier, info: TableInfo): StagedTable =
    if (catalog.tableExists(table)) {
      stageReplace(table, info)
    } else {
      val declaration = declared(table, info)
      declaration.check()
      create(table, declaration)
    }

  /**
   * Creates a table before its rows are written, as Spark does; drops it if they cannot be
   * written.
   */
  private def create(table: Identifier, declaration: DeclaredTable): StagedTable = {
    val directory = declaration.directory
    val existed = directory.exists
    def hasFiles = DataFiles.below(directory.fs, directory.path).nonEmpty
    val hadFiles = existed && hasFiles
    val _ = declaration.createIn(catalog, table)
    def drop(): Unit =
      if (declaration.isManaged && !hadFiles && hasFiles)
        logWarning(s"The table ${table.name} stays, because another job has written rows to it")
      else {
        val _ = catalog.dropTable(table)
        if (!existed) PathSave.removeIfEmpty(directory.fs, directory.path)
      }
    // Other jobs can write to the table as soon as the catalog has it: their rows stay.
    val rows = declaration.at(directory.path).copy(replacesTable = hadFiles)
    new StagedFiles(rows, commit = _ => (), abort = () => drop())
  }

  override def alterTable(table: Identifier, changes: TableChange*): Table = {
    val before = metadata(table)
    val columns = new ColumnChanges(catalog, table, before)
    columns.check(changes)
    val all = OptionChanges(before.properties, changes)
    checkOptions(before, all)
    // Options that name paths without a column may not apply to several Variants.
    def check(changed: StructType): Unit =
      if (addsVariant(changes)) checkSchema(before, before.properties, changed)
    columns(session.sessionState.catalog, changes, check) match {
      case Some(changed) => changed(); null
      case None          =>
        val _ = catalog.alterTable(table, all ++ kept(before, changes): _*)
        // A managed table stays one if its location is set.
        if (
          isSet(TableCatalog.PROP_LOCATION, changes) && before.tableType == CatalogTableType.MANAGED
        )
          catalog.alterTable(table, kept(metadata(table), Nil): _*)
        else null
    }
  }

  private def addsVariant(changes: Seq[TableChange]): Boolean = changes.exists {
    case add: TableChange.AddColumn => VariantTypes.hasVariant(add.dataType)
    case _                          => false
  }

  private def isSet(property: String, changes: Seq[TableChange]): Boolean = changes.exists {
    case set: TableChange.SetProperty => set.property == property
    case _                            => false
  }

  /**
   * Returns the changes that keep what Spark's catalog takes from the properties of a table, where
   * it is not: the comment and the collation. It leaves the location of an earlier statement there,
   * although a rename may have moved the table since; only external tables have theirs there.
   */
  private def kept(before: CatalogTable, changes: Seq[TableChange]): Seq[TableChange] = {
    val changed = changes.collect {
      case set: TableChange.SetProperty        => set.property
      case removed: TableChange.RemoveProperty => removed.property
    }.toSet
    val properties = Map(
      TableCatalog.PROP_COMMENT -> before.comment,
      TableCatalog.PROP_COLLATION -> before.collation,
      TableCatalog.PROP_LOCATION -> TableEntry.externalLocation(before)
    )
    properties.toSeq.filterNot { case (name, _) => changed(name) }.map {
      case (name, Some(value)) => TableChange.setProperty(name, value)
      case (name, None)        => TableChange.removeProperty(name)
    }
  }

  /** Checks the options that a statement sets together with those that the table has. */
  private def checkOptions(table: CatalogTable, changes: Seq[TableChange]): Unit = {
    val set = changes.collect { case change: TableChange.SetProperty =>
      change.property -> change.value
    }
    OptionNames.checkTable(set.toMap.asJava)
    if (set.exists { case (property, _) => DeclaredTable.isOption(property) })
      checkSchema(table, OptionChanges.changed(table.properties, changes), table.schema)
  }

  /** Checks a table with changed properties or a changed schema. */
  private def checkSchema(
      table: CatalogTable,
      properties: Map[String, String],
      schema: StructType
  ): Unit =
    DeclaredTable.check(session, properties, table.location, schema, table.partitionColumnNames)

  private def metadata(table: Identifier): CatalogTable =
    session.sessionState.catalog.getTableMetadata(identifier(table))

  private def declared(table: Identifier, info: TableInfo): DeclaredTable =
    new DeclaredTable(session, identifier(table), info, hasQuery)

  private def identifier(table: Identifier): TableIdentifier = {
    // Throws Spark's error if the namespace is not one of its databases.
    val _ = catalog.tableExists(table)
    TableIdentifier(table.name, table.namespace.headOption)
  }
}

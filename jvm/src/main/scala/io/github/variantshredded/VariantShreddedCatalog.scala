package io.github.variantshredded

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.github.variantshredded.directory.Directories
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.read.inspect.FilesTable
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.table.{
  CatalogedTable,
  PartitionColumns,
  PathSave,
  PathTable,
  StagedFiles
}
import io.github.variantshredded.write.InternalWriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchFunctionException, NoSuchTableException}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Provides the catalog of paths: SQL can use paths as tables, as in
 * ``SELECT * FROM variant_shredded.`path` ``, and in `INSERT INTO`, `INSERT OVERWRITE` and
 * `CREATE [OR REPLACE] TABLE ... AS SELECT`.
 *
 * ``variant_shredded.files.`path` `` shows what the files contain, as the format
 * `variant-shredded-files` does. The catalog also has the function `variant_shredded.checksum`.
 *
 * A path has no metadata except its files, so it cannot be created empty, altered, renamed or
 * dropped.
 */
final class VariantShreddedCatalog extends StagingTableCatalog with FunctionCatalog {

  private var catalogName = VariantShreddedCatalog.Name

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = {
    if (options.getBoolean(VariantShreddedCatalog.YieldsOption, false))
      VariantShreddedCatalog.requireNoDatabase(name)
    catalogName = name
  }

  override def name(): String = catalogName

  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty

  override def tableExists(identifier: Identifier): Boolean =
    isOfFiles(identifier) || exists(pathOf(identifier))

  /** Returns the table of a path. Patterns of paths and the tables of `files` can only be read. */
  override def loadTable(identifier: Identifier): Table =
    if (isOfFiles(identifier)) {
      val path = new Path(identifier.name)
      new FilesTable(if (exists(path)) here(identifier) else matching(identifier))
    } else if (exists(pathOf(identifier))) {
      val files = here(identifier)
      val columns = files.fileIndex.partitionSchema.fieldNames.toSeq
      val path = pathOf(identifier).toString
      CatalogedTable(session, files.options, Some(path), files.schema, columns, isPath = true)
    } else {
      matching(identifier)
    }

  /** Returns whether the identifier is ``files.`path` ``. */
  private def isOfFiles(identifier: Identifier): Boolean =
    identifier.namespace.toSeq == VariantShreddedCatalog.FilesNamespace

  private def here(identifier: Identifier): PathTable =
    files(identifier, DataSource.GLOB_PATHS_KEY -> "false")

  private def matching(identifier: Identifier): PathTable = files(identifier)

  private def files(identifier: Identifier, options: (String, String)*): PathTable =
    PathTable(
      session,
      new CaseInsensitiveStringMap(options.toMap.asJava),
      Seq(identifier.name),
      userSchema = None
    )

  override def stageCreate(identifier: Identifier, info: TableInfo): StagedTable =
    stage(identifier, info, InternalWriteOptions.MustBeNew -> "true")

  override def stageReplace(identifier: Identifier, info: TableInfo): StagedTable =
    stage(identifier, info)

  override def stageCreateOrReplace(identifier: Identifier, info: TableInfo): StagedTable =
    stage(identifier, info)

  override def createTable(identifier: Identifier, info: TableInfo): Table =
    throw withoutQuery("CREATE TABLE")

  private def withoutQuery(statement: String): VariantShreddedException =
    unsupported(s"$statement without AS SELECT", "A directory without files has no schema.")

  override def alterTable(identifier: Identifier, changes: TableChange*): Table =
    throw unsupported("ALTER TABLE", "Write the files again.")

  override def dropTable(identifier: Identifier): Boolean =
    throw unsupported("DROP TABLE", "Remove the directory.")

  override def renameTable(from: Identifier, to: Identifier): Unit =
    throw unsupported("RENAME TABLE", "Rename the directory.")

  override def listFunctions(namespace: Array[String]): Array[Identifier] =
    if (namespace.isEmpty) Array(Identifier.of(namespace, Checksum.Name)) else Array.empty

  override def loadFunction(identifier: Identifier): UnboundFunction =
    if (identifier.namespace.isEmpty && identifier.name.equalsIgnoreCase(Checksum.Name)) Checksum
    else throw new NoSuchFunctionException(identifier)

  private def stage(
      identifier: Identifier,
      info: TableInfo,
      options: (String, String)*
  ): StagedTable = {
    val path = pathOf(identifier)
    val fs = path.getFileSystem(hadoopConf)
    checkDeclaration(path, info)
    OptionNames.checkTable(info.properties)
    val existed = fs.exists(path)
    val table = CatalogedTable(
      session,
      new CaseInsensitiveStringMap((info.properties.asScala ++ options).asJava),
      Some(path.toString),
      info.schema,
      PartitionColumns.names(info.partitions.toSeq),
      replacesTable = options.isEmpty,
      isPath = true
    )
    // The commit protocol of the write makes it atomic: there is nothing else to commit.
    new StagedFiles(
      table,
      commit = isWritten => if (!isWritten) throw withoutQuery("REPLACE TABLE"),
      abort = () => if (!existed) PathSave.removeIfEmpty(fs, path)
    )
  }

  /** Refuses a format or a location other than those of the catalog and of the path. */
  private def checkDeclaration(path: Path, info: TableInfo): Unit = {
    // Spark declares its default format if a DataFrame is saved without one.
    val unsaid = session.sessionState.conf.defaultDataSourceName
    Option(info.properties.get(TableCatalog.PROP_PROVIDER))
      .filterNot(_.equalsIgnoreCase(unsaid))
      .filterNot(SessionSetup.isThisSource(_, session.sessionState.conf))
      .foreach(format => throw unsupported(s"USING $format", "Leave it out."))
    Option(info.properties.get(TableCatalog.PROP_LOCATION))
      .filterNot(location => qualified(new Path(location)) == path)
      .foreach { location =>
        throw unsupported(s"LOCATION '$location'", "Name the directory as the table.")
      }
  }

  private def exists(path: Path): Boolean = path.getFileSystem(hadoopConf).exists(path)

  private def pathOf(identifier: Identifier): Path = {
    if (identifier.namespace.nonEmpty) throw new NoSuchTableException(identifier)
    qualified(new Path(identifier.name))
  }

  private def qualified(path: Path): Path = Directories.qualified(path, hadoopConf)

  private def session: classic.SparkSession = SessionSetup.classicSession(SparkSession.active)

  private def hadoopConf: Configuration = session.sessionState.newHadoopConf()

  private def unsupported(what: String, instead: String): VariantShreddedException =
    VariantShreddedErrors.unsupported(s"$what for a path of the catalog $catalogName", instead)
}

object VariantShreddedCatalog extends Logging {

  /** The catalog's name in a session that has not configured one. */
  val Name = "variant_shredded"

  private val YieldsOption = "yieldsToDatabase"

  /**
   * Returns the option that marks a catalog which the user has not configured: a database of its name
   * goes before it. If the option is `false` and the session does not have the catalog, the database
   * has been found.
   *
   * @param key
   *   the setting of the session that configures the catalog
   */
  private[variantshredded] def yields(key: String): String = s"$key.$YieldsOption"

  private val yielded = ConcurrentHashMap.newKeySet[String]()

  private val FilesNamespace = Seq("files")

  /**
   * Throws the error that Spark has for a name without a catalog if the session catalog has a
   * database of this name. Spark looks for a table of that database then. It calls this when a
   * statement first uses the name, so that no other statement asks the metastore. It would call it
   * for each further name too, so the session does not have the catalog any more if there is a
   * database.
   */
  private def requireNoDatabase(name: String): Unit = if (hasDatabase(name)) {
    val key = s"spark.sql.catalog.$name"
    SparkSession.getActiveSession.foreach { session =>
      // A catalog that the user configures from now on is not this one. First, because a session
      // without both settings gets this one again.
      session.conf.set(yields(key), "false")
      session.conf.unset(key)
    }
    if (yielded.add(name))
      logWarning(
        s"$name is the name of a database, and so not that of the catalog of paths. Give the catalog " +
          s"another name: spark.sql.catalog.NAME=${classOf[VariantShreddedCatalog].getName}"
      )
    throw new CatalogNotFoundException(
      "CATALOG_NOT_FOUND",
      Map("catalogName" -> s"`$name`", "config" -> s"\"$key\"")
    )
  }

  private def hasDatabase(name: String): Boolean = SparkSession.getActiveSession.exists {
    case session: classic.SparkSession =>
      try session.sessionState.catalog.databaseExists(name)
      catch {
        case NonFatal(e) =>
          logInfo(s"Could not look for a database of the name $name", e)
          false
      }
    case _ => false
  }
}

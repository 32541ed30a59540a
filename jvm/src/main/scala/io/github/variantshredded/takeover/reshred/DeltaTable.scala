package io.github.variantshredded.takeover.reshred

import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.takeover.ByName
import io.github.variantshredded.takeover.ByName.call
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, Column, DataFrame}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.functions.{count, lit, struct, to_json}
import org.apache.spark.sql.types.StructType

/**
 * Represents a table of Delta Lake at one version, and the transaction that changes it. Delta Lake
 * is not on the class path of this source, so its classes are called by name.
 */
private[takeover] final class DeltaTable private (log: AnyRef, catalogTable: Option[CatalogTable]) {
  import DeltaTable._

  private val snapshot: AnyRef = call(log, "update", Boolean.box(false), None, catalogTable)

  val path: Path = call(log, "dataPath").asInstanceOf[Path]

  val version: Long = call(snapshot, "version").asInstanceOf[Long]

  private val metadata = call(snapshot, "metadata")

  private val protocol = call(snapshot, "protocol")

  val properties: Map[String, String] =
    call(metadata, "configuration").asInstanceOf[Map[String, String]]

  /** The features that readers and writers of the table must know. */
  val features: Set[String] =
    call(protocol, "readerAndWriterFeatureNames").asInstanceOf[Set[String]]

  /**
   * Returns the files that have a deletion vector or the bounds of rows that one has deleted, and
   * those without this tag with this value. They have all of their statistics.
   */
  def filesWithout(tag: String, value: String): Seq[AddedFile] = {
    val condition = "deletionVector IS NOT NULL OR " +
      "get_json_object(stats, '$.tightBounds') = 'false' OR " +
      s"NOT (tags[${Literal(tag).sql}] <=> ${Literal(value).sql})"
    call(call(call(snapshot, "allFiles"), "filter", condition), "collect")
      .asInstanceOf[Array[AnyRef with Product]]
      .toSeq
      .map(new AddedFile(_))
  }

  /** Returns the rows of some files, which need not be in the log yet. */
  def read(files: Seq[AddedFile]): DataFrame =
    call(log, "createDataFrame", snapshot, files.map(_.action), Boolean.box(false), None)
      .asInstanceOf[DataFrame]

  /**
   * Returns the statistics of some rows, as Delta Lake writes them into the log. If Delta Lake would
   * not find the columns with statistics, these are the number of rows only.
   */
  def statistics(rows: DataFrame): String = {
    val collected =
      if (findsColumns) call(snapshot, "statsCollector").asInstanceOf[Column]
      else struct(count(lit(1)).as("numRecords"))
    rows.agg(to_json(collected)).head().getString(0)
  }

  // The rows have the names of the table. If the table maps columns and lists those with statistics,
  // Delta Lake looks for listed columns with capital letters by their names in the files. If it finds
  // none, it writes that all values are null, and readers skip the file. If another column has that
  // name, it writes the bounds of that one.
  private def findsColumns: Boolean =
    call(snapshot, "statCollectionPhysicalSchema") == call(snapshot, "statCollectionLogicalSchema")

  /** Returns the columns as the files have them, with other names if the table maps columns. */
  def stored(columns: StructType): StructType =
    call(call(log, "fileFormat", protocol, metadata), "prepareSchemaForWrite", columns)
      .asInstanceOf[StructType]

  /**
   * Replaces files by files with the same rows, in one commit.
   *
   * @return
   *   the version of the table after it
   */
  def replace(removed: Seq[AddedFile], added: Seq[AddedFile]): Long = {
    val transaction = call(log, "startTransaction", catalogTable, Some(snapshot))
    call(transaction, "trackFilesRead", removed.map(_.action)): Unit
    val now = Long.box(System.currentTimeMillis())
    val actions = added.map(_.action) ++
      removed.map(file => call(file.action, "removeWithTimestamp", now, Boolean.box(false)))
    val reorg = ByName
      .loaded(inDelta("DeltaOperations$Reorg"))
      .getConstructor(classOf[Seq[_]], classOf[Boolean])
      .newInstance(Nil, Boolean.box(true))
    call(transaction, "commit", actions, reorg.asInstanceOf[AnyRef], Map.empty)
      .asInstanceOf[Long]
  }
}

private[takeover] object DeltaTable {

  /** The versions of Delta Lake with which this has been tested. */
  private val Versions = Set("4.4.0")

  /**
   * Finds a table.
   *
   * @param name
   *   the name of a table, or a path, which has a slash
   */
  def apply(session: classic.SparkSession, name: String): DeltaTable = {
    checkVersion()
    val found = find(session, name)
    // Delta Lake's log of a directory without a table.
    if (found.version < 0) {
      throw VariantShreddedErrors.invalidOption("table", name, "a table of Delta Lake")
    }
    found
  }

  private def find(session: classic.SparkSession, name: String): DeltaTable = {
    val logs = ByName.singleton(inDelta("DeltaLog"))
    if (name.contains("/")) new DeltaTable(call(logs, "forTable", session, new Path(name)), None)
    else {
      val catalog = session.sessionState.catalog
      val parsed = Try(session.sessionState.sqlParser.parseTableIdentifier(name)).toOption
      val identifier = parsed.filter(catalog.tableExists).getOrElse {
        throw VariantShreddedErrors.invalidOption(
          "table",
          name,
          s"the name of a table, or a path with a slash, such as ./$name"
        )
      }
      val table = catalog.getTableMetadata(identifier)
      if (!table.provider.exists(_.equalsIgnoreCase("delta"))) {
        throw VariantShreddedErrors.unsupported(
          s"reshred --delta on $name, which is not a table of Delta Lake,",
          "Rewrite it with reshred, without --delta."
        )
      }
      new DeltaTable(call(logs, "forTable", session, identifier: TableIdentifier), Some(table))
    }
  }

  private def checkVersion(): Unit = {
    val version =
      try Some(call(ByName.singleton("io.delta.package"), "VERSION").toString)
      catch { case _: ClassNotFoundException => None }
    version match {
      case Some(known) if Versions(known) => ()
      case Some(other)                    =>
        throw VariantShreddedErrors.unsupported(
          s"Reshredding tables with Delta Lake $other",
          s"Use Delta Lake ${Versions.mkString(", ")}."
        )
      case None =>
        throw VariantShreddedErrors.unsupported(
          "Reshredding tables of Delta Lake without Delta Lake in the session",
          "Add it to spark.jars.packages, and its extension to spark.sql.extensions."
        )
    }
  }

  private def inDelta(name: String): String = s"org.apache.spark.sql.delta.$name"
}

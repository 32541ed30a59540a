package io.github.variantshredded.table

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.util.UUID

import scala.util.control.NonFatal

import io.github.variantshredded.commit.CommittedMove
import io.github.variantshredded.directory.{Directories, HiddenNames, Uninterrupted}
import io.github.variantshredded.errors.{Causes, VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.spark.CachedReads
import io.github.variantshredded.write.DestinationCheck
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.{Identifier, StagedTable, TableChange}
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog

/**
 * Represents a table that replaces another table of the same name, by `saveAsTable` in the mode
 * `overwrite` or by `REPLACE TABLE`.
 *
 * {{{
 * rows of the query -> directory beside that of the table        the old table is as it was
 * commit:  old table -> renamed to NAME_replaced_ID, with its files if they are managed
 *          new table -> created
 *          files     -> moved into the directory of the new table, beside those that other jobs
 *                       have written to it meanwhile
 *          old table -> dropped
 * }}}
 *
 * If a step before the last one fails, the old table gets its name back, unless other jobs have
 * written rows to the new one. So the query may read the old table. If the directory of the new
 * table is neither managed nor that of a managed old table, its files are replaced in place, by the
 * commit of the write.
 */
private[variantshredded] final class ReplacedTable(
    catalog: V2SessionCatalog,
    session: classic.SparkSession,
    name: Identifier,
    declared: DeclaredTable,
    old: CatalogTable
) extends Logging {

  private val id = UUID.randomUUID().toString.take(8)
  private val aside = Identifier.of(name.namespace, s"${name.name}_replaced_$id")
  private val target = declared.directory
  private val fs = target.fs

  /** The directory that is moved and dropped with the old table. */
  private val oldDirectory: Option[TableDirectory] =
    if (old.tableType != CatalogTableType.MANAGED) None
    else old.storage.locationUri.map(new TableDirectory(declared.hadoopConf, _))

  // Whether the new table takes the place of that directory.
  private val movesOld = oldDirectory.exists(_.overlaps(target.path))

  private def overlapsTarget(location: Option[URI]): Boolean =
    location.exists(new TableDirectory(declared.hadoopConf, _).overlaps(target.path))

  /** The directory of the new rows before the commit; None if they are written to the target. */
  private val staging: Option[Path] =
    if (!declared.isManaged && !movesOld) None
    else
      Some(
        Directories.child(target.path.getParent, HiddenNames.ofReplacing(target.path.getName) + id)
      )

  def staged(): StagedTable = {
    if (movesOld) requireDefaultDirectory() else declared.requireEmptyDirectory()
    if (staging.isEmpty) requireOtherDirectory()
    val existed = target.exists
    val written = declared.at(staging.getOrElse(target.path))
    def abort(): Unit = staging match {
      case Some(directory) =>
        fs.delete(directory, true)
        // A task that is being killed may still write files.
        val _ = fs.deleteOnExit(directory)
      case None => if (!existed) PathSave.removeIfEmpty(fs, target.path)
    }
    new StagedFiles(written, commit(written, _), abort = () => abort())
  }

  private def commit(written: CatalogedTable, hasRows: Boolean): Unit = {
    staging.filter(directory => hasRows && !fs.exists(directory)).foreach { directory =>
      throw new FileNotFoundException(s"The rows of the new table are gone from $directory")
    }
    // The rows of a table whose files are replaced in place are in its directory.
    val isInPlace = staging.isEmpty && target.exists
    putAside()
    var created = false
    try {
      requireMoved()
      // A symbolic link may lead into the directory of the old table, and some metastores move the
      // directories of external tables too.
      if (isInPlace && !target.exists) throw immovable
      val _ = declared.createIn(catalog, name)
      created = true
      staging.filter(fs.exists).foreach { directory =>
        // Other jobs can write to the table as soon as the catalog has it.
        CommittedMove(fs, declared.hadoopConf, directory, target.path) {
          val columns = written.partitionColumns
          DestinationCheck(session, target.path, declared.hadoopConf, columns)
        }
      }
    } catch {
      case e: Throwable =>
        try Uninterrupted(putBack(created))
        catch {
          case NonFatal(further) =>
            logError(
              s"The table ${old.qualifiedName} could not be replaced. It, or its directory, has the " +
                s"name ${aside.name} now."
            )
            e.addSuppressed(further)
        }
        throw e
    }
    dropOld()
    CachedReads.refresh(session, target.path, declared.hadoopConf)
  }

  private def putAside(): Unit = {
    // Spark cannot rename a managed table without a directory.
    oldDirectory.filterNot(_.exists).foreach(directory => directory.fs.mkdirs(directory.path))
    try catalog.renameTable(name, aside)
    catch {
      case e: Throwable =>
        // The directory may have been moved although the call threw an exception.
        try Uninterrupted(moving.foreach { case (old, there) => moveIfThere(there, old) })
        catch { case NonFatal(further) => e.addSuppressed(further) }
        // Such as that of AWS Glue.
        if (Causes.of(e).exists(_.isInstanceOf[UnsupportedOperationException])) {
          throw VariantShreddedErrors.unsupported(
            s"Replacing the table ${old.qualifiedName} in a metastore that does not rename tables",
            "INSERT OVERWRITE the table, or DROP it and create it anew.",
            e
          )
        }
        throw e
    }
    // Spark caches resolved tables of other formats.
    session.sessionState.catalog.invalidateCachedTable(identifier(name))
  }

  private def defaultDirectory: TableDirectory = {
    val path = session.sessionState.catalog.defaultTablePath(identifier(name))
    new TableDirectory(declared.hadoopConf, path)
  }

  // Hive's metastore keeps a managed table in any other directory, whatever location Spark shows.
  private val isInDefault = oldDirectory.exists(_.path == defaultDirectory.path)

  /**
   * Returns the directories from which and to which Spark's catalog moves the files of the old
   * table, if it does.
   */
  private def moving: Option[(TableDirectory, TableDirectory)] =
    oldDirectory.filter(_ => isInDefault).map { old =>
      val there = session.sessionState.catalog.defaultTablePath(identifier(aside))
      (old, new TableDirectory(declared.hadoopConf, there))
    }

  private def moveIfThere(from: TableDirectory, to: TableDirectory): Unit =
    if (from.exists && !to.exists && !from.fs.rename(from.path, to.path))
      throw new IOException(s"Cannot move ${from.path} to ${to.path}")

  /** Refuses managed tables that are not in Spark's default directory: some metastores keep it. */
  private def requireDefaultDirectory(): Unit = {
    if (!isInDefault || target.path != defaultDirectory.path) throw immovable
  }

  /** Refuses to write the new rows to a directory that is moved and dropped with the old table. */
  private def requireOtherDirectory(): Unit =
    if (oldDirectory.exists(directory => directory.exists && directory.meets(target)))
      throw immovable

  private def requireMoved(): Unit = moving.foreach { case (old, there) =>
    val now = session.sessionState.catalog.getTableMetadata(identifier(aside)).storage.locationUri
    if (movesOld && overlapsTarget(now)) throw immovable
    // Spark's catalog ignores it if the file system refuses to move the directory.
    now.foreach(location => moveIfThere(old, new TableDirectory(declared.hadoopConf, location)))
    // The catalog may have another name for the directory. It would delete the directory with the
    // old table.
    if (movesOld && old.exists && !there.exists) throw immovable
  }

  private def immovable: VariantShreddedException = VariantShreddedErrors.unsupported(
    s"Replacing the table ${old.qualifiedName}, with files in " +
      s"${oldDirectory.fold("")(_.path.toString)}, by one in ${target.path}",
    "Write to a table of another name, or INSERT OVERWRITE it."
  )

  private def putBack(created: Boolean): Unit = {
    if (created) {
      if (staging.isDefined && PathSave.hasData(fs, target.path))
        throw new IOException(s"Another job has written rows to the new table in ${target.path}")
      val _ = catalog.dropTable(name)
    }
    // An empty directory would prevent moving the old one back; a directory with files is kept.
    if (staging.isDefined && target.exists && fs.listStatus(target.path).isEmpty) {
      val _ = fs.delete(target.path, false)
    }
    moving.foreach { case (old, there) => makeRoom(old, there) }
    catalog.renameTable(aside, name)
    // Spark's catalog ignores it if the file system refuses to move the directory.
    moving.foreach { case (old, there) => moveIfThere(there, old) }
    // Hive's metastore gives a managed table the default location with the name, and moves no files
    // from another one.
    val tables = session.sessionState.catalog
    val now = tables.getTableMetadata(identifier(name))
    if (now.storage.locationUri != old.storage.locationUri && oldDirectory.exists(_.exists))
      tables.alterTable(old)
  }

  /**
   * Moves what tasks of other jobs have written to the directory of the old table since it was
   * moved, such as `_temporary`, into a hidden directory there. Otherwise, some file systems refuse
   * to move the old directory back, and others move it into the new one.
   */
  private def makeRoom(old: TableDirectory, there: TableDirectory): Unit =
    if (there.exists && old.exists) {
      if (PathSave.hasData(old.fs, old.path))
        throw new IOException(s"Another job has written rows to ${old.path}")
      val kept = Directories.child(there.path, s".left_$id")
      if (!old.fs.rename(old.path, kept))
        throw new IOException(s"Cannot move ${old.path} to $kept")
    }

  private def dropOld(): Unit =
    try {
      if (oldDirectory.isDefined) forgetPartitions() else keepFiles()
      val _ = catalog.dropTable(aside)
    } catch {
      case NonFatal(e) => logWarning(s"The replaced table is still there, as ${aside.name}", e)
    }

  /**
   * Removes those partitions of the old table from the catalog whose directories are in that of the
   * new one now. Spark's catalog does not change the location of a partition in local files when it
   * renames the table, and deletes what is there with the table.
   */
  private def forgetPartitions(): Unit = {
    val tables = session.sessionState.catalog
    val renamed = identifier(aside)
    val entries =
      if (old.partitionColumnNames.isEmpty) Nil else tables.listPartitions(renamed)
    val stale = entries.filter(entry => overlapsTarget(entry.storage.locationUri))
    if (stale.nonEmpty)
      tables.dropPartitions(
        renamed,
        stale.map(_.spec),
        ignoreIfNotExists = true,
        purge = false,
        retainData = true
      )
  }

  /**
   * Makes the metastore keep the files of an external table that is dropped, if they are those of the
   * new table now. A metastore of Hive 3 or later deletes them if the property says so.
   */
  private def keepFiles(): Unit = {
    val purge = ReplacedTable.PurgeProperty
    if (old.properties.contains(purge) && overlapsTarget(old.storage.locationUri)) {
      val _ = catalog.alterTable(aside, TableChange.setProperty(purge, "false"))
    }
  }

  private def identifier(table: Identifier): TableIdentifier =
    TableIdentifier(table.name, table.namespace.headOption)
}

private object ReplacedTable {

  /** The property of Hive's external tables whose files are deleted with them. */
  private final val PurgeProperty = "external.table.purge"
}

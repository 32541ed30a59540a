package io.github.variantshredded.takeover.reshred

import java.net.URI
import java.util.UUID
import java.util.concurrent.Callable

import scala.util.control.NonFatal

import io.github.variantshredded.directory.{DataFiles, Uninterrupted}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.takeover.DeltaExtension
import io.github.variantshredded.write.{InternalWriteOptions, ThreadPools}
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.internal.Logging
import org.apache.spark.sql.{classic, DataFrame}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions.col

/**
 * Rewrites the files of a Delta table with the writer of this source, in one commit of Delta Lake
 * that changes no rows. Each file is replaced by one file, or by none if all of its rows are
 * deleted. Nothing of the table changes before the commit.
 *
 * @param options
 *   options of the writer
 */
private[variantshredded] final class DeltaReshred(
    session: classic.SparkSession,
    name: String,
    options: Map[String, String]
) extends Logging {
  import DeltaReshred._

  def run(): DeltaReshredResult = {
    val table = DeltaTable(session, name)
    check(table)
    val files = table.filesWithout(Tag, tag)
    checkVectors(files)
    if (files.isEmpty) DeltaReshredResult(table.version, 0, "0", 0, 0, 0, 0)
    else {
      val system = table.path.getFileSystem(session.sessionState.newHadoopConf())
      // If this process ends, VACUUM deletes the files that tasks have committed there. It skips
      // names that begin with '_'.
      val directory = new Path(table.path, s"variant_shredded_${UUID.randomUUID}")
      val result =
        try replace(table, system, files, directory)
        catch { case e: Throwable => throw withoutFiles(e, system, Seq(directory)) }
      try { val _ = system.delete(directory, true) }
      catch { case NonFatal(e) => logWarning(s"Could not delete the directory $directory", e) }
      result
    }
  }

  /** Returns the error after what was written has been deleted. */
  private def withoutFiles(error: Throwable, system: FileSystem, written: Seq[Path]): Throwable = {
    Uninterrupted(written.foreach { path =>
      try { val _ = system.delete(path, true) }
      catch { case NonFatal(further) => error.addSuppressed(further) }
    })
    error
  }

  private def replace(
      table: DeltaTable,
      system: FileSystem,
      files: Seq[AddedFile],
      directory: Path
  ): DeltaReshredResult = {
    val written = inParallel(files.zipWithIndex) { case (file, i) =>
      write(table, system, file, new Path(directory, i.toString))
    }
    val added = files.zip(written).flatMap { case (file, found) =>
      found.map { case (status, statistics) => move(table, system, file, status, statistics) }
    }
    val (rows, checksum) =
      try compare(table, files, added)
      catch {
        case e: Throwable =>
          throw withoutFiles(e, system, added.map(file => fileAt(table, file.path)))
      }
    // If this fails, the files may be in the log nevertheless. VACUUM removes them if they are not.
    val version = table.replace(files, added)
    DeltaReshredResult(
      version,
      rows,
      checksum,
      files.size,
      added.size,
      files.map(_.size).sum,
      added.map(_.size).sum
    )
  }

  private def inSql: String = if (name.contains("/")) s"delta.`$name`" else name

  private def check(table: DeltaTable): Unit = {
    if (!table.features.exists(Shredding)) {
      throw VariantShreddedErrors.unsupported(
        s"Shredding the Variants of $name, whose readers may not know shredded Variants,",
        s"Use ALTER TABLE $inSql SET TBLPROPERTIES ('$Property' = 'true') first."
      )
    }
    // Delta Lake ignores the case of the value.
    if (!table.properties.get(Property).exists(_.equalsIgnoreCase("true"))) {
      throw VariantShreddedErrors.unsupported(
        s"Shredding the Variants of $name, whose property $Property is not true,",
        s"Use ALTER TABLE $inSql SET TBLPROPERTIES ('$Property' = 'true') first."
      )
    }
    (table.features -- Shredding -- Known).toSeq.sorted.headOption.foreach { feature =>
      throw VariantShreddedErrors.unsupported(
        s"Reshredding $name, a table with the feature $feature of Delta Lake,",
        "Write its rows into a table without the feature."
      )
    }
  }

  private def checkVectors(files: Seq[AddedFile]): Unit =
    // Without it, Spark would read the deleted rows, and `compare` would do so on both sides.
    if (files.exists(_.hasDeletionVector) && !DeltaExtension.plansScans(session)) {
      throw VariantShreddedErrors.unsupported(
        s"Reshredding $name, which has deletion vectors, in a session without the extension of " +
          "Delta Lake, which would read the deleted rows too,",
        "Add io.delta.sql.DeltaSparkSessionExtension to spark.sql.extensions."
      )
    }

  /**
   * Writes the live rows of a file into a new directory. Returns the new file with its statistics,
   * if they may differ from those of the old one; None without rows.
   */
  private def write(
      table: DeltaTable,
      system: FileSystem,
      file: AddedFile,
      directory: Path
  ): Option[(FileStatus, Option[String])] = {
    val rows = table.read(Seq(file))
    val stored = table.stored(rows.schema)
    val columns = rows.schema.zip(stored).map { case (before, after) =>
      val column = col(QuotingUtils.quoteIdentifier(before.name))
      val typed = if (before.dataType == after.dataType) column else column.cast(after.dataType)
      typed.as(after.name, after.metadata)
    }
    rows
      .select(columns: _*)
      .coalesce(1)
      .write
      .format(Format.Name)
      .options(options)
      .option("maxRecordsPerFile", 0)
      .option("driftFiles", 0)
      .option(InternalWriteOptions.ColumnNames, rows.schema.json)
      .save(directory.toString)
    val found = DataFiles
      .below(system, directory)
      .map(status => status -> rowsOf(status))
      .filter { case (_, rows) => rows > 0 }
      .toSeq
    if (found.size > 1) throw new IllegalStateException(s"${found.size} files of ${file.path}")
    val written = found.headOption.fold(0L) { case (_, rows) => rows }
    file.liveRows.filter(_ != written).foreach { liveRows =>
      throw new IllegalStateException(
        s"The new file of ${file.path} has $written rows, the old one $liveRows without those " +
          "that its deletion vector marks. The table has not been changed."
      )
    }
    found.headOption.map { case (status, _) =>
      status -> Option.when(file.hasWideBounds)(table.statistics(rows))
    }
  }

  private def rowsOf(file: FileStatus): Long = {
    val conf = session.sessionState.newHadoopConfWithOptions(options)
    val read = HadoopReadOptions.builder(conf, file.getPath).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromStatus(file, conf), read)
    try reader.getRecordCount
    finally reader.close()
  }

  /** Moves a new file to the directory of the old one, or to that of the table. */
  private def move(
      table: DeltaTable,
      system: FileSystem,
      file: AddedFile,
      found: FileStatus,
      statistics: Option[String]
  ): AddedFile = {
    val name = found.getPath.getName
    // A shallow clone has absolute paths of files of another table.
    val isInside = !new Path(new URI(file.path)).isAbsolute
    val parent = file.path.split("/").dropRight(1)
    val path = if (isInside) (parent :+ name).mkString("/") else name
    val target = fileAt(table, path)
    if (!system.rename(found.getPath, target)) {
      throw new java.io.IOException(s"Cannot move ${found.getPath} to $target")
    }
    val status = system.getFileStatus(target)
    file.rewritten(path, status.getLen, status.getModificationTime, statistics, Tag -> tag)
  }

  private def fileAt(table: DeltaTable, path: String): Path =
    new Path(table.path, new Path(new URI(path)))

  /** Reads both as Delta Lake does, and returns the number of rows and their checksum. */
  private def compare(
      table: DeltaTable,
      before: Seq[AddedFile],
      after: Seq[AddedFile]
  ): (Long, String) = {
    val expected = sum(table.read(before))
    val found = if (after.isEmpty) (0L, "0") else sum(table.read(after))
    if (found != expected) {
      throw new IllegalStateException(
        s"The new files of $name have ${found._1} rows with the checksum ${found._2}, the old ones " +
          s"${expected._1} with ${expected._2}. The table has not been changed."
      )
    }
    expected
  }

  private def sum(rows: DataFrame): (Long, String) = {
    // The other name of the catalog may be that of a database.
    val total = "coalesce(sum(cast(`variant-shredded`.checksum(struct(*)) AS decimal(38))), 0)"
    val row = rows.selectExpr("count(*)", total).head()
    (row.getLong(0), row.getDecimal(1).toPlainString)
  }

  /**
   * The way in which files are written, with which they are marked in the log. Settings of Hadoop,
   * such as the keys of an object store, are not part of it.
   */
  private val tag: String = options.toSeq
    .filterNot { case (option, _) => OptionNames.isOfHadoop(option) }
    .sorted
    .map { case (option, value) => s"$option=$value" }
    .mkString("; ")

  private def inParallel[A, B](values: Seq[A])(f: A => B): Seq[B] = {
    val loader = Thread.currentThread.getContextClassLoader
    val tasks = values.map { value =>
      new Callable[B] {
        override def call(): B = {
          Thread.currentThread.setContextClassLoader(loader)
          session.withActive(f(value))
        }
      }
    }
    ThreadPools.using(math.min(AtOnce, values.size)) { threads =>
      val running = tasks.map(threads.submit(_))
      try running.map(_.get)
      catch { case e: java.util.concurrent.ExecutionException => throw e.getCause }
    }
  }
}

private[variantshredded] object DeltaReshred {

  private final val Property = "delta.enableVariantShredding"

  private final val Tag = "variantShredded.reshred"

  private final val AtOnce = 4

  private final val DeletionVectors = "deletionVectors"

  private val Shredding = Set("variantShredding", "variantShredding-preview")

  /** Other features that this leaves as they are: none says how rows are stored in files. */
  private val Known = Set(
    "allowColumnDefaults",
    "appendOnly",
    "changeDataFeed",
    "checkConstraints",
    "checkpointProtection",
    "clustering",
    "columnMapping",
    DeletionVectors,
    "domainMetadata",
    "generatedColumns",
    "identityColumns",
    "inCommitTimestamp",
    "inCommitTimestamp-preview",
    "invariants",
    "timestampNtz",
    "v2Checkpoint",
    "vacuumProtocolCheck",
    "variantType",
    "variantType-preview"
  )
}

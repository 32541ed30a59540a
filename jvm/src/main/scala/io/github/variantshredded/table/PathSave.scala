package io.github.variantshredded.table

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.commit.PendingCommits
import io.github.variantshredded.directory.{Directories, PartitionDirectories, Uninterrupted}
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.spark.{CachedReads, EmptyDirectories}
import io.github.variantshredded.write.{DestinationCheck, InternalWriteOptions, VariantWriteBuilder}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.{AnalysisException, DataFrame, SaveMode}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.write.LogicalWriteInfo
import org.apache.spark.sql.execution.datasources.{DataSourceUtils, PartitioningUtils}
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Saves to a path: `df.write.format("variant-shredded").mode(...).partitionBy(...).save(path)`. */
private[variantshredded] object PathSave extends Logging {

  /** Marks the options of the write that [[PathSave]] starts itself. */
  val SinkOption = "__variant_shredded_sink"

  /**
   * Writes `data` as Spark's file sources do for each save mode.
   *
   * @param parameters
   *   the options of the writer with Spark's own keys for path and partition columns
   * @throws org.apache.spark.sql.AnalysisException
   *   `PATH_ALREADY_EXISTS` in mode `errorifexists`
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `PARTITIONING_MISMATCH` if rows are added to a directory that is partitioned by other columns
   */
  def apply(
      session: classic.SparkSession,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame
  ): Unit = {
    val all = parameters match {
      case insensitive: CaseInsensitiveMap[String] => insensitive
      case other                                   => CaseInsensitiveMap(other)
    }
    val checksOnly = all.contains(InternalWriteOptions.ChecksOnly)
    val options =
      if (checksOnly) CaseInsensitiveMap(without(all, InternalWriteOptions.ChecksOnly)) else all
    if (options.contains(DataSourceUtils.CLUSTERING_COLUMNS_KEY)) {
      throw PartitionColumns.clustering
    }
    OptionNames.check(new CaseInsensitiveStringMap(options.originalMap.asJava))
    val hadoopConf = session.sessionState.newHadoopConfWithOptions(options.originalMap)
    val target = new Path(options.getOrElse("path", throw missingPath))
    val path = Directories.qualified(target, hadoopConf)
    val fs = path.getFileSystem(hadoopConf)
    val existed = FileToDirectory.restore(fs, hadoopConf, path) || fs.exists(path)
    val asked = askedColumns(session, options, data.schema)
    checkColumns(session, asked, data.schema)
    mode match {
      case SaveMode.ErrorIfExists if existed =>
        throw new AnalysisException("PATH_ALREADY_EXISTS", Map("outputPath" -> path.toString))
      case SaveMode.Ignore if existed => ()
      case _                          =>
        val columns = partitionColumns(session, mode, options, asked, fs, path)
        checkColumns(session, columns, data.schema)
        val saved = if (mode == SaveMode.Overwrite) SaveMode.Overwrite else SaveMode.Append
        val mustBeNew = mode == SaveMode.ErrorIfExists || mode == SaveMode.Ignore
        val passed =
          if (mustBeNew) {
            val option = InternalWriteOptions.MustBeNew -> "true"
            CaseInsensitiveMap(options.originalMap + option)
          } else options
        val isFile = mode == SaveMode.Overwrite && existed && fs.getFileStatus(path).isFile
        if (checksOnly) check(saved, passed, path, columns, data.schema)
        else if (isFile) {
          def check(): Unit = DestinationCheck(session, path, hadoopConf, columns)
          FileToDirectory(fs, hadoopConf, path, () => check())(save(_, existed = false))
          CachedReads.refresh(session, path, hadoopConf)
        } else save(path, existed)
        def save(path: Path, existed: Boolean): Unit =
          try write(saved, passed, path, columns, data)
          catch {
            // Another job has created the directory in the meantime.
            case e: AnalysisException
                if mode == SaveMode.Ignore && e.getCondition == "PATH_ALREADY_EXISTS" =>
              logInfo(s"Left $path as another job has just written it")
            case e: Throwable =>
              if (!existed) Uninterrupted(removeIfEmpty(fs, path))
              throw e
          }
    }
  }

  /** Adds the rows of a micro-batch, whose number is in `options`. */
  def add(
      options: CaseInsensitiveMap[String],
      path: Path,
      columns: Seq[String],
      data: DataFrame
  ): Unit = write(SaveMode.Append, options, path, columns, data)

  def hasData(fs: FileSystem, path: Path): Boolean =
    PartitionDirectories.columnsOf(fs, path).isDefined

  def missingPath: VariantShreddedException =
    VariantShreddedErrors.invalidOption("path", "", "the directory to write to")

  private def write(
      mode: SaveMode,
      options: CaseInsensitiveMap[String],
      path: Path,
      columns: Seq[String],
      data: DataFrame
  ): Unit = {
    data.write
      .format(Format.ClassName)
      .mode(mode)
      .options(passedOn(options))
      .option(SinkOption, "true")
      .partitionBy(columns.map(PartitionColumns.quoted): _*)
      .save(path.toString)
  }

  /** Makes the checks of a write to the path, and writes nothing. */
  private def check(
      mode: SaveMode,
      options: CaseInsensitiveMap[String],
      path: Path,
      columns: Seq[String],
      rows: StructType
  ): Unit = {
    val passed = new CaseInsensitiveStringMap(passedOn(options).asJava)
    val info = new LogicalWriteInfo {
      override def options(): CaseInsensitiveStringMap = passed
      override def queryId(): String = ""
      override def schema(): StructType = rows
    }
    val builder = new VariantWriteBuilder(info, path.toString, passed, columns, None)
    val _ = (if (mode == SaveMode.Overwrite) builder.truncate() else builder).build()
  }

  /** Returns the options that a save passes on to its write. */
  private def passedOn(options: CaseInsensitiveMap[String]): Map[String, String] =
    without(options, "path", DataSourceUtils.PARTITIONING_COLUMNS_KEY)

  private def without(options: CaseInsensitiveMap[String], names: String*): Map[String, String] =
    options.originalMap.filterNot { case (key, _) => names.exists(_.equalsIgnoreCase(key)) }

  private def checkColumns(
      session: classic.SparkSession,
      columns: Seq[String],
      schema: StructType
  ): Unit = {
    val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
    PartitioningUtils.validatePartitionColumn(schema, columns, caseSensitive)
  }

  private def askedColumns(
      session: classic.SparkSession,
      options: CaseInsensitiveMap[String],
      schema: StructType
  ): Seq[String] = {
    val resolver = session.sessionState.conf.resolver
    options
      .get(DataSourceUtils.PARTITIONING_COLUMNS_KEY)
      .toSeq
      .flatMap(DataSourceUtils.decodePartitioningColumns)
      .map(unquoted(_, name => schema.exists(field => resolver(field.name, name))))
      .map(name => schema.find(field => resolver(field.name, name)).fold(name)(_.name))
  }

  /**
   * Returns the partition columns: the given ones or, if rows are added, those of the directory.
   */
  private def partitionColumns(
      session: classic.SparkSession,
      mode: SaveMode,
      options: CaseInsensitiveMap[String],
      asked: Seq[String],
      fs: FileSystem,
      path: Path
  ): Seq[String] = {
    val conf = session.sessionState.conf
    val overwrite = WriteOptions.PartitionOverwrite
      .get(new CaseInsensitiveStringMap(options.originalMap.asJava))
      .getOrElse(conf.partitionOverwriteMode)
    val existing =
      if (mode == SaveMode.Overwrite && overwrite == PartitionOverwriteMode.STATIC) None
      else {
        val commits = PendingCommits.of(path, fs.getConf)
        PartitionDirectories.columnsOf(fs, path, file => !commits.hides(file))
      }
    PartitionColumns.added(path, existing, asked, conf.resolver)
  }

  // Spark has already parsed the names as identifiers, so some of them have to be quoted again.
  private def unquoted(name: String, isColumn: String => Boolean): String =
    if (isColumn(name)) name
    else {
      Try(CatalystSqlParser.parseMultipartIdentifier(name)).toOption
        .collect { case Seq(part) if isColumn(part) => part }
        .getOrElse(name)
    }

  /**
   * Deletes `path` if it is empty, so that a failed save leaves no directory that it created. Files
   * of other jobs are kept, and so are files that killed tasks may still write.
   */
  def removeIfEmpty(fs: FileSystem, path: Path): Unit =
    try {
      EmptyDirectories.remove(fs, path)
      ()
    } catch {
      case e: java.io.IOException => logWarning(s"Could not remove the empty directory $path", e)
    }
}

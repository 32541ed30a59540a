package io.github.variantshredded.table

import java.util.{EnumSet, Set => JSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.commit.{CommittedFileIndex, PathMatches, StreamLog}
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.{Format, MergedOptions, OptionEntry}
import io.github.variantshredded.read.footer.TableSchema
import io.github.variantshredded.read.options.{OptionNames, ReaderConf, ReadOptions}
import io.github.variantshredded.read.scan.{ScannedFiles, VariantScanBuilder}
import io.github.variantshredded.spark.SparkSchemaChecks
import io.github.variantshredded.write.ColumnTypes
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.connector.catalog.{TableCapability, TableCatalog}
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.{
  DataSource,
  FileFormat,
  FileStatusCache,
  PartitioningAwareFileIndex,
  PartitioningUtils
}
import org.apache.spark.sql.execution.datasources.v2.FileTable
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Represents the table for a read of files below one or more paths:
 * `spark.read.format("variant-shredded").load(...)`.
 *
 * As in Spark's file sources, the files are listed when the table is created. It extends
 * `FileTable` so that `df.inputFiles` and `spark.catalog.refreshByPath` work. Writes use
 * [[PathSink]].
 *
 * @param isStream
 *   whether a stream reads the files: no file may match a pattern yet
 */
final case class PathTable(
    session: classic.SparkSession,
    options: CaseInsensitiveStringMap,
    paths: Seq[String],
    userSchema: Option[StructType],
    isStream: Boolean = false
) extends FileTable(session, options, paths, userSchema)
    with WithFileMetadata
    with EqualByFiles {

  override def name(): String = PathTable.nameOf(formatName, paths)

  override def formatName: String = Format.Name

  // A global temporary view can bring the table into a session that has not looked up the format,
  // and so has no rules of this source yet. Spark asks for the capabilities in each analysis.
  override def capabilities: JSet[TableCapability] = {
    SparkSession.getActiveSession.foreach {
      case other: classic.SparkSession if (other ne session) && !PathTable.hasRules(other) =>
        // A thread's class loader need not find the format. The query runs without the rules then.
        val _ = Try(DataSource.lookupDataSourceV2(Format.Name, SQLConf.get))
      case _ => ()
    }
    EnumSet.of(BATCH_READ, MICRO_BATCH_READ)
  }

  // The same as Spark's, without the files of unfinished commits.
  override lazy val fileIndex: PartitioningAwareFileIndex = {
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    StreamLog.index(session, paths, hadoopConf, parameters, userSchema).getOrElse {
      val matches = new PathMatches(paths, hadoopConf, patterns, mayBeNone = isStream)
      val cache = FileStatusCache.getOrCreate(session)
      CommittedFileIndex.of(session, matches, parameters, userSchema, cache)
    }
  }

  private lazy val hadoopConf: Configuration = ReaderConf.hadoop(session, options)

  /** Returns whether the paths may be patterns. */
  private def patterns: Boolean = options.getBoolean(DataSource.GLOB_PATHS_KEY, true)

  /** Throws an error if a read leaves out files below the paths, or columns of their directories. */
  private[variantshredded] def checkLeftOut(): Unit = fileIndex match {
    case index: CommittedFileIndex =>
      if (patterns) LostPartitions.check(paths, index, options, hadoopConf)
      index.leftOut.foreach { file =>
        val columns = index.partitionSchema.fieldNames
        val where =
          if (columns.isEmpty) "in a directory below the given ones"
          else s"beside the directories of columns (${columns.mkString(", ")})"
        throw VariantShreddedErrors.unsupported(
          s"A file $where, such as $file,",
          "Move it, or name it as a path of its own."
        )
      }
    case _ => // all files in the log of a stream are read
  }

  override def supportsDataType(dataType: DataType): Boolean = ColumnTypes.supported(dataType)

  /**
   * The columns of the files, followed by the partition columns. A column of both has the type of
   * the partition column and the position of the file's column, as in Spark's Parquet source;
   * `FileTable` would put it at the end.
   */
  override lazy val schema: StructType = {
    val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
    SparkSchemaChecks.noDuplicates(dataSchema, caseSensitive)
    dataSchema.foreach(ColumnTypes.check)
    SparkSchemaChecks.noDuplicates(fileIndex.partitionSchema, caseSensitive)
    val (merged, _) = PartitioningUtils.mergeDataAndPartitionSchema(
      dataSchema,
      fileIndex.partitionSchema,
      caseSensitive
    )
    merged
  }

  override def inferSchema(files: Seq[FileStatus]): Option[StructType] =
    TableSchema.infer(session, options, files)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = {
    val added = PathOptions.added(options, scanOptions)
    if (added.isEmpty) scanBuilder(fileIndex, dataSchema, options)
    else {
      // A path in SQL is listed before Spark passes the options of the query.
      PathOptions.checkScan(options, added)
      val read = withAdded(added).copy(userSchema = Some(schema))
      PathOptions.checkScan(read.fileIndex, fileIndex.partitionSchema.fieldNames.toSeq, added)
      scanBuilder(read.fileIndex, schema, read.options)
    }
  }

  private def scanBuilder(
      index: PartitioningAwareFileIndex,
      columns: StructType,
      scanOptions: CaseInsensitiveStringMap
  ): ScanBuilder = {
    val path = Option.when(paths.size == 1)(paths.head)
    VariantScanBuilder(session, ScannedFiles(index, path), columns, scanOptions)
  }

  /** Returns the table with further options, by which its files are listed again. */
  private[variantshredded] def withAdded(
      added: CaseInsensitiveStringMap,
      more: Seq[OptionEntry[_]] = Nil
  ): PathTable = {
    OptionNames.check(added, more)
    ReadOptions.check(ReadOptions.reading, added)
    copy(options = MergedOptions(options, added))
  }

  override protected def request: Product = (options, paths, userSchema, isStream)

  // A stream lists the files at each batch.
  override protected def comparesFound: Boolean = !isStream

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw readOnly

  // Called when an INSERT INTO names a temporary view or a glob.
  override def fallbackFileFormat: Class[_ <: FileFormat] = throw readOnly

  private def readOnly: VariantShreddedException = VariantShreddedErrors.unsupported(
    "INSERT INTO a temporary view over files or a glob",
    s"Write with df.write.format(\"$formatName\").save(path) or to a table."
  )
}

object PathTable {

  /**
   * Returns the name of a table of the files at `paths`. Each plan with the table contains the name,
   * so it has only the first path.
   */
  private[variantshredded] def nameOf(format: String, paths: Seq[Any]): String = {
    val others = if (paths.size > 1) s" and ${paths.size - 1} more" else ""
    s"$format ${paths.headOption.getOrElse("")}$others"
  }

  /** Returns whether a session has optimizer rules of this source. */
  private def hasRules(session: classic.SparkSession): Boolean =
    session.experimental.extraOptimizations.exists { rule =>
      rule.getClass.getName.startsWith("io.github.variantshredded.")
    }

  /** Returns the table of the files that the options of a read name. */
  private[variantshredded] def reading(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      userSchema: Option[StructType],
      isStream: Boolean = false
  ): PathTable = {
    // The properties of a table belong to the user; they were checked when it was declared.
    if (!options.containsKey(TableCatalog.PROP_PROVIDER)) OptionNames.check(options)
    ReadOptions.check(ReadOptions.reading, options)
    val paths = PathOptions.requiredPaths(options)
    PathTable(session, PathOptions.others(options), paths, userSchema, isStream)
  }
}

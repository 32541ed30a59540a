package io.github.variantshredded.json

import java.util.{EnumSet, Set => JSet}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.commit.{PathMatches, StreamLog}
import io.github.variantshredded.directory.{Directories, HiddenNames}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.read.file.SplitReader
import io.github.variantshredded.read.options.{ReaderConf, ToleratedFiles}
import io.github.variantshredded.read.scan.PartitionFilterPushDown
import io.github.variantshredded.spark.PathPatterns
import io.github.variantshredded.table.{EqualByFiles, LostPartitions, PathOptions, PathTable}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.io.compress.CompressionCodecFactory
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.TableCapability
import org.apache.spark.sql.connector.read.{
  InputPartition,
  PartitionReader,
  PartitionReaderFactory,
  ScanBuilder
}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.datasources.{
  FileFormat,
  FileStatusCache,
  InMemoryFileIndex,
  PartitionedFile,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.v2.{
  FilePartitionReaderFactory,
  FileScan,
  FileScanBuilder,
  FileTable,
  PartitionReaderWithPartitionValues
}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.SerializableConfiguration

/**
 * Reads JSON files, each value of which is a Variant: `load_json` of the Python package.
 * Directories named `name=value` are columns, as in Spark's file sources.
 */
private[variantshredded] final case class JsonTable(
    session: classic.SparkSession,
    options: CaseInsensitiveStringMap,
    paths: Seq[String],
    json: JsonOptions
) extends FileTable(session, options, paths, Some(json.schema))
    with EqualByFiles {

  override def name(): String = PathTable.nameOf(formatName, paths)

  override def formatName: String = "JSON"

  override def capabilities(): JSet[TableCapability] = EnumSet.of(TableCapability.BATCH_READ)

  override lazy val fileIndex: PartitioningAwareFileIndex = {
    val parameters = options.asCaseSensitiveMap.asScala.toMap
    val ofStream = StreamLog.index(session, paths, hadoopConf, parameters, None)
    ofStream.foreach(_.checkMoved())
    ofStream.getOrElse {
      val roots = new PathMatches(paths, hadoopConf, patterns = true).resolve()
      val cache = FileStatusCache.getOrCreate(session)
      val index = new JsonTable.Index(session, roots, parameters, cache)
      LostPartitions.check(paths, index, options, hadoopConf)
      checkPartitions(index)
      checkLeftOut(index)
      index
    }
  }

  /** Throws an error for other files that Spark's file sources leave out. */
  private def checkLeftOut(index: JsonTable.Index): Unit = {
    index.leftOut.foreach { file =>
      throw VariantShreddedErrors.unsupported(
        s"A file in a directory below the given ones, such as $file,",
        "Set the option recursiveFileLookup to true, or name its directory."
      )
    }
    paths.filterNot(PathPatterns.isPattern).map(new Path(_)).find(isHiddenFile).foreach { file =>
      throw VariantShreddedErrors.unsupported(
        s"A file whose name begins with '_' or '.', such as $file,",
        "Rename it: Spark takes it for a file of an unfinished job."
      )
    }
  }

  private def isHiddenFile(root: Path): Boolean =
    HiddenNames.hides(root.getName) && root.getFileSystem(hadoopConf).getFileStatus(root).isFile

  /** Throws an error for files without a partition, which Spark's file sources leave out. */
  private def checkPartitions(index: PartitioningAwareFileIndex): Unit = {
    val columns = index.partitionSchema.fieldNames
    if (columns.nonEmpty) {
      val directories = index.partitionSpec().partitions.map(_.path).toSet
      index.allFiles().find(file => !directories(file.getPath.getParent)).foreach { file =>
        throw VariantShreddedErrors.unsupported(
          s"A file beside the directories of columns (${columns.mkString(", ")}), such as " +
            s"${file.getPath},",
          "Move it, or load it alone."
        )
      }
    }
  }

  override lazy val dataSchema: StructType = {
    val resolver = session.sessionState.conf.resolver
    json.schema.fieldNames
      .find(name => fileIndex.partitionSchema.exists(field => resolver(field.name, name)))
      .foreach { name =>
        throw VariantShreddedErrors
          .invalidOption("column", name, "another name than those of the directories' columns")
      }
    json.schema
  }

  override def inferSchema(files: Seq[FileStatus]): Option[StructType] = Some(json.schema)

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    new JsonScanBuilder(this)

  /** Returns whether this is the table of a read with these options. */
  def isOf(read: CaseInsensitiveStringMap): Boolean =
    options == PathOptions.others(read) && paths == PathOptions.paths(read)

  private lazy val hadoopConf: Configuration = newHadoopConf

  /** Returns a new configuration from the current settings of the session. */
  def newHadoopConf: Configuration = ReaderConf.hadoop(session, options)

  override protected def request: Product = (options, paths, json)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw readOnly

  override def fallbackFileFormat: Class[_ <: FileFormat] = throw readOnly

  private def readOnly = VariantShreddedErrors.unsupported(
    "Writing JSON files with this format",
    "Write with the format json."
  )
}

private[variantshredded] object JsonTable {

  private final class Index(
      session: classic.SparkSession,
      roots: Seq[Path],
      parameters: Map[String, String],
      cache: FileStatusCache
  ) extends InMemoryFileIndex(
        session,
        roots.map(Directories.rooted(_)),
        parameters,
        None,
        cache
      ) {

    /** Returns a file that Spark's listing leaves out: one in a directory below the roots. */
    def leftOut: Option[Path] =
      if (recursiveFileLookup || partitionSpec().partitionColumns.nonEmpty) None
      else {
        val named = rootPaths.toSet
        leafFiles.iterator.collectFirst {
          case (file, status)
              if !named(file) && !named(file.getParent) && matchPathPattern(status) =>
            file
        }
      }
  }

  /** Returns the table of the files that the options of a read name. */
  def reading(session: classic.SparkSession, options: CaseInsensitiveStringMap): JsonTable = {
    val others = PathOptions.others(options)
    JsonTable(session, others, PathOptions.requiredPaths(options), JsonOptions(others))
  }
}

/** Makes the scan of a query, with its columns and partition filters. */
private final class JsonScanBuilder(table: JsonTable)
    extends FileScanBuilder(table.session, table.fileIndex, table.dataSchema)
    with PartitionFilterPushDown {

  override def build(): JsonScan =
    JsonScan(table, readDataSchema(), readPartitionSchema(), partitionFilters, dataFilters)
}

/** Describes a scan of JSON files: the files and columns to read. */
private final case class JsonScan(
    table: JsonTable,
    readDataSchema: StructType,
    readPartitionSchema: StructType,
    partitionFilters: Seq[Expression],
    dataFilters: Seq[Expression]
) extends FileScan {

  override def sparkSession: classic.SparkSession = table.session

  override def fileIndex: PartitioningAwareFileIndex = table.fileIndex

  override def dataSchema: StructType = table.dataSchema

  // Spark asks whether it can split a file for each file.
  @transient private lazy val hadoopConf = table.newHadoopConf
  @transient private lazy val codecs = new CompressionCodecFactory(hadoopConf)

  override def isSplitable(path: Path): Boolean = !JsonFile.isCompressed(path, codecs)

  override def getFileUnSplittableReason(path: Path): String = "the file is compressed"

  override def createReaderFactory(): PartitionReaderFactory = JsonReaderFactory(
    sparkSession.sparkContext.broadcast(new SerializableConfiguration(hadoopConf)),
    table.json,
    readDataSchema,
    readPartitionSchema,
    // Spark would leave out what follows a text that is not JSON as well.
    sourceOptions(FileSourceOptions.IGNORE_CORRUPT_FILES -> "false"),
    sourceOptions().ignoreCorruptFiles
  )

  private def sourceOptions(changed: (String, String)*): FileSourceOptions =
    new FileSourceOptions(
      CaseInsensitiveMap(table.options.asCaseSensitiveMap.asScala.toMap) ++ changed
    )

  // FileScan compares only the root paths, but the options say how a file is read, and a later
  // listing of the same paths may have other files.
  override def equals(other: Any): Boolean = other match {
    case that: JsonScan =>
      super.equals(that) && readPartitionSchema == that.readPartitionSchema &&
      table.options == that.table.options && (fileIndex.eq(that.fileIndex) || files == that.files)
    case _ => false
  }

  override def hashCode(): Int = classOf[JsonScan].hashCode()

  private def files: Set[(String, Long, Long)] =
    fileIndex
      .allFiles()
      .map(file => (file.getPath.toString, file.getLen, file.getModificationTime))
      .toSet
}

/** Makes the readers of splits of JSON files in the tasks. */
private final case class JsonReaderFactory(
    conf: Broadcast[SerializableConfiguration],
    json: JsonOptions,
    readDataSchema: StructType,
    partitionSchema: StructType,
    options: FileSourceOptions,
    toleratesCorrupt: Boolean
) extends FilePartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val tolerated = ToleratedFiles(options.ignoreCorruptFiles, options.ignoreMissingFiles)
    new SplitReader(partition, buildReader, tolerated, asSpark = false)
  }

  override def buildReader(part: PartitionedFile): PartitionReader[InternalRow] =
    new PartitionReaderWithPartitionValues(
      new JsonRows(part, conf.value.value, json, readDataSchema, toleratesCorrupt),
      readDataSchema,
      partitionSchema,
      part.partitionValues
    )
}

package io.github.variantshredded.read.inspect

import java.util.{EnumSet, Set => JSet}

import io.github.variantshredded.read.file.SplitReader
import io.github.variantshredded.read.footer.ListedFiles
import io.github.variantshredded.read.options.{ReaderConf, ReadOptions, ReadSettings}
import io.github.variantshredded.table.{PathOptions, PathTable}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.SerializableConfiguration

/**
 * Shows what Parquet files hold, according to their footers:
 * `spark.read.format("variant-shredded-files")`.
 *
 * @param files
 *   the table whose files are listed
 */
private[variantshredded] final class FilesTable(files: PathTable) extends Table with SupportsRead {

  override def name(): String = s"files of ${files.name()}"

  override def schema(): StructType = FilesTableColumn.schema

  override def capabilities(): JSet[TableCapability] = EnumSet.of(TableCapability.BATCH_READ)

  /**
   * Lists the files, unless they have been listed.
   *
   * @param everyFile
   *   whether it is an error if a read leaves out files below the paths
   */
  def list(everyFile: Boolean): Unit = {
    val _ = files.fileIndex
    if (everyFile) files.checkLeftOut()
  }

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = {
    val added = PathOptions.added(files.options, options)
    ReadOptions.check(ReadOptions.inspecting, added)
    val read = if (added.isEmpty) files else files.withAdded(added, ReadOptions.inspecting)
    if (ReadOptions.EveryFile.of(added)) read.checkLeftOut()
    new PrunedScanBuilder(FilesTableColumn.schema, new FilesScan(read, _))
  }
}

/** Reads footers on the executors. Each task reads the footers of some files. */
private final class FilesScan(files: PathTable, wanted: StructType) extends Scan with Batch {
  import FilesScan._

  private val session: classic.SparkSession = files.session
  private val settings = ReadSettings(files.options, session.sessionState.conf)
  private val sample = ReadOptions.ResidualSample.of(files.options)

  override def readSchema(): StructType = wanted

  override def description(): String =
    s"${files.name()}, ${wanted.fieldNames.mkString("columns [", ", ", "]")}"

  override def toBatch(): Batch = this

  override def planInputPartitions(): Array[InputPartition] = {
    val directories = files.fileIndex.listFiles(Nil, Nil)
    val all = for {
      directory <- directories
      file <- directory.files if file.getLen > 0
    } yield PartitionedFile(
      directory.values,
      SparkPath.fromPath(file.getPath),
      0,
      file.getLen,
      Array.empty,
      file.getModificationTime,
      file.getLen,
      Map.empty
    )
    val tasks = session.sparkContext.defaultParallelism * TasksPerCore
    val size = math.min(math.max(1, (all.size + tasks - 1) / tasks), MaxFiles)
    val splits = all.grouped(size).zipWithIndex.map { case (group, index) =>
      FilePartition(index, group.toArray)
    }
    ListedFiles.withStatus(splits.toSeq, directories).toArray
  }

  override def createReaderFactory(): PartitionReaderFactory = {
    val conf = ReaderConf(session, files.options)
    new FilesReaderFactory(
      session.sparkContext.broadcast(new SerializableConfiguration(conf)),
      wanted,
      files.fileIndex.partitionSchema,
      sample,
      settings
    )
  }
}

private object FilesScan {

  /**
   * The number of tasks per core. Several are needed because some footers take much longer than
   * others.
   */
  final val TasksPerCore = 4

  final val MaxFiles = 500
}

/** Makes the readers that inspect the files of a split in the tasks. */
private final class FilesReaderFactory(
    conf: Broadcast[SerializableConfiguration],
    wanted: StructType,
    partitionSchema: StructType,
    sample: Int,
    settings: ReadSettings
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
    val columns = wanted.fields.map(FilesTableColumn.of)
    new SplitReader[InternalRow](
      partition,
      new FileInspector(_, conf.value.value, columns, partitionSchema, sample, settings),
      settings.tolerated,
      asSpark = false
    )
  }
}

package io.github.variantshredded.commit

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.datasources.{
  FileStatusCache,
  InMemoryFileIndex,
  NoopCache,
  PartitionSpec
}
import org.apache.spark.sql.types.{BinaryType, StructType}

/**
 * Lists files as Spark's index does, but leaves out the files that [[PendingCommits]] hides, and
 * keeps the binary values of partition columns as they were written.
 *
 * @param ofPattern
 *   whether the roots match a pattern of paths, and so may be parts of a table: then its commit notes
 *   and the log of the stream that writes it hide files too
 * @param ofSeveral
 *   whether the roots are several paths of a read, each of which may be a directory with the log of
 *   a stream
 */
private[variantshredded] final class CommittedFileIndex(
    session: SparkSession,
    roots: Seq[Path],
    parameters: Map[String, String],
    schema: Option[StructType],
    cache: FileStatusCache = NoopCache,
    ofPattern: Boolean = false,
    ofSeveral: Boolean = false
) extends InMemoryFileIndex(session, roots, parameters, schema, cache) {

  // The constructor of InMemoryFileIndex calls this method, so it can use only parameters.
  override def listLeafFiles(paths: Seq[Path]): mutable.LinkedHashSet[FileStatus] = {
    def committed(): Iterable[FileStatus] =
      PendingCommits.visible(paths, hadoopConf, ofPattern) { () =>
        cache.invalidateAll()
        super.listLeafFiles(paths)
      }
    def inLogs(tablesOf: Path => Seq[Path]) =
      EnclosingTables.inLogs(session, hadoopConf, tablesOf)(() => committed())
    mutable.LinkedHashSet.from(
      if (ofPattern) inLogs(EnclosingTables.above)
      else if (ofSeveral) inLogs(EnclosingTables.among(paths))
      else committed()
    )
  }

  /**
   * Returns a file that a read leaves out, as Spark's file sources do: one beside the directories
   * of partition columns, or one in a directory below the roots if there are no such columns.
   */
  def leftOut: Option[Path] = {
    lazy val read = listFiles(Nil, Nil).flatMap(_.files.map(_.getPath)).toSet
    leafFiles.valuesIterator
      .filter(file => file.getLen > 0 && matchPathPattern(file))
      .filterNot(file => HiddenNames.isSummary(file.getPath.getName))
      .map(_.getPath)
      .find(!read(_))
  }

  // What Spark has found in the names of directories, and the same with binary values as written.
  private var unescaped = Option.empty[(PartitionSpec, PartitionSpec)]

  /**
   * Returns the partitions. Spark takes a binary value from the name of its directory as it stands
   * there, where some characters are escaped (`a%2Fb`); other types are unescaped by Spark.
   */
  override def partitionSpec(): PartitionSpec = synchronized {
    val found = super.partitionSpec()
    if (!found.partitionColumns.exists(_.dataType == BinaryType)) found
    else {
      unescaped.collect { case (`found`, known) => known }.getOrElse {
        val spec = CommittedFileIndex.unescaped(found)
        unescaped = Some(found -> spec)
        spec
      }
    }
  }
}

private object CommittedFileIndex {

  private def unescaped(spec: PartitionSpec): PartitionSpec = {
    val types = spec.partitionColumns.map(_.dataType)
    val partitions = spec.partitions.map { partition =>
      val values = partition.values.toSeq(types).zip(types).map {
        case (bytes: Array[Byte], BinaryType) =>
          ExternalCatalogUtils.unescapePathName(new String(bytes, UTF_8)).getBytes(UTF_8)
        case (value, _) => value
      }
      partition.copy(values = InternalRow.fromSeq(values))
    }
    spec.copy(partitions = partitions)
  }
}

package io.github.variantshredded.read.file

import java.io.FileNotFoundException

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.footer.FileErrors
import io.github.variantshredded.read.options.ToleratedFiles
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader}
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}
import org.apache.spark.sql.execution.datasources.v2.{FileDataSourceV2, FilePartitionReader}

/**
 * Reads the files of a split one after the other.
 *
 * @param asSpark
 *   whether errors have the conditions of Spark's reader. Otherwise a VariantShreddedException is
 *   thrown without the `FAILED_READ_FILE` in which Spark wraps it, and which says less.
 */
private[variantshredded] class SplitReader[T](
    partition: InputPartition,
    open: PartitionedFile => PartitionReader[T],
    tolerated: ToleratedFiles,
    asSpark: Boolean
) extends PartitionReader[T] {

  private val files = SplitReader.files(partition)

  private val options = new FileSourceOptions(
    Map(
      FileSourceOptions.IGNORE_CORRUPT_FILES -> tolerated.corrupt.toString,
      FileSourceOptions.IGNORE_MISSING_FILES -> tolerated.missing.toString
    )
  )

  private var current = spark(Iterator.empty)

  // Spark's reader calls itself for the next file, so it gets one file at a time: thousands of
  // files without rows would exhaust the stack.
  private def spark(files: Iterator[PartitionedFile]): FilePartitionReader[T] =
    new FilePartitionReader(
      files,
      file =>
        if (tolerated.corrupt || tolerated.missing)
          new ToleratingReader(file, open(file), tolerated)
        else open(file),
      options
    )

  override def next(): Boolean =
    try {
      var found = current.next()
      while (!found && files.hasNext) {
        current = spark(Iterator.single(files.next()))
        found = current.next()
      }
      found
    } catch {
      case e: Throwable =>
        e.getCause match {
          case ours: VariantShreddedException if !asSpark => throw ours
          case kept: NotSkipped if !asSpark               => throw kept.error
          case MissingFile(path, missing) => throw FileDataSourceV2.attachFilePath(path, missing)
          case _                          => throw e
        }
    }

  override def get(): T = current.get()

  override def close(): Unit = current.close()
}

/**
 * Decides about two errors before Spark's reader of Data Source V2 does, where bad files are skipped.
 * A lack of memory ends the task: the file may be valid, and the next attempt may have more memory.
 * A file that is missing, also if it was deleted while it is read, is not a corrupt one.
 */
private final class ToleratingReader[T](
    file: PartitionedFile,
    open: => PartitionReader[T],
    tolerated: ToleratedFiles
) extends PartitionReader[T]
    with Logging {

  private val reader = checked(open)

  override def next(): Boolean =
    try checked(reader.next())
    catch {
      case e: FileNotFoundException if tolerated.missing && !tolerated.asDataSourceV2 =>
        logWarning(s"Skipped the rest of the missing file ${file.toPath}", e)
        false
    }

  override def get(): T = reader.get()

  override def close(): Unit = reader.close()

  private def checked[A](body: => A): A =
    try body
    catch {
      case e: VariantShreddedException if tolerated.corrupt && FileErrors.isLackOfMemory(e) =>
        throw new NotSkipped(e)
      case e: FileNotFoundException if !tolerated.missing && !tolerated.asDataSourceV2 =>
        throw MissingFile(file.urlEncodedPath, e)
    }
}

/** Wraps an error so that Spark does not take it for one of a corrupt file. */
private final class NotSkipped(val error: VariantShreddedException)
    extends Exception(error.getMessage, error)

/** Wraps the error of a missing file so that Spark does not take it for a corrupt file. */
private final case class MissingFile(path: String, error: FileNotFoundException)
    extends Exception(error.getMessage, error)

private object SplitReader {
  def files(partition: InputPartition): Iterator[PartitionedFile] = partition match {
    case split: FilePartition => split.files.iterator
    case other                => throw new IllegalArgumentException(s"Not a split of files: $other")
  }
}

package io.github.variantshredded.write.file

import scala.collection.mutable

import io.github.variantshredded.shredding.{ColumnShredding, ShreddingSchema}
import io.github.variantshredded.write.cluster.ClusteredFile
import io.github.variantshredded.write.column.EachStep
import io.github.variantshredded.write.infer.{DriftLimits, DriftWatch, SampleInference, SchemaDrift}
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.OutputWriter
import org.apache.spark.sql.types.StructType
import org.slf4j.LoggerFactory

/**
 * Writes one file.
 *
 * If its schema has to be inferred, the first rows are held in memory as the sample. Then the file
 * is opened, and these rows are written first.
 */
private[write] final class VariantOutputWriter(
    filePath: String,
    schema: StructType,
    settings: WriteSettings,
    context: TaskAttemptContext,
    task: VariantOutputWriter.Task
) extends OutputWriter {
  import settings.{clustering, limits, sample, shredding}

  private val held = mutable.ArrayBuffer.empty[UnsafeRow]
  private var heldBytes = 0L
  private lazy val toUnsafe = UnsafeProjection.create(schema)
  private val configuration = ContextUtil.getConfiguration(context)
  private val infersAll = shredding.columns.forall(_.shredding == ColumnShredding.Infer)
  private var hasFailed = false
  private var clustered: Option[ClusteredFile] = None
  private var watch: Option[DriftWatch] = None
  private var drift: Option[SchemaDrift] = None
  private var isRolled = false
  private var file: Option[VariantFileWriter] = None

  if (!shredding.infers) open(givenSchemas)

  override def path(): String = filePath

  override def write(row: InternalRow): Unit = failing {
    val unsafe = row match {
      case unsafe: UnsafeRow => unsafe
      case other             => toUnsafe(other)
    }
    file match {
      case Some(opened) => add(opened, unsafe, isHeld = false)
      case None         => hold(unsafe.copy())
    }
  }

  /**
   * Returns whether the next row begins a new file with a schema of its own, because of schema
   * drift. Call this method only if there is a next row: it counts the files that end.
   */
  def rolls(): Boolean = {
    if (!isRolled && drift.nonEmpty && task.drift.files > 0) {
      isRolled = true
      task.rolls()
      VariantOutputWriter.Log.info("Ends {} because of schema drift: {}", filePath, drift.mkString)
    }
    isRolled
  }

  override def close(): Unit = EachStep(
    () => {
      // After a failure, the rows in memory belong to a file that is about to be deleted.
      if (!hasFailed) failing {
        if (file.isEmpty) begin()
        clustered.foreach(_.flush())
      }
    },
    () => clustered.foreach(_.close()),
    () => file.foreach(end)
  )

  private def end(written: VariantFileWriter): Unit =
    if (hasFailed) written.abandon()
    else {
      written.close()
      val found = clustered.fold(Set.empty[Int])(_.found)
      val stats = written.stats.copy(
        rolled = if (isRolled) 1 else 0,
        used = written.used(task.optionPaths, found)
      )
      VariantOutputWriter.Log.info("Wrote {}: {}", filePath, stats)
      task.finished(stats)
    }

  private def hold(row: UnsafeRow): Unit = {
    held += row
    heldBytes += row.getSizeInBytes
    if (held.size >= sample.rows || heldBytes >= sample.bytes) begin()
  }

  private def begin(): Unit = {
    val schemas = SampleInference.infer(schema, shredding, held, limits)
    val opened = open(schemas)
    if (task.drift.rows > 0 && task.drift.files > 0)
      watch = Some(new DriftWatch(schema, shredding, limits, task.drift, sample.bytes, schemas))
    held.foreach(add(opened, _, isHeld = true))
    held.clear()
    held.trimToSize()
  }

  /**
   * Writes or buffers a row.
   *
   * @param isHeld
   *   whether the row was in the sample, so that it does not change and inference has checked its
   *   Variants
   */
  private def add(opened: VariantFileWriter, row: UnsafeRow, isHeld: Boolean): Unit = {
    clustered match {
      case None       => opened.write(row, isChecked = isHeld && infersAll)
      case Some(rows) => rows.add(if (isHeld) row else row.copy())
    }
    watch match {
      case Some(watching) if drift.isEmpty => drift = watching.add(row)
      case _                               => ()
    }
  }

  private def givenSchemas: Seq[ShreddingSchema] = shredding.columns.map { column =>
    column.shredding match {
      case ColumnShredding.Given(schema) => schema
      case ColumnShredding.Infer         => ShreddingSchema.Unshredded
    }
  }

  private def open(schemas: Seq[ShreddingSchema]): VariantFileWriter = {
    val opened = new VariantFileWriter(
      new Path(filePath),
      WrittenColumns(schema, schemas, settings.layout, settings.bloomFilters),
      CodecConfig.from(context).getCodec,
      configuration
    )
    file = Some(opened)
    if (clustering.isOn)
      clustered = Some(
        new ClusteredFile(schema, shredding, schemas, clustering, configuration, opened.write(_))
      )
    opened
  }

  private def failing(action: => Unit): Unit =
    try action
    catch {
      case e: Throwable =>
        hasFailed = true
        throw e
    }
}

private[write] object VariantOutputWriter {

  /** Holds the state that the files of a task share. */
  trait Task {

    /**
     * Returns the limits of the check for schema drift; `files` is the number of files that may
     * still end.
     */
    def drift: DriftLimits

    /** Returns the paths that the options of the write name. */
    def optionPaths: OptionPaths

    /** Counts a file that ends because of schema drift. */
    def rolls(): Unit

    /** Receives the statistics of each complete file. */
    def finished(stats: WriteStats): Unit
  }

  private val Log = LoggerFactory.getLogger(classOf[VariantOutputWriter])
}

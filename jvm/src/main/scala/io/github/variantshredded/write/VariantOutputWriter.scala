package io.github.variantshredded.write

import scala.collection.mutable

import io.github.variantshredded.shredding.{
  ColumnShredding,
  InferenceLimits,
  ShreddingSchema,
  ShreddingSpec
}
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.parquet.hadoop.util.ContextUtil
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType
import org.slf4j.LoggerFactory

/** Opens the files of a job. */
private[write] final class VariantOutputWriterFactory(
    shredding: ShreddingSpec,
    limits: InferenceLimits,
    bloomFilters: BloomFilterPaths
) extends OutputWriterFactory {

  // Each task has a factory of its own.
  @transient private lazy val closed = mutable.ArrayBuffer.empty[WriteSummary]

  /** The files of this task that have been written. */
  def finished: Seq[WriteSummary] = closed.toSeq

  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext
  ): OutputWriter =
    new VariantOutputWriter(
      path,
      dataSchema,
      shredding,
      limits,
      bloomFilters,
      context,
      summary => closed += summary
    )

  override def getFileExtension(context: TaskAttemptContext): String =
    CodecConfig.from(context).getCodec.getExtension + ".parquet"
}

/**
 * Writes one file.
 *
 * If a schema has to be inferred, the first rows are held until they are enough; then the file is
 * opened and they are written first.
 *
 * @param finished
 *   is told what has been written once the file is complete
 */
private[write] final class VariantOutputWriter(
    filePath: String,
    schema: StructType,
    shredding: ShreddingSpec,
    limits: InferenceLimits,
    bloomFilters: BloomFilterPaths,
    context: TaskAttemptContext,
    finished: WriteSummary => Unit
) extends OutputWriter {

  private val held = mutable.ArrayBuffer.empty[UnsafeRow]
  private var heldBytes = 0L
  private lazy val toUnsafe = UnsafeProjection.create(schema)
  private var hasFailed = false
  private var file: Option[VariantFileWriter] =
    if (shredding.infers) None else Some(open(givenSchemas))

  override def path(): String = filePath

  override def write(row: InternalRow): Unit = failing {
    file match {
      case Some(open) => open.write(row)
      case None       => hold(row)
    }
  }

  override def close(): Unit = {
    // What is held after a failure belongs to a file that is about to be deleted.
    if (file.isEmpty && !hasFailed) failing(begin())
    file.foreach { written =>
      written.close()
      if (!hasFailed) {
        VariantOutputWriter.Log.info("Wrote {}: {}", filePath, written.summary)
        finished(written.summary)
      }
    }
  }

  private def hold(row: InternalRow): Unit = {
    val copy = row match {
      case unsafe: UnsafeRow => unsafe.copy()
      case other             => toUnsafe(other).copy()
    }
    held += copy
    heldBytes += copy.getSizeInBytes
    if (held.size >= limits.rows || heldBytes >= limits.bytes) begin()
  }

  private def begin(): Unit = {
    val opened = open(RowInference.infer(schema, shredding, held, limits))
    file = Some(opened)
    held.foreach(opened.write)
    held.clear()
    held.trimToSize()
  }

  private def givenSchemas: Seq[ShreddingSchema] = shredding.columns.map { column =>
    column.shredding match {
      case ColumnShredding.Given(schema) => schema
      case ColumnShredding.Infer         => ShreddingSchema.Unshredded
    }
  }

  private def open(schemas: Seq[ShreddingSchema]): VariantFileWriter = new VariantFileWriter(
    new Path(filePath),
    schema,
    schemas,
    bloomFilters,
    CodecConfig.from(context).getCodec,
    ContextUtil.getConfiguration(context)
  )

  private def failing(action: => Unit): Unit =
    try action
    catch {
      case e: Throwable =>
        hasFailed = true
        throw e
    }
}

private object VariantOutputWriter {
  private val Log = LoggerFactory.getLogger(classOf[VariantOutputWriter])
}

package io.github.variantshredded.write.file

import scala.collection.mutable

import io.github.variantshredded.write.infer.DriftLimits
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.codec.CodecConfig
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.StructType

/** Opens the files of a job. */
private[write] final class VariantOutputWriterFactory(settings: WriteSettings)
    extends OutputWriterFactory {

  /** The paths that the options of the write name. */
  val optionPaths: OptionPaths = settings.optionPaths

  // Each task has a factory of its own.
  @transient private lazy val closed = mutable.ArrayBuffer.empty[WriteStats]
  @transient private var rolled = 0

  /** Returns the statistics of the complete files of this task. */
  def finished: Seq[WriteStats] = closed.toSeq

  override def newInstance(
      path: String,
      dataSchema: StructType,
      context: TaskAttemptContext
  ): OutputWriter =
    new VariantOutputWriter(path, dataSchema, settings, context, Task)

  /** Holds the state that the files of a task share. */
  private object Task extends VariantOutputWriter.Task {
    override def drift: DriftLimits =
      settings.drift.copy(files = settings.drift.files - rolled)

    override def optionPaths: OptionPaths = VariantOutputWriterFactory.this.optionPaths

    override def rolls(): Unit = rolled += 1

    override def finished(stats: WriteStats): Unit = closed += stats
  }

  override def getFileExtension(context: TaskAttemptContext): String =
    CodecConfig.from(context).getCodec.getExtension + ".parquet"
}

package io.github.variantshredded.read.columns

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException
import org.apache.spark.sql.execution.datasources.parquet.{
  ParquetColumn,
  ParquetReadSupport,
  ParquetToSparkSchemaConverter
}
import org.apache.spark.sql.types.{StructField, StructType}

/** Finds the columns of a file that Spark's reader reads for requested columns. */
private[read] object RequestedParquet {

  /** What the errors of Spark and Parquet say if a file has a column of another kind. */
  private val OtherTypes = Seq("spark.sql.types.", "is not a group", "Invalid Parquet schema")

  /**
   * Returns the parts of a file that Spark's reader reads for `requested`: one for each column.
   *
   * @param message
   *   the schema of the file; a primitive column stands for each Variant that Spark's reader must not
   *   see
   * @throws org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException
   *   if the file has a column of a kind that cannot be read as the requested type
   */
  def columns(
      message: MessageType,
      requested: StructType,
      conf: Configuration
  ): Seq[ParquetColumn] =
    if (requested.isEmpty) Nil
    else {
      try converted(message, requested, conf)
      catch {
        // The requested type has a struct, an array or a map where the file has another of them, or
        // a primitive.
        case e @ (_: ClassCastException | _: AssertionError) if isOfOtherType(e) =>
          val field =
            requested.find(f => Try(converted(message, StructType(Seq(f)), conf)).isFailure)
          throw otherType(message, field.getOrElse(requested.head), e)
      }
    }

  /** Returns the leaf columns of a column, in the order of the file. */
  def leavesOf(column: ParquetColumn): Seq[ParquetColumn] =
    if (column.isPrimitive) Seq(column) else column.children.flatMap(leavesOf)

  private def isOfOtherType(error: Throwable): Boolean =
    OtherTypes.exists(String.valueOf(error.getMessage).contains(_))

  private def converted(
      message: MessageType,
      requested: StructType,
      conf: Configuration
  ): Seq[ParquetColumn] = {
    val clipped =
      ParquetReadSupport.getRequestedSchema(message, requested, conf, enableVectorizedReader = true)
    new ParquetToSparkSchemaConverter(conf)
      .convertParquetColumn(clipped, Some(requested))
      .children
  }

  private def otherType(message: MessageType, field: StructField, cause: Throwable) = {
    val stored = message.getFields.asScala.find(_.getName.equalsIgnoreCase(field.name))
    val error = new SchemaColumnConvertNotSupportedException(
      field.name,
      stored.fold("missing")(_.toString),
      field.dataType.catalogString
    )
    error.initCause(cause)
    error
  }
}

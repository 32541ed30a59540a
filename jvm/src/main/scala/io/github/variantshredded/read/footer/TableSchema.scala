package io.github.variantshredded.read.footer

import java.io.{FileNotFoundException, IOException}

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import io.github.variantshredded.errors.{
  Causes,
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.options.{ReaderConf, ReadOptions, ToleratedFiles}
import io.github.variantshredded.spark.SchemaInternals
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.converter.ParquetMetadataConverter.{
  MetadataFilter,
  NO_FILTER,
  SKIP_ROW_GROUPS
}
import org.apache.parquet.hadoop.ParquetFileWriter
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.SerializableConfiguration

/**
 * Reads the schema of a table from the footers of its files.
 *
 * As in Spark's Parquet source, the schema of one file is the schema of the table, unless
 * `mergeSchema` is set: then the schemas of all files are merged.
 */
private[variantshredded] object TableSchema extends Logging {

  /** Identifies a listed file by those members of Hadoop's `FileStatus` that are serializable. */
  private final case class Footer(path: String, length: Long)

  /**
   * Returns the schema of `files`, or None if there is no file with a readable footer.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if a footer is not valid Parquet
   */
  def infer(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap,
      files: Seq[FileStatus]
  ): Option[StructType] = {
    val fileOptions = new FileSourceOptions(options.asCaseSensitiveMap.asScala.toMap)
    val tolerated =
      ToleratedFiles(fileOptions.ignoreCorruptFiles, fileOptions.ignoreMissingFiles)
    val conf = ReaderConf(session, options)
    val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
    filesToTouch(files, mergeSchema(session, options)) match {
      case Seq() => None
      // The tasks will need the whole footer.
      case Seq(single) => tolerating(tolerated, single.getPath)(readSchema(single, conf, NO_FILTER))
      case many        =>
        val footers = many.map(file => Footer(file.getPath.toString, file.getLen))
        mergeInParallel(session, footers, conf, tolerated, caseSensitive)
    }
  }

  private def mergeSchema(
      session: classic.SparkSession,
      options: CaseInsensitiveStringMap
  ): Boolean =
    ReadOptions.MergeSchema
      .get(options)
      .getOrElse(session.sessionState.conf.isParquetSchemaMergingEnabled)

  // Empty files have neither rows nor a footer. A scan ignores them too.
  private def filesToTouch(files: Seq[FileStatus], merge: Boolean): Seq[FileStatus] = {
    val sorted = files.filter(_.getLen > 0).sortBy(_.getPath.toString)
    def named(name: String) = sorted.filter(_.getPath.getName == name)
    val common = named(ParquetFileWriter.PARQUET_COMMON_METADATA_FILE)
    val metadata = named(ParquetFileWriter.PARQUET_METADATA_FILE)
    val data = sorted.diff(common).diff(metadata)
    if (merge) data ++ metadata ++ common else (common ++ metadata ++ data).take(1)
  }

  private def mergeInParallel(
      session: classic.SparkSession,
      footers: Seq[Footer],
      conf: Configuration,
      tolerated: ToleratedFiles,
      caseSensitive: Boolean
  ): Option[StructType] = {
    val context = session.sparkContext
    val serialized = new SerializableConfiguration(conf)
    val slices = math.min(footers.size, context.defaultParallelism)
    val partial = SQLExecution.withSQLConfPropagated(session) {
      context
        .parallelize(footers, slices)
        .mapPartitions { slice =>
          val schemas = InParallel(slice.toSeq)(readFooter(_, serialized.value, tolerated)).flatten
          schemas.reduceOption(SchemaInternals.merge(_, _, caseSensitive)).iterator
        }
        .collect()
    }
    partial.reduceOption(SchemaInternals.merge(_, _, caseSensitive))
  }

  private def readFooter(
      footer: Footer,
      conf: Configuration,
      tolerated: ToleratedFiles
  ): Option[StructType] = {
    val path = new Path(footer.path)
    val status = new FileStatus(footer.length, false, 0, 0, 0, 0, null, null, null, path)
    tolerating(tolerated, path)(readSchema(status, conf, SKIP_ROW_GROUPS))
  }

  private[footer] def tolerating(tolerated: ToleratedFiles, path: Path)(
      read: => StructType
  ): Option[StructType] =
    try {
      Some(read)
    } catch {
      case e: FileNotFoundException =>
        if (!tolerated.missing) throw e
        logWarning(s"Skipped the missing file $path in schema inference", e)
        None
      case e: VariantShreddedException =>
        if (!tolerated.corrupt || FileErrors.isLackOfMemory(e)) throw e
        logWarning(s"Skipped the corrupt file $path in schema inference", e)
        None
    }

  /**
   * Reads the schema of a file, as it is now if it cannot be read by its listing.
   *
   * @param filter
   *   `NO_FILTER` if the footer may be cached, as tasks need the whole footer
   */
  private def readSchema(
      file: FileStatus,
      conf: Configuration,
      filter: MetadataFilter
  ): StructType = {
    val path = file.getPath
    val location = ErrorLocation(file = Some(path.toString))
    try {
      ListedFiles.reading(file, conf)(schemaOf(_, conf, filter))
    } catch {
      case e: FileNotFoundException            => throw e
      case e: VariantShreddedException         => throw e.at(location)
      case e: AnalysisException                => throw e
      case e: IOException if !isFormatError(e) => throw e
      case NonFatal(e)                         =>
        throw VariantShreddedErrors.corruptFile(
          s"Cannot read the footer: ${reason(e)}",
          location,
          e
        )
      case _: StackOverflowError =>
        throw VariantShreddedErrors.corruptFile("The schema is nested too deeply.", location)
      case e: OutOfMemoryError =>
        throw VariantShreddedErrors.lackOfMemory("Cannot read the footer", e, location)
    }
  }

  private def schemaOf(
      file: FileStatus,
      conf: Configuration,
      filter: MetadataFilter
  ): StructType = {
    val options = HadoopReadOptions.builder(conf, file.getPath).withMetadataFilter(filter).build()
    val input = HadoopInputFile.fromStatus(file, conf)
    def tail = Using.resource(input.newStream())(FileTail.read(_, file))
    val footer =
      if (filter eq NO_FILTER)
        FooterCache.get(file)(FooterReader.read(input, options, tail, file)).metadata
      else FooterReader.read(input, options, tail)
    val metadata = footer.getFileMetaData
    FooterSchema(metadata.getSchema, metadata.getKeyValueMetaData.asScala.toMap, conf)
  }

  // parquet-java wraps Thrift's decoding errors in an IOException. Other IOExceptions come from the
  // file system.
  private def isFormatError(e: IOException): Boolean =
    Causes.of(e).take(10).exists(_.getClass.getName.contains("thrift"))

  private def reason(e: Throwable): String =
    Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
}

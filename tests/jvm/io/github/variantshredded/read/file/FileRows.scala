package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.RequestedColumns
import io.github.variantshredded.read.options.{
  DatetimeSettings,
  ReadMetrics,
  ReadSettings,
  ToleratedFiles,
  VariantRules,
  VectorSettings
}
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.variant.VariantConstants
import org.apache.hadoop.conf.Configuration
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.VariantVal

/** Reads single files through [[VariantFileReader]], without a session. */
object FileRows {

  def readSettings(
      strict: Boolean,
      offHeap: Boolean = false,
      batchSize: Int = 4096
  ): ReadSettings =
    ReadSettings(
      VariantRules(
        strict,
        searchesAncestors = !strict,
        asSpark = false,
        VariantConstants.DefaultMaxDepth
      ),
      ToleratedFiles(corrupt = false, missing = false),
      DatetimeSettings(
        LegacyBehaviorPolicy.CORRECTED,
        LegacyBehaviorPolicy.CORRECTED,
        int96TimeZone = None
      ),
      VectorSettings(batchSize, offHeap),
      caseSensitive = false,
      lateMaterializationMinBytes = 0
    )

  /** What the driver sends along for Spark's schema conversion. */
  val conf: Configuration = {
    val conf = new Configuration()
    Seq(
      SQLConf.PARQUET_BINARY_AS_STRING,
      SQLConf.PARQUET_INT96_AS_TIMESTAMP,
      SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED,
      SQLConf.LEGACY_PARQUET_NANOS_AS_LONG,
      SQLConf.PARQUET_READER_RESPECT_UNKNOWN_TYPE_ANNOTATION,
      SQLConf.CASE_SENSITIVE
    ).foreach(entry => conf.set(entry.key, entry.defaultValueString))
    conf
  }

  /**
   * The rows of a file, each mapped while its batch is valid.
   *
   * @param settings
   *   of the Hadoop configuration
   * @param range
   *   the split of the file, from its first byte to behind its last; else all of the file
   * @param conjuncts
   *   over columns of `schema`
   */
  def read[T](
      file: Path,
      schema: StructType,
      options: ReadSettings = readSettings(strict = true),
      metrics: ReadMetrics = new ReadMetrics,
      settings: Map[String, String] = Map.empty,
      range: Option[(Long, Long)] = None,
      scheme: String = "file",
      conjuncts: Seq[Conjunct] = Nil
  )(row: InternalRow => T): Vector[T] =
    readBatches(file, schema, Nil, conjuncts, options, metrics, settings, range, scheme)(
      rows(row)
    ).flatten

  /** Rows of each batch that a file is read in. */
  def batchSizes(file: Path, schema: StructType, options: ReadSettings): Vector[Int] =
    readBatches(file, schema, Nil, Nil, options, new ReadMetrics, Map.empty, None, "file") {
      _.numRows
    }

  /**
   * Extractions from the Variants of the top-level column `column`, or of a field of structs in it,
   * and their errors.
   *
   * @param whole
   *   whether the Variant itself is read too, as the first column
   */
  def extract[T](
      file: Path,
      column: String,
      extractions: Seq[ScanExtraction],
      options: ReadSettings,
      metrics: ReadMetrics = new ReadMetrics,
      settings: Map[String, String] = Map.empty,
      scheme: String = "file",
      whole: Boolean = false
  )(row: InternalRow => T): Vector[T] = {
    val schema = variantsAt(extractions.headOption.fold(Seq(column))(_.column))
    readBatches(file, schema, extractions, Nil, options, metrics, settings, None, scheme, whole)(
      rows(row)
    ).flatten
  }

  private def rows[T](row: InternalRow => T)(batch: ColumnarBatch): Vector[T] =
    batch.rowIterator().asScala.map(row).toVector

  private def readBatches[T](
      file: Path,
      schema: StructType,
      extractions: Seq[ScanExtraction],
      conjuncts: Seq[Conjunct],
      options: ReadSettings,
      metrics: ReadMetrics,
      settings: Map[String, String],
      range: Option[(Long, Long)],
      scheme: String,
      whole: Boolean = false
  )(of: ColumnarBatch => T): Vector[T] = {
    val (start, end) = range.getOrElse(0L -> Files.size(file))
    val split = PartitionedFile(
      InternalRow.empty,
      SparkPath.fromPathString(file.toUri.toString.replaceFirst("^file", scheme)),
      start,
      end - start,
      fileSize = Files.size(file)
    )
    val ownConf = if (settings.isEmpty) conf else new Configuration(conf)
    settings.foreach { case (key, value) => ownConf.set(key, value) }
    val wanted = if (extractions.isEmpty || whole) schema else new StructType
    val path = split.toPath
    val reader = new VariantFileReader(
      split,
      path.getFileSystem(ownConf).getFileStatus(path),
      ownConf,
      ReadPlan(
        RequestedColumns(wanted, schema, extractions),
        UnfetchedColumns(),
        conjuncts,
        None,
        options
      ),
      metrics
    )
    try {
      val found = mutable.ArrayBuffer.empty[T]
      while (reader.next()) found += of(reader.get())
      found.toVector
    } finally reader.close()
  }

  /** The Variants of one column; None for SQL NULL. */
  def variants(
      file: Path,
      column: String,
      options: ReadSettings = readSettings(strict = true),
      metrics: ReadMetrics = new ReadMetrics
  ): Vector[Option[VariantTree]] =
    read(file, variantsAt(Seq(column)), options, metrics) { row =>
      Option(row.getVariant(0)).map(tree)
    }

  /** The Variants of a column, or of a field of structs; None for SQL NULL. */
  def binaryVariants(file: Path, at: Seq[String]): Vector[Option[VariantVal]] =
    read(file, variantsAt(at)) { row =>
      val parent = if (at.size == 1) row else row.getStruct(0, 1)
      Option.unless(parent == null || parent.isNullAt(0))(parent.getVariant(0))
    }

  /** The schema of a column of Variants, or of structs that have only a field with Variants. */
  def variantsAt(at: Seq[String]): StructType = at match {
    case Seq(column, field) => StructType.fromDDL(s"`$column` struct<`$field`: variant>")
    case _                  => StructType.fromDDL(s"`${at.head}` variant")
  }

  def tree(variant: VariantVal): VariantTree =
    VariantTree.decode(variant.getMetadata, variant.getValue)
}

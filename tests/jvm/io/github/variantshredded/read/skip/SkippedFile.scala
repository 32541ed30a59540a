package io.github.variantshredded.read.skip

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.predicate.{Conjunct, SkippingPredicate}
import io.github.variantshredded.read.columns.{FileColumns, RequestedColumns}
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.read.footer.{FileSchema, FooterChunks}
import io.github.variantshredded.read.options.{FileContext, ReadMetrics}
import io.github.variantshredded.read.pages.{BoundedCodecFactory, FileBytes}
import io.github.variantshredded.testing.LocalParquet
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.hadoop.CodecFactory
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.util.RebaseDateTime.RebaseSpec
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.internal.LegacyBehaviorPolicy.CORRECTED
import org.apache.spark.sql.types.StructType

/** A Parquet file, opened to see what conditions skip of it. */
final class SkippedFile(path: Path) extends AutoCloseable {
  private val input = HadoopInputFile.fromPath(new HadoopPath(path.toUri), FileRows.conf)
  private val reader = LocalParquet.open(input)
  private val stream = input.newStream()

  private val schema = FileSchema.of(reader.getFileMetaData.getSchema)
  val blocks: Vector[BlockMetaData] = reader.getRowGroups.asScala.toVector
  private[skip] val bytes = new FileBytes(stream, input.getLength)
  private[skip] val codecs = new BoundedCodecFactory(new CodecFactory(FileRows.conf, 0))

  private def rebase(mode: LegacyBehaviorPolicy.Value) = RebaseSpec(mode, Some("UTC"))

  /**
   * @param columns
   *   ordinary columns of the predicate
   * @param variants
   *   the Variants that are extracted from
   */
  private[skip] def filter(
      predicate: SkippingPredicate,
      columns: StructType = new StructType,
      variants: StructType = new StructType,
      extractions: Seq[ScanExtraction] = Nil,
      strict: Boolean = true,
      rebaseMode: LegacyBehaviorPolicy.Value = CORRECTED
  ): FileSkipping = {
    val settings =
      new DecoderSettings(null, rebase(rebaseMode), rebase(CORRECTED), null, 64, false, false)
    val rules = FileRows.readSettings(strict).variants
    val context = new FileContext(rules, new ReadMetrics, path.toString)
    val fileColumns = new FileColumns(
      schema,
      RequestedColumns(columns, variants, extractions),
      FileRows.conf,
      context,
      new FooterChunks(blocks.toArray)
    )
    val conjunct =
      Conjunct(columns, extractions, Literal.TrueLiteral, predicate, Nil)
    FileSkipping(conjunct, fileColumns, schema, rules, settings)
  }

  private val starts = blocks.scanLeft(0L)(_ + _.getRowCount)

  /** The rows of the row groups that a level leaves. */
  private[skip] def rowsOf(filter: FileSkipping)(keeps: RowGroupSkipping => Boolean): Set[Long] =
    blocks.indices.flatMap { i =>
      if (keeps(filter.rowGroup(blocks(i)))) starts(i) until starts(i + 1) else Nil
    }.toSet

  /** The rows of the file that each level, on its own and after those before it, leaves. */
  private[skip] def kept(filter: FileSkipping): SkippedFile.Kept = {
    def byPage(prepare: RowGroupSkipping => Unit): Set[Long] =
      blocks.indices.flatMap { i =>
        val verdict = filter.rowGroup(blocks(i))
        prepare(verdict)
        val rows = verdict.rows(bytes)
        (0 until rows.runs).flatMap(run => rows.start(run) until rows.end(run)).map(_ + starts(i))
      }.toSet
    SkippedFile.Kept(
      statistics = rowsOf(filter)(_.byStatistics()),
      dictionaries = rowsOf(filter)(v => v.byStatistics() && v.byDictionaries(bytes, codecs)),
      bloomFilters = rowsOf(filter)(v => v.byStatistics() && v.byBloomFilters(bytes)),
      pages = byPage(_ => ()),
      all = byPage { verdict =>
        verdict.byStatistics(): Unit
        verdict.byDictionaries(bytes, codecs): Unit
        verdict.byBloomFilters(bytes): Unit
      }
    )
  }

  override def close(): Unit = {
    stream.close()
    codecs.release()
    reader.close()
  }
}

object SkippedFile {

  /** Numbers of rows of a file. */
  final case class Kept(
      statistics: Set[Long],
      dictionaries: Set[Long],
      bloomFilters: Set[Long],
      pages: Set[Long],
      all: Set[Long]
  ) {
    def levels: Seq[(String, Set[Long])] = Seq(
      "statistics" -> statistics,
      "dictionaries" -> dictionaries,
      "bloom filters" -> bloomFilters,
      "column indexes" -> pages,
      "all levels" -> all
    )
  }
}

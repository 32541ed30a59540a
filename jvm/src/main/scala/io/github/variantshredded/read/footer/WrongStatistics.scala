package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.parquet.{SemanticVersion, VersionParser}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{
  BlockMetaData,
  ColumnChunkMetaData,
  ColumnPath,
  ParquetMetadata
}
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.{BINARY, FIXED_LEN_BYTE_ARRAY}
import org.apache.parquet.schema.Type.Repetition

/**
 * Removes statistics, and references to page indexes, from footers of writers that wrote wrong
 * ones.
 *
 * A chunk that loses its bounds loses its column index too, which has bounds by the same writer.
 * Where the footer has no null count, those in the column index are not used either.
 */
private[read] object WrongStatistics {

  /**
   * Describes a kind of statistics that some writers got wrong.
   *
   * @param right
   *   the first version that writes right ones, by the name of the writer
   */
  private[footer] sealed abstract class Kind(right: (String, SemanticVersion)*) {
    private val corrected = right.toMap

    def mayBeWrong(name: String, version: Option[SemanticVersion]): Boolean =
      corrected.get(name).exists(right => version.forall(_.compareTo(right) < 0))

    /** Returns whether a leaf column has statistics of this kind. */
    def concerns(leaf: ColumnDescriptor): Boolean
  }

  /** Describes a kind of bounds that some writers got wrong. */
  private[footer] sealed abstract class OfBounds(right: (String, SemanticVersion)*)
      extends Kind(right: _*)

  private val Polars = "Polars"
  private val ParquetCpp = "parquet-cpp"
  private val Arrow = "parquet-cpp-arrow"
  private val ParquetRs = "parquet-rs"
  // Its OPTIMIZE writes with parquet-rs.
  private val DeltaRs = "delta-rs"
  private val ParquetGo = "github.com/parquet-go/parquet-go"
  // The name of parquet-go before 2023.
  private val SegmentGo = "github.com/segmentio/parquet-go"
  private val ClickHouse = "ClickHouse"
  // The name of arrow-go. xitongsys/parquet-go has the same name and no version.
  private val ArrowGo = "parquet-go"
  private val Hyparquet = "hyparquet"
  private val DuckDb = "DuckDB"

  private def since(major: Int, minor: Int = 0): SemanticVersion =
    new SemanticVersion(major, minor, 0)

  private val never = since(Int.MaxValue)

  /**
   *   - Polars multiplied them by the number of pages (pola-rs/polars#29321), and did not count the
   *     nulls of lists (pola-rs/polars#20621). It wrote no version before 2.0.0.
   *   - parquet-cpp wrote 0 for dictionary arrays (ARROW-12513), and did not count the nulls of
   *     lists (PARQUET-2067).
   *   - parquet-rs wrote 0 if all values were null (apache/arrow-rs#306).
   */
  private[footer] case object NullCount
      extends Kind(
        Polars -> since(2, 1),
        ParquetCpp -> since(6),
        Arrow -> since(6),
        ParquetRs -> since(4, 2)
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
  }

  /**
   * The null counts of leaf columns with repetition. DuckDB 1.5 counts a null struct in a list or map
   * once for itself, and once more for each leaf column below it. Earlier versions write no counts
   * there.
   */
  private[footer] case object RepeatedNullCount extends Kind(DuckDb -> since(2)) {
    override def concerns(leaf: ColumnDescriptor): Boolean = leaf.getMaxRepetitionLevel > 0
  }

  /**
   * The null counts of strings and other binary values in an optional group. parquet-cpp leaves out
   * the rows whose group is null, if it writes a dictionary array of Arrow (pyarrow 15 to 26). The
   * counts are only ever too small, so one that calls all values null is right.
   */
  private[footer] case object NestedNullCount extends Kind(ParquetCpp -> never, Arrow -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean =
      isA(leaf, BINARY) && isInOptionalGroup(leaf)
  }

  /**
   * The bounds of strings and other binary values.
   *
   *   - parquet-cpp took those of a dictionary array from its first chunk (apache/arrow#15042).
   *   - parquet-rs compared the lengths of strings first (apache/arrow-rs#641).
   *   - parquet-go left out empty strings (parquet-go/parquet-go#130).
   */
  private[footer] case object BinaryBounds
      extends OfBounds(
        ParquetCpp -> since(11),
        Arrow -> since(11),
        ParquetRs -> since(5, 2),
        ParquetGo -> since(0, 21),
        SegmentGo -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, BINARY) && !isDecimal(leaf)
  }

  /**
   * The bounds of decimals in `FIXED_LEN_BYTE_ARRAY`. These writers did not compare them as signed
   * numbers: pola-rs/polars#29347, PARQUET-1655, apache/arrow-rs#1621, parquet-go/parquet-go#592,
   * ClickHouse/ClickHouse#83754.
   */
  private[footer] case object FixedDecimalBounds
      extends OfBounds(
        Polars -> since(2),
        ParquetCpp -> since(4),
        Arrow -> since(4),
        ParquetRs -> since(14),
        ParquetGo -> since(0, 33),
        SegmentGo -> never,
        ClickHouse -> since(25, 8)
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean =
      isA(leaf, FIXED_LEN_BYTE_ARRAY) && isDecimal(leaf)
  }

  /** The bounds of decimals in `BINARY`; in parquet-rs, see apache/arrow-rs#10860 and #11073. */
  private[footer] case object BinaryDecimalBounds
      extends OfBounds(
        Polars -> since(2),
        ParquetCpp -> since(4),
        Arrow -> since(4),
        ParquetRs -> never,
        DeltaRs -> never,
        ParquetGo -> since(0, 33),
        SegmentGo -> never,
        ClickHouse -> since(25, 8)
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, BINARY) && isDecimal(leaf)
  }

  /**
   * The first rows of pages in the offset indexes of leaf columns with repetition. These writers
   * began pages within a row and counted only the rows that begin in a page: apache/arrow-go#887,
   * apache/arrow-rs#3680, hyparam/hyparquet-writer#45 (which does not write its version).
   */
  private[footer] case object RepeatedRows
      extends Kind(
        ArrowGo -> since(18, 8),
        ParquetRs -> since(41),
        DeltaRs -> since(0, 16),
        Hyparquet -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = leaf.getMaxRepetitionLevel > 0
  }

  private def isA(leaf: ColumnDescriptor, name: PrimitiveTypeName): Boolean =
    leaf.getPrimitiveType.getPrimitiveTypeName == name

  private def isDecimal(leaf: ColumnDescriptor): Boolean =
    leaf.getPrimitiveType.getLogicalTypeAnnotation.isInstanceOf[DecimalLogicalTypeAnnotation]

  private def isInOptionalGroup(leaf: ColumnDescriptor): Boolean = {
    val own = if (leaf.getPrimitiveType.isRepetition(Repetition.REQUIRED)) 0 else 1
    leaf.getMaxDefinitionLevel > own
  }

  // Lazy, because the kinds are made with the names above.
  private lazy val kinds: Set[Kind] =
    Set(
      NullCount,
      RepeatedNullCount,
      NestedNullCount,
      BinaryBounds,
      FixedDecimalBounds,
      BinaryDecimalBounds,
      RepeatedRows
    )

  /** Returns the footer without the statistics that its writer may have got wrong. */
  def remove(footer: ParquetMetadata): ParquetMetadata = {
    val wrong = of(footer.getFileMetaData.getCreatedBy)
    if (wrong.isEmpty) footer
    else {
      val leaves = footer.getFileMetaData.getSchema.getColumns.asScala
        .map(leaf => ColumnPath.get(leaf.getPath: _*) -> wrong.filter(_.concerns(leaf)))
        .toMap
      val rowGroups = footer.getBlocks.asScala.map(corrected(_, leaves))
      new ParquetMetadata(footer.getFileMetaData, rowGroups.asJava)
    }
  }

  /**
   * Returns the kinds of statistics that a writer may have got wrong.
   *
   * @param createdBy
   *   the writer according to the footer; null if it does not say
   */
  private[footer] def of(createdBy: String): Set[Kind] =
    Option(createdBy).fold(Set.empty[Kind]) { writer =>
      // Polars names its language before the version: "Polars (python) version 2.1.0".
      val name = writer.split(" \\(| version| v(?=\\d)", 2).head
      lazy val number = version(writer)
      kinds.filter(_.mayBeWrong(name, number))
    }

  // ClickHouse writes four numbers: "ClickHouse v25.5.2.1-stable". DuckDB writes a "v" in the version:
  // "DuckDB version v2.0.0 (build 1a2b3c4d5e)".
  private val WithV = "(?:ClickHouse|DuckDB version) v(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6}).*".r

  private def version(writer: String): Option[SemanticVersion] = writer match {
    case WithV(major, minor, patch) =>
      Some(new SemanticVersion(major.toInt, minor.toInt, patch.toInt))
    case _ =>
      try {
        Option(VersionParser.parse(writer)).filter(_.hasSemanticVersion).map(_.getSemanticVersion)
      } catch { case NonFatal(_) => None }
  }

  /**
   * Returns the row group without its wrong statistics.
   *
   * @param wrong
   *   the kinds of wrong statistics, by leaf column
   */
  private def corrected(rowGroup: BlockMetaData, wrong: Map[ColumnPath, Set[Kind]]): BlockMetaData =
    FooterCopies.withChunks(
      rowGroup,
      rowGroup.getColumns.asScala.map { chunk =>
        // The metadata of an encrypted chunk may need a key that the reader does not have.
        if (chunk.isEncrypted) chunk
        else corrected(chunk, wrong.getOrElse(chunk.getPath, Set.empty))
      }
    )

  private def corrected(chunk: ColumnChunkMetaData, wrong: Set[Kind]): ColumnChunkMetaData =
    if (wrong.isEmpty) chunk
    else {
      val hasBounds = !wrong.exists(_.isInstanceOf[OfBounds])
      val count = NullCounts.of(chunk)
      val hasCount = !wrong(NullCount) && !wrong(RepeatedNullCount) &&
        (!wrong(NestedNullCount) || count.contains(chunk.getValueCount))
      val hasPages = !wrong(RepeatedRows)
      if (hasBounds && hasPages && (hasCount || count.isEmpty)) chunk
      else {
        val right: Statistics[_] =
          if (hasBounds && hasCount) chunk.getStatistics
          else statistics(chunk, hasBounds, hasCount)
        val made = FooterCopies.chunk(chunk, chunk.getPath, chunk.getPrimitiveType, right)
        if (!hasBounds || !hasPages) made.setColumnIndexReference(null)
        if (!hasPages) made.setOffsetIndexReference(null)
        made
      }
    }

  private def statistics(
      chunk: ColumnChunkMetaData,
      hasBounds: Boolean,
      hasCount: Boolean
  ): Statistics[_] = {
    val found: Statistics[_] = chunk.getStatistics
    val builder = Statistics.getBuilderForReading(chunk.getPrimitiveType)
    if (found != null) {
      if (hasBounds && found.hasNonNullValue)
        builder.withMin(found.getMinBytes).withMax(found.getMaxBytes)
      // Without its bounds, a chunk whose null count they contradict would seem to be all null.
      val isPossible = !found.hasNonNullValue || found.getNumNulls < chunk.getValueCount
      if (hasCount && isPossible) NullCounts.of(found).foreach(builder.withNumNulls(_))
    }
    builder.build()
  }
}

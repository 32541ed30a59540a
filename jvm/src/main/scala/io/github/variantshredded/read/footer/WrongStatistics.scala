package io.github.variantshredded.read.footer

import scala.util.control.NonFatal

import org.apache.parquet.{SemanticVersion, VersionParser}
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type.Repetition

/**
 * Says which writers wrote wrong statistics, bloom filters or page indexes. [[CorrectedFooter]]
 * removes them.
 */
private[read] object WrongStatistics {

  /**
   * Says which versions of a writer are right.
   *
   * @param since
   *   the first version that is right again
   * @param before
   *   the first version that is wrong; None if it is the first one of all
   */
  private[footer] final case class CorrectVersions(
      since: SemanticVersion,
      before: Option[SemanticVersion] = None
  ) {
    def orBefore(major: Int, minor: Int): CorrectVersions =
      copy(before = Some(new SemanticVersion(major, minor, 0)))

    def includes(version: SemanticVersion): Boolean =
      version.compareTo(since) >= 0 || before.exists(version.compareTo(_) < 0)
  }

  /**
   * Describes a kind of statistics that some writers got wrong.
   *
   * @param correct
   *   the versions that write right ones, by the name of the writer
   */
  private[footer] sealed abstract class Kind(correct: (String, CorrectVersions)*) {
    private val versions = correct.toMap

    def mayBeWrong(name: String, version: Option[SemanticVersion]): Boolean =
      versions.get(name).exists(correct => !version.exists(correct.includes))

    /** Returns whether a leaf column has statistics of this kind. */
    def concerns(leaf: ColumnDescriptor): Boolean

    /** Returns whether a chunk of such a leaf column has statistics of this kind. */
    def concerns(chunk: ColumnChunkMetaData): Boolean = true
  }

  /** Describes a kind of bounds that some writers got wrong. */
  private[footer] sealed abstract class OfBounds(correct: (String, CorrectVersions)*)
      extends Kind(correct: _*)

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
  // The name of hyparquet-writer, which does not write its version.
  private val Hyparquet = "hyparquet"
  private val ParquetNet = "Parquet.Net"
  private val Arrow2 = "Arrow2 - Native Rust implementation of Arrow"
  private val DuckDb = "DuckDB"
  // The two names of parquetjs, which does not write its version.
  private val ParquetJs = "parquet.js"
  private val ParquetJsFork = "@dsnp/parquetjs"
  // Its versions are constants, which do not tell releases apart.
  private val QuestDb = "QuestDB"
  private val Fastparquet = "fastparquet-python"

  private def since(major: Int, minor: Int = 0): CorrectVersions =
    CorrectVersions(new SemanticVersion(major, minor, 0))

  private val never = since(Int.MaxValue)

  /**
   * Concerns the null counts of all leaf columns.
   *
   *   - Polars multiplied them by the number of pages (pola-rs/polars#29321), and did not count the
   *     nulls of lists (pola-rs/polars#20621). It wrote no version before 2.0.0.
   *   - parquet-cpp wrote 0 for dictionary arrays (ARROW-12513), and did not count the nulls of
   *     lists (PARQUET-2067).
   *   - parquet-rs wrote 0 if all values were null (apache/arrow-rs#306).
   *   - arrow2 does not count the values whose group is null, and no other nulls of lists than
   *     those of the elements.
   */
  private[footer] case object NullCount
      extends Kind(
        Polars -> since(2, 1),
        ParquetCpp -> since(6),
        Arrow -> since(6),
        ParquetRs -> since(4, 2),
        Arrow2 -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
  }

  /**
   * Concerns the null counts of leaf columns with repetition. DuckDB 1.5 counts a null struct in
   * a list or map once for itself, and once more for each leaf column below it. Earlier versions
   * write no counts there.
   */
  private[footer] case object RepeatedNullCount extends Kind(DuckDb -> since(2)) {
    override def concerns(leaf: ColumnDescriptor): Boolean = leaf.getMaxRepetitionLevel > 0
  }

  /**
   * Concerns the null counts of strings and other binary values in an optional group. parquet-cpp
   * leaves out the rows whose group is null, if it writes a dictionary array of Arrow (pyarrow 15
   * to 26). The counts are only ever too small, so one that calls all values null is right.
   */
  private[footer] case object NestedNullCount extends Kind(ParquetCpp -> never, Arrow -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean =
      isA(leaf, BINARY) && isInOptionalGroup(leaf)
  }

  /**
   * Concerns the bounds of strings and other binary values.
   *
   *   - parquet-cpp took those of a dictionary array from its first chunk (apache/arrow#15042).
   *   - parquet-rs compared the lengths of strings first (apache/arrow-rs#641).
   *   - parquet-go left out empty strings (parquet-go/parquet-go#130).
   *   - Polars, arrow2 and QuestDB took the first of two values if one began with the other
   *     (pola-rs/polars#25886). The fix is in Polars 1.37, which wrote no version.
   *   - arrow-go kept them in memory of the caller, who may have written other values there
   *     (apache/arrow-go#917).
   *   - hyparquet-writer before 0.17.0 and Parquet.Net compare UTF-16 code units. hyparquet-writer
   *     before 0.15.7 also cut off the greatest values (hyparam/hyparquet-writer#31).
   *   - parquetjs compares what the program passed in by the operator `<` of JavaScript: strings by
   *     UTF-16 code units, and binary values as text.
   */
  private[footer] case object BinaryBounds
      extends OfBounds(
        ParquetCpp -> since(11),
        Arrow -> since(11),
        ParquetRs -> since(5, 2),
        ParquetGo -> since(0, 21),
        SegmentGo -> never,
        Polars -> since(2),
        Arrow2 -> never,
        ArrowGo -> since(18, 7),
        Hyparquet -> never,
        ParquetNet -> never,
        ParquetJs -> never,
        ParquetJsFork -> never,
        QuestDb -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, BINARY) && !isDecimal(leaf)
  }

  /**
   * Concerns the bounds of decimals in `FIXED_LEN_BYTE_ARRAY`. These writers did not compare them
   * as signed numbers: pola-rs/polars#29347, PARQUET-1655, apache/arrow-rs#1621,
   * parquet-go/parquet-go#592, ClickHouse/ClickHouse#83754, arrow2 and QuestDB. On arrow-go and
   * parquetjs, see [[BinaryBounds]].
   */
  private[footer] case object FixedDecimalBounds
      extends OfBounds(
        Polars -> since(2),
        ParquetCpp -> since(4),
        Arrow -> since(4),
        ParquetRs -> since(14),
        ParquetGo -> since(0, 33),
        SegmentGo -> never,
        ClickHouse -> since(25, 8),
        Arrow2 -> never,
        ArrowGo -> since(18, 7),
        ParquetJs -> never,
        ParquetJsFork -> never,
        QuestDb -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean =
      isA(leaf, FIXED_LEN_BYTE_ARRAY) && isDecimal(leaf)
  }

  /**
   * Concerns the bounds of decimals in `BINARY`; in parquet-rs, see apache/arrow-rs#10860 and
   * #11073.
   */
  private[footer] case object BinaryDecimalBounds
      extends OfBounds(
        Polars -> since(2),
        ParquetCpp -> since(4),
        Arrow -> since(4),
        ParquetRs -> never,
        DeltaRs -> never,
        ParquetGo -> since(0, 33),
        SegmentGo -> never,
        ClickHouse -> since(25, 8),
        ArrowGo -> since(18, 7),
        ParquetJs -> never,
        ParquetJsFork -> never
      ) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, BINARY) && isDecimal(leaf)
  }

  /**
   * Concerns the bounds of numbers, of whatever logical type.
   *
   *   - arrow2 took the least of the greatest values of pages as the greatest value of the chunk
   *     until February 2023 (jorgecarleitao/parquet2#217).
   *   - parquetjs compares numbers that are passed in as strings as text, and keeps a NaN that is
   *     the first value of a page.
   */
  private[footer] case object NumberBounds
      extends OfBounds(Arrow2 -> never, ParquetJs -> never, ParquetJsFork -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, INT32, INT64, FLOAT, DOUBLE)
  }

  /**
   * Concerns the bounds of decimals in `INT32`: hyparquet-writer stores the bits of a
   * floating-point number.
   */
  private[footer] case object IntDecimalBounds extends OfBounds(Hyparquet -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, INT32) && isDecimal(leaf)
  }

  /**
   * Concerns the bounds of floating-point numbers. parquet-go forgot the values before a NaN, on
   * amd64 (parquet-go/parquet-go#459).
   */
  private[footer] case object FloatBounds
      extends OfBounds(ParquetGo -> since(0, 28), SegmentGo -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = isA(leaf, FLOAT, DOUBLE)
  }

  /**
   * Concerns the bounds of chunks that have a dictionary. fastparquet writes a dictionary for
   * categorical columns only, and takes their bounds by the order of the categories, which the
   * program chooses.
   */
  private[footer] case object CategoryBounds extends OfBounds(Fastparquet -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
    override def concerns(chunk: ColumnChunkMetaData): Boolean =
      PageEncodings.mayBeDictionary(chunk)
  }

  /**
   * Concerns the first rows of pages in the offset indexes of leaf columns with repetition. These
   * writers began pages within a row and counted only the rows that begin in a page:
   * apache/arrow-go#887, apache/arrow-rs#3680, hyparam/hyparquet-writer#45.
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

  /**
   * Concerns the encodings of data pages. parquet-go 0.28 to 0.31 gave all row groups those of the
   * last one (parquet-go/parquet-go#577). Commits after 0.27.0 did, too, and call themselves
   * 0.27.1-0.
   */
  private[footer] case object EncodingStatistics
      extends Kind(ParquetGo -> since(0, 32).orBefore(0, 27)) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
  }

  /**
   * Concerns the bloom filters of chunks that have a dictionary, unless all of their data pages are
   * known to use it. parquet-go puts only the values of the dictionary into the filter
   * (`DictionaryMaxBytes`).
   */
  private[footer] case object DictionaryBloomFilter extends Kind(ParquetGo -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
    override def concerns(chunk: ColumnChunkMetaData): Boolean =
      PageEncodings.mayBeDictionary(chunk)
  }

  private def isA(leaf: ColumnDescriptor, names: PrimitiveTypeName*): Boolean =
    names.contains(leaf.getPrimitiveType.getPrimitiveTypeName)

  private def isDecimal(leaf: ColumnDescriptor): Boolean =
    leaf.getPrimitiveType.getLogicalTypeAnnotation.isInstanceOf[DecimalLogicalTypeAnnotation]

  private def isInOptionalGroup(leaf: ColumnDescriptor): Boolean = {
    val own = if (leaf.getPrimitiveType.isRepetition(Repetition.REQUIRED)) 0 else 1
    leaf.getMaxDefinitionLevel > own
  }

  /**
   * Concerns the first rows of pages in the offset indexes of all leaf columns. These writers take
   * them from a count that is not there, so that each page begins with the first row.
   */
  private[footer] case object FirstRows extends Kind(ParquetJs -> never, ParquetJsFork -> never) {
    override def concerns(leaf: ColumnDescriptor): Boolean = true
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
      NumberBounds,
      IntDecimalBounds,
      FloatBounds,
      CategoryBounds,
      RepeatedRows,
      FirstRows,
      EncodingStatistics,
      DictionaryBloomFilter
    )

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
}

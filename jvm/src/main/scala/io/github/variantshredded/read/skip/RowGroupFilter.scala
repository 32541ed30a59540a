package io.github.variantshredded.read.skip

import java.util.{IdentityHashMap => JIdentityHashMap}

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.{FileSchema, LeafIndex}
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.types.StructType

/**
 * Tells which row groups of a file, and which rows of them, may meet a condition.
 *
 * What is skipped certainly does not meet it, and to evaluate it there certainly does not raise.
 */
private[read] final class RowGroupFilter private (condition: Condition, schema: FileSchema) {

  private val leafIndex = new LeafIndex(schema, condition.tests.map(_.leaf).toSet)

  private val numbers = new JIdentityHashMap[LeafTest, Integer]
  condition.tests.foreach(test => numbers.putIfAbsent(test, numbers.size))

  /** Whether it cannot skip anything in this file. */
  def isUseless: Boolean = condition == Condition.Always

  /** Paths of the leaves whose statistics it looks at. */
  def leaves: Set[Seq[String]] = leafIndex.leaves

  /** Starts on a row group. Nothing is read for it yet. */
  def rowGroup(block: BlockMetaData): RowGroupVerdict =
    new RowGroupVerdict(condition, block, leafIndex, numbers)
}

private[read] object RowGroupFilter {

  /**
   * @param columns
   *   of a file, made for the columns and extractions of `conjunct`
   * @param variants
   *   the Variants that these are extracted from, as `columns` got them
   * @param strict
   *   whether the file is read by `validation=strict`
   */
  def apply(
      conjunct: Conjunct,
      columns: FileColumns,
      variants: StructType,
      schema: FileSchema,
      strict: Boolean,
      settings: DecoderSettings
  ): RowGroupFilter = {
    val resolver = new ConditionResolver(conjunct, columns, variants, schema, strict, settings)
    new RowGroupFilter(resolver.resolve(conjunct.rows), schema)
  }

  /** For tests: of a condition as it is. */
  private[skip] def of(condition: Condition, schema: FileSchema): RowGroupFilter =
    new RowGroupFilter(condition, schema)
}

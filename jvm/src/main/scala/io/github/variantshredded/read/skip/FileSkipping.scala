package io.github.variantshredded.read.skip

import java.util.{IdentityHashMap => JIdentityHashMap}

import io.github.variantshredded.predicate.Conjunct
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.decode.DecoderSettings
import io.github.variantshredded.read.footer.{FileSchema, LeafIndex}
import io.github.variantshredded.read.options.VariantRules
import org.apache.parquet.hadoop.metadata.BlockMetaData

/**
 * Skips data in one file: finds the row groups, and the rows in them, that may meet a predicate.
 *
 * Rows are skipped only if one side of each AND certainly does not hold, and if evaluating that side
 * certainly raises no error. The other side is not evaluated then, as in Spark's Parquet source.
 */
private[read] final class FileSkipping private (predicate: LeafPredicate, schema: FileSchema) {

  private val leafIndex = new LeafIndex(schema, predicate.tests.map(_.leaf).toSet)

  private val numbers = new JIdentityHashMap[LeafTest, Integer]
  predicate.tests.foreach(test => numbers.putIfAbsent(test, numbers.size))

  /** Returns true if nothing can be skipped in this file. */
  def isUseless: Boolean = predicate == LeafPredicate.Always

  /** Returns the paths of the leaf columns whose statistics are used. */
  def leaves: Set[Seq[String]] = leafIndex.leaves

  /** Returns the data skipping of one row group. Nothing is read yet. */
  def rowGroup(block: BlockMetaData): RowGroupSkipping =
    new RowGroupSkipping(predicate, block, leafIndex, numbers)
}

private[read] object FileSkipping {

  /**
   * Resolves the predicate of a conjunct in one file.
   *
   * @param columns
   *   the columns and extractions of `conjunct`, as resolved in the file
   * @param rules
   *   which violations of the shredding specification a file may have
   */
  def apply(
      conjunct: Conjunct,
      columns: FileColumns,
      schema: FileSchema,
      rules: VariantRules,
      settings: DecoderSettings
  ): FileSkipping = {
    val resolver = new PredicateResolver(conjunct, columns, schema, rules, settings)
    new FileSkipping(resolver.resolve(conjunct.skipping), schema)
  }
}

package io.github.variantshredded.read.pages

import java.util.{BitSet, List => JList}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.LeafIndex
import org.apache.parquet.column.ColumnDescriptor

/**
 * The leaves that are fetched of row groups in which certain leaves hold nothing but nulls.
 *
 * @param allNull
 *   those leaves, by their place in `index`
 * @param skippedOf
 *   the leaves that need not be fetched where some are all null
 */
private[read] final class FetchedLeaves(
    index: LeafIndex,
    val allNull: BitSet,
    skippedOf: Set[Seq[String]] => Set[Seq[String]]
) {

  val skipped: Set[Seq[String]] =
    skippedOf(index.paths.indices.filter(allNull.get).map(index.paths).toSet)

  /** Those that are fetched, by their place in `index`. */
  val leaves: Array[Int] =
    index.paths.indices.filterNot(leaf => skipped(index.paths(leaf))).toArray

  val descriptors: JList[ColumnDescriptor] = leaves.toSeq.map(index.descriptors).asJava
}

package io.github.variantshredded.read.pages

import java.util.{BitSet, List => JList}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.footer.LeafIndex
import org.apache.parquet.column.ColumnDescriptor

/**
 * Holds which leaf columns are fetched from row groups in which certain leaf columns are all null.
 *
 * @param allNull
 *   the leaf columns that are all null, by their index in `index`
 * @param skippedOf
 *   for a set of leaf columns that are all null, returns those that need not be fetched
 */
private[read] final class FetchedLeaves(
    index: LeafIndex,
    val allNull: BitSet,
    skippedOf: Set[Seq[String]] => Set[Seq[String]]
) {

  val skipped: Set[Seq[String]] =
    skippedOf(index.paths.indices.filter(allNull.get).map(index.paths).toSet)

  /** The leaf columns that are fetched, by their index in `index`. */
  val leaves: Array[Int] =
    index.paths.indices.filterNot(leaf => skipped(index.paths(leaf))).toArray

  val descriptors: JList[ColumnDescriptor] = leaves.toSeq.map(index.descriptors).asJava
}

package io.github.variantshredded.read.footer

import java.util.BitSet

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.VariantLeaf

/**
 * Sums up the footers of files with one schema.
 *
 * @param length
 *   bytes of the files
 * @param rows
 *   rows of the files
 * @param sizes
 *   compressed bytes of each leaf column, in the order of the schema
 * @param allNull
 *   indexes of the leaf columns that hold only nulls
 */
private[read] final class FooterTotals(
    val schema: FileSchema,
    val length: Long,
    val rows: Long,
    private val sizes: Array[Long],
    private val allNull: BitSet
) extends LeafChunks {

  def size(path: Seq[String]): Long = sizes(schema.ordinal(path))

  override def size(leaf: VariantLeaf): Long = size(leaf.descriptor.getPath.toIndexedSeq)

  override def isAllNull(leaf: VariantLeaf): Boolean =
    allNull.get(schema.ordinal(leaf.descriptor.getPath.toIndexedSeq))

  /** Returns the paths of the leaf columns that hold only nulls. */
  def allNullLeaves: Set[Seq[String]] =
    schema.leaves.indices.iterator
      .filter(allNull.get)
      .map(schema.leaves(_).getPath.toIndexedSeq)
      .toSet

  /** Returns the sums over the files of both. */
  def +(other: FooterTotals): FooterTotals = {
    val bothNull = allNull.clone().asInstanceOf[BitSet]
    bothNull.and(other.allNull)
    new FooterTotals(
      schema,
      length + other.length,
      rows + other.rows,
      sizes.zip(other.sizes).map { case (a, b) => a + b },
      bothNull
    )
  }
}

private[read] object FooterTotals {

  /**
   * Sums up the footer of one file.
   *
   * @param length
   *   bytes of the file
   * @throws java.lang.IllegalArgumentException
   *   if the footer claims sizes that the file cannot have
   */
  def apply(footer: FooterCache.Footer, length: Long): FooterTotals = {
    val schema = footer.schema
    val leaves = new LeafIndex(schema, schema.leaves.map(_.getPath.toIndexedSeq: Seq[String]).toSet)
    val sizes = new Array[Long](schema.leaves.size)
    val allNull = new BitSet(sizes.length)
    allNull.set(0, sizes.length)
    var rows = 0L
    footer.metadata.getBlocks.asScala.foreach { rowGroup =>
      require(rowGroup.getRowCount >= 0)
      rows = Math.addExact(rows, rowGroup.getRowCount)
      val chunks = leaves.chunks(rowGroup)
      chunks.indices.foreach { i =>
        val size = chunks(i).getTotalSize
        require(size >= 0 && size <= length)
        sizes(i) += size
        if (!NullCounts.isAllNull(chunks(i))) allNull.clear(i)
      }
    }
    new FooterTotals(schema, length, rows, sizes, allNull)
  }
}

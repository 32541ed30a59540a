package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.MessageType

/** Finds the column chunks of some leaves in the row groups of a file. */
private[read] final class LeafIndex(schema: FileSchema, val leaves: Set[Seq[String]]) {

  def this(schema: MessageType, leaves: Set[Seq[String]]) = this(FileSchema.of(schema), leaves)

  private val places: Array[Int] = leaves.iterator.map(schema.place).toArray.sorted

  /** The leaves, in the order of the file. */
  val descriptors: Array[ColumnDescriptor] = places.map(schema.leaves)

  /** Their paths. */
  val paths: Array[Seq[String]] = descriptors.map(_.getPath.toIndexedSeq)

  /** The chunks of all leaves in a row group; null for a leaf that the row group lacks. */
  def chunks(rowGroup: BlockMetaData): Array[ColumnChunkMetaData] = {
    val found = new Array[ColumnChunkMetaData](places.length)
    var i = 0
    while (i < places.length) {
      found(i) = chunkAt(rowGroup, places(i))
      i += 1
    }
    found
  }

  /** The chunk of one of the leaves; None if the row group lacks it. */
  def chunk(rowGroup: BlockMetaData, leaf: Seq[String]): Option[ColumnChunkMetaData] =
    if (leaves(leaf)) Option(chunkAt(rowGroup, schema.place(leaf))) else None

  /**
   * Whether the bloom filter of a leaf is of its own values: parquet-java's writer gives leaves with
   * one dotted name the same filter.
   */
  def hasOwnBloomFilter(leaf: Seq[String]): Boolean = !schema.sharedNames(leaf)

  // Row groups have their chunks in the order of the schema's leaves.
  private def chunkAt(rowGroup: BlockMetaData, place: Int): ColumnChunkMetaData = {
    val all = rowGroup.getColumns
    val path = schema.paths(place)
    if (place < all.size && all.get(place).getPath == path) all.get(place)
    else all.asScala.find(_.getPath == path).orNull
  }

  /**
   * The one of some chunks that comes last in the row group.
   *
   * @param chunks
   *   of all leaves
   * @param wanted
   *   which of them, ascending; at least one
   */
  def last(
      rowGroup: BlockMetaData,
      chunks: Array[ColumnChunkMetaData],
      wanted: Array[Int]
  ): ColumnChunkMetaData = {
    val all = rowGroup.getColumns
    val inOrder = wanted.forall(i => places(i) < all.size && (all.get(places(i)) eq chunks(i)))
    if (inOrder) chunks(wanted.last)
    else all.asScala.reverseIterator.find(chunk => wanted.exists(chunks(_) eq chunk)).get
  }
}

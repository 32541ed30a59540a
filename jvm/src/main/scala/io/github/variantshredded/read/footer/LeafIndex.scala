package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/** Finds the column chunks of selected leaf columns in the row groups of a file. */
private[read] final class LeafIndex(schema: FileSchema, val leaves: Set[Seq[String]]) {

  def this(schema: MessageType, leaves: Set[Seq[String]]) = this(FileSchema.of(schema), leaves)

  private val ordinals: Array[Int] = leaves.iterator.map(schema.ordinal).toArray.sorted

  /** The selected leaf columns, in the order of the file. */
  val descriptors: Array[ColumnDescriptor] = ordinals.map(schema.leaves)

  /** The paths of [[descriptors]], in the same order. */
  val paths: Array[Seq[String]] = descriptors.map(_.getPath.toIndexedSeq)

  /** The number of all leaf columns of the file. */
  def leafCount: Int = schema.leaves.length

  /** Returns the schema of the file with the selected leaf columns only. */
  def projection: MessageType = {
    val all = schema.message
    new MessageType(all.getName, only(all, paths.toSeq.map(_.toList)).asJava)
  }

  private def only(group: GroupType, leaves: Seq[List[String]]): Seq[Type] =
    leaves.filter(_.nonEmpty).groupMap(_.head)(_.tail).toSeq.map { case (name, below) =>
      group.getType(name) match {
        case inner: GroupType => inner.withNewFields(only(inner, below).asJava)
        case leaf             => leaf
      }
    }

  /**
   * Returns the chunks of the selected leaf columns in a row group, in the order of
   * [[descriptors]]; an entry is null if the row group has no such chunk.
   */
  def chunks(rowGroup: BlockMetaData): Array[ColumnChunkMetaData] = {
    val found = new Array[ColumnChunkMetaData](ordinals.length)
    var i = 0
    while (i < ordinals.length) {
      found(i) = chunkAt(rowGroup, ordinals(i))
      i += 1
    }
    found
  }

  /**
   * Returns a row group without chunks of selected leaf columns that [[chunks]] does not return,
   * because the leaf columns have others. parquet-java would read these too.
   */
  def distinct(rowGroup: BlockMetaData): BlockMetaData = {
    val all = rowGroup.getColumns.asScala
    def isSelected(chunk: ColumnChunkMetaData) = leaves(chunk.getPath.toArray.toIndexedSeq)
    if (all.count(isSelected) <= ordinals.length) rowGroup
    else {
      val own = chunks(rowGroup)
      FooterCopies.withChunks(rowGroup, all.filter(chunk => own.exists(_ eq chunk)))
    }
  }

  /** Returns the chunk of a selected leaf column, or None if the row group has no such chunk. */
  def chunk(rowGroup: BlockMetaData, leaf: Seq[String]): Option[ColumnChunkMetaData] =
    if (leaves(leaf)) Option(chunkAt(rowGroup, schema.ordinal(leaf))) else None

  /**
   * Returns true if a leaf column can have a bloom filter of its own. parquet-java's writer gives
   * the same filter to all leaf columns with the same dotted name.
   */
  def hasOwnBloomFilter(leaf: Seq[String]): Boolean = !schema.sharedNames(leaf)

  // Row groups usually have their chunks in the order of the schema's leaf columns.
  private def chunkAt(rowGroup: BlockMetaData, ordinal: Int): ColumnChunkMetaData = {
    val all = rowGroup.getColumns
    val path = schema.paths(ordinal)
    if (ordinal < all.size && all.get(ordinal).getPath == path) all.get(ordinal)
    else all.asScala.find(_.getPath == path).orNull
  }

  /**
   * Returns the wanted chunk that comes last in the row group's list of chunks.
   *
   * @param chunks
   *   the chunks of all selected leaf columns, as [[chunks]] returns them
   * @param wanted
   *   indexes in `chunks`, ascending; not empty
   */
  def last(
      rowGroup: BlockMetaData,
      chunks: Array[ColumnChunkMetaData],
      wanted: Array[Int]
  ): ColumnChunkMetaData = {
    val all = rowGroup.getColumns
    val inOrder = wanted.forall(i => ordinals(i) < all.size && (all.get(ordinals(i)) eq chunks(i)))
    if (inOrder) chunks(wanted.last)
    else all.asScala.reverseIterator.find(chunk => wanted.exists(chunks(_) eq chunk)).get
  }
}

package io.github.variantshredded.read

import scala.collection.mutable

import io.github.variantshredded.{ErrorLocation, VariantShreddedErrors, VariantShreddedException}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.Type.Repetition

/**
 * Refuses row groups whose entries in the footer cannot be true, before a page is read or memory is
 * taken by their word: decoders go on past the end of a column that is shorter than they are told.
 *
 * @param index
 *   the leaves that are read
 */
private[read] final class ChunkCheck(
    schema: MessageType,
    index: LeafIndex,
    fileLength: Long,
    codecs: BoundedCodecFactory
) {

  /** For each leaf the innermost repeated group around it: its leaves have as many values each. */
  private val repeated: Map[Seq[String], Option[Seq[String]]] =
    index.leaves.map(leaf => leaf -> innermostRepeated(leaf)).toMap

  private def innermostRepeated(leaf: Seq[String]): Option[Seq[String]] = {
    var node: Type = schema
    var found = Option.empty[Seq[String]]
    leaf.zipWithIndex.foreach { case (name, depth) =>
      node = node.asGroupType.getType(name)
      if (node.isRepetition(Repetition.REPEATED)) found = Some(leaf.take(depth + 1))
    }
    found
  }

  def check(rowGroup: BlockMetaData): Unit = {
    val rows = rowGroup.getRowCount
    if (rows < 0) {
      throw VariantShreddedErrors.corruptFile(
        s"The row group claims to have $rows rows.",
        ErrorLocation()
      )
    }
    if (rowGroup.getPath != null && rowGroup.getPath.nonEmpty) {
      throw VariantShreddedErrors.corruptFile(
        s"The column chunks of the row group are in another file, '${rowGroup.getPath}'.",
        ErrorLocation()
      )
    }
    val counts = mutable.Map.empty[Seq[String], Long]
    index.leaves.foreach { leaf =>
      index.chunk(rowGroup, leaf) match {
        case None =>
          throw corrupt("The row group has no column chunk of a leaf of the schema.", leaf)
        case Some(chunk) =>
          checkPlace(chunk, leaf)
          checkCount(chunk.getValueCount, rows, leaf, counts)
          checkCodec(chunk, leaf)
      }
    }
  }

  private def checkPlace(chunk: ColumnChunkMetaData, leaf: Seq[String]): Unit = {
    val start = chunk.getStartingPos
    val size = chunk.getTotalSize
    if (start < 0 || size < 0 || size > fileLength || start > fileLength - size) {
      throw corrupt(
        s"The column chunk claims the bytes from $start on, $size long, of a file of " +
          s"$fileLength bytes.",
        leaf
      )
    }
  }

  private def checkCount(
      count: Long,
      rows: Long,
      leaf: Seq[String],
      counts: mutable.Map[Seq[String], Long]
  ): Unit = repeated(leaf) match {
    case None if count != rows =>
      throw corrupt(s"The column chunk claims $count values in a row group of $rows rows.", leaf)
    case Some(_) if count < rows =>
      throw corrupt(s"The column chunk claims $count values in a row group of $rows rows.", leaf)
    case Some(group) if counts.getOrElseUpdate(group, count) != count =>
      throw corrupt(
        s"The column chunk claims $count values, another of the same repeated group " +
          s"${counts(group)}.",
        leaf
      )
    case _ => ()
  }

  private def checkCodec(chunk: ColumnChunkMetaData, leaf: Seq[String]): Unit =
    try codecs.getDecompressor(chunk.getCodec): Unit
    catch { case e: VariantShreddedException => throw e.at(placeOf(leaf)) }

  private def corrupt(reason: String, leaf: Seq[String]): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, placeOf(leaf))

  private def placeOf(leaf: Seq[String]): ErrorLocation =
    ErrorLocation(column = Some(leaf.mkString(".")))
}

package io.github.variantshredded.read.pages

import scala.collection.mutable

import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.footer.LeafIndex
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, CompressionCodecName}
import org.apache.parquet.schema.{MessageType, Type}
import org.apache.parquet.schema.Type.Repetition

/**
 * Refuses row groups whose entries in the footer are impossible, before a page is read or memory is
 * allocated for it. Decoders read on past the end of a column that has fewer values than the footer
 * claims.
 *
 * @param index
 *   the leaf columns that are read
 */
private[read] final class ChunkCheck(
    schema: MessageType,
    index: LeafIndex,
    fileLength: Long,
    codecs: BoundedCodecFactory
) {

  /**
   * For each leaf column, the innermost repeated group around it, if any. All leaf columns with the
   * same innermost repeated group must have the same number of values.
   */
  private val repeated: Array[Option[Seq[String]]] =
    index.descriptors.zip(index.paths).map { case (leaf, path) =>
      if (leaf.getMaxRepetitionLevel == 0) None else innermostRepeated(path)
    }

  private var knownCodec: CompressionCodecName = _

  private def innermostRepeated(leaf: Seq[String]): Option[Seq[String]] = {
    var node: Type = schema
    var found = Option.empty[Seq[String]]
    leaf.zipWithIndex.foreach { case (name, depth) =>
      node = node.asGroupType.getType(name)
      if (node.isRepetition(Repetition.REPEATED)) found = Some(leaf.take(depth + 1))
    }
    found
  }

  /**
   * Checks the entries of a row group.
   *
   * @param chunks
   *   the chunks of the leaf columns of `index`; null for a missing chunk
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `CORRUPT_PARQUET_FILE` if an entry is impossible, or `UNSUPPORTED_PARQUET_FILE` if there is
   *   no library for a codec
   */
  def check(rowGroup: BlockMetaData, chunks: Array[ColumnChunkMetaData]): Unit = {
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
    if (rowGroup.getColumns.size > index.leafCount) {
      throw VariantShreddedErrors.corruptFile(
        s"The row group has ${rowGroup.getColumns.size} column chunks, but the schema has " +
          s"${index.leafCount} leaf columns.",
        ErrorLocation()
      )
    }
    val counts = mutable.Map.empty[Seq[String], Long]
    var bytes = 0L
    var i = 0
    while (i < chunks.length) {
      val leaf = index.paths(i)
      if (chunks(i) == null) {
        throw corrupt("The row group has no column chunk of a leaf of the schema.", leaf)
      }
      checkRange(chunks(i), leaf)
      bytes += chunks(i).getTotalSize
      checkCount(chunks(i).getValueCount, rows, leaf, repeated(i), counts)
      checkCodec(chunks(i).getCodec, leaf)
      i += 1
    }
    if (bytes > fileLength) {
      throw VariantShreddedErrors.corruptFile(
        s"The column chunks of the row group claim $bytes bytes of a file of $fileLength bytes.",
        ErrorLocation()
      )
    }
  }

  private def checkRange(chunk: ColumnChunkMetaData, leaf: Seq[String]): Unit = {
    val start = chunk.getStartingPos
    val size = chunk.getTotalSize
    if (start < 0 || size < 0 || size > fileLength || start > fileLength - size) {
      throw corrupt(
        s"The column chunk claims $size bytes at offset $start of a file of " +
          s"$fileLength bytes.",
        leaf
      )
    }
  }

  private def checkCount(
      count: Long,
      rows: Long,
      leaf: Seq[String],
      repeated: Option[Seq[String]],
      counts: mutable.Map[Seq[String], Long]
  ): Unit = repeated match {
    case None if count != rows =>
      throw corrupt(s"The column chunk claims $count values in a row group of $rows rows.", leaf)
    case Some(_) if count < rows =>
      throw corrupt(s"The column chunk claims $count values in a row group of $rows rows.", leaf)
    case Some(group) if counts.getOrElseUpdate(group, count) != count =>
      throw corrupt(
        s"The column chunk claims $count values, but another chunk of the same repeated group " +
          s"claims ${counts(group)}.",
        leaf
      )
    case _ => ()
  }

  private def checkCodec(codec: CompressionCodecName, leaf: Seq[String]): Unit =
    if (codec != knownCodec) {
      try codecs.getDecompressor(codec): Unit
      catch { case e: VariantShreddedException => throw e.at(locationOf(leaf)) }
      knownCodec = codec
    }

  private def corrupt(reason: String, leaf: Seq[String]): VariantShreddedException =
    VariantShreddedErrors.corruptFile(reason, locationOf(leaf))

  private def locationOf(leaf: Seq[String]): ErrorLocation =
    ErrorLocation(column = Some(leaf.mkString(".")))
}

package io.github.variantshredded.read.footer

import java.lang.ref.SoftReference
import java.util.{LinkedHashMap => JLinkedHashMap}
import java.util.Map.{Entry => JEntry}

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.ParquetMetadata

/**
 * Footers that this process has read lately.
 *
 * A file of shredded Variants has a footer of many columns, which costs more to parse than one field
 * of it to read; and every split of a file needs it, in every query. A footer is known by the file's
 * path, length and time of modification. A file changed so lately that another change could have the
 * same time is read anew.
 */
private[read] object FooterCache {

  /** Column chunks in all footers that are kept; one takes some 200 bytes. */
  private final val MaxChunks = 100000

  /** Some file systems tell times in seconds. */
  private final val FreshMillis = 3000L

  private final case class Key(path: String, length: Long, modified: Long)

  /** A footer and its schema. */
  final class Footer(val metadata: ParquetMetadata) {
    val schema: FileSchema = FileSchema.of(metadata.getFileMetaData.getSchema)
  }

  private final class Kept(footer: Footer, val chunks: Int) {
    val reference = new SoftReference(footer)
  }

  private var chunks = 0L

  private val footers = new JLinkedHashMap[Key, Kept](64, 0.75f, true)

  /** The footer of a file, by `read` if it is not known. */
  def get(file: FileStatus)(read: => ParquetMetadata): Footer =
    find(file).getOrElse {
      val footer = new Footer(read)
      if (footer.metadata.getFileMetaData.getEncryptionType == EncryptionType.UNENCRYPTED) {
        keyOf(file).foreach(keep(_, footer))
      }
      footer
    }

  /** The footer of a file, if it is known. */
  def find(file: FileStatus): Option[Footer] = keyOf(file).flatMap { key =>
    synchronized(Option(footers.get(key)).flatMap(kept => Option(kept.reference.get)))
  }

  /** None for a file that could change and be the same by its key. */
  private def keyOf(file: FileStatus): Option[Key] = {
    val modified = file.getModificationTime
    val isOld = modified > 0 && System.currentTimeMillis - modified >= FreshMillis
    Option.when(isOld)(Key(file.getPath.toString, file.getLen, modified))
  }

  private def keep(key: Key, footer: Footer): Unit = {
    var count = 0
    footer.metadata.getBlocks.forEach(block => count += block.getColumns.size)
    synchronized {
      forget(footers.remove(key))
      if (count <= MaxChunks) {
        footers.put(key, new Kept(footer, count))
        chunks += count
        val oldest = footers.entrySet.iterator
        while (chunks > MaxChunks && oldest.hasNext) {
          val entry: JEntry[Key, Kept] = oldest.next()
          oldest.remove()
          forget(entry.getValue)
        }
      }
    }
  }

  private def forget(kept: Kept): Unit = if (kept != null) chunks -= kept.chunks
}

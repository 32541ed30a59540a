package io.github.variantshredded.read.footer

import java.lang.ref.SoftReference
import java.util.{LinkedHashMap => JLinkedHashMap}
import java.util.Map.{Entry => JEntry}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.FileStatus
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.ParquetMetadata

/**
 * Caches the footers that this process has read recently.
 *
 * The footer of a shredded file has many columns, so parsing it can cost more than reading one
 * field; and every split of a file needs it in every query. The key of a footer is the path, length,
 * modification time and ETag of the file; a local file has its inode and its change time in the
 * place of the ETag. A file without an ETag that was modified within the last 3 seconds is not cached,
 * because a second change could leave its modification time unchanged, unless it is an
 * [[UnchangedFile]].
 */
private[read] object FooterCache {

  /** What a column chunk of a footer takes in memory, in bytes. */
  private final val ChunkSize = 720L

  /**
   * The maximum number of column chunks in all cached footers, for a tenth of the heap. Page indexes
   * count as the chunks for which their memory would be enough.
   */
  private val maxChunks = Runtime.getRuntime.maxMemory / 10 / ChunkSize

  /** The age below which a file is not cached. Some file systems store times in whole seconds. */
  private final val FreshMillis = 3000L

  /**
   * Identifies the content of a file.
   *
   * @param version
   *   differs between two contents even if the other fields are equal; None if it is not known
   */
  private final case class Key(
      path: String,
      length: Long,
      modified: Long,
      version: Option[AnyRef]
  )

  /**
   * Holds a footer and its schema. Footers with equal schemas share one.
   *
   * @param indexes
   *   where the page indexes of the file are
   */
  final class Footer(read: ParquetMetadata, val indexes: IndexBytes) {
    val schema: FileSchema = FileSchema.of(read.getFileMetaData.getSchema)

    val metadata: ParquetMetadata =
      new ParquetMetadata(
        FooterCopies.withSchema(read.getFileMetaData, schema.message),
        read.getBlocks
      )

    /**
     * True if the leaf columns have distinct paths, and each row group has one chunk for each, in the
     * order of the schema.
     */
    lazy val isOrdered: Boolean = schema.hasDistinctPaths && metadata.getBlocks.asScala.forall {
      block =>
        val chunks = block.getColumns
        chunks.size == schema.paths.size &&
        schema.paths.indices.forall(i => chunks.get(i).getPath == schema.paths(i))
    }

    val midpoints = new RowGroupMidpoints(metadata.getBlocks.asScala.toIndexedSeq)
  }

  private final class Kept(footer: Footer, val chunks: Int) {
    val reference = new SoftReference(footer)
  }

  private var chunks = 0L

  private val footers = new JLinkedHashMap[Key, Kept](64, 0.75f, true)

  /**
   * Returns the cached footer of a file, or the result of `read`, which is cached unless the file
   * is encrypted.
   */
  def get(file: FileStatus)(read: => Footer): Footer = {
    // After the read, the version could be that of another file with the same path.
    val key = keyOf(file)
    key.flatMap(cached).getOrElse {
      val footer = read
      if (footer.metadata.getFileMetaData.getEncryptionType == EncryptionType.UNENCRYPTED) {
        key.foreach(keep(_, footer))
      }
      footer
    }
  }

  /** Returns the footer of a file if it is cached. */
  def find(file: FileStatus): Option[Footer] = keyOf(file).flatMap(cached)

  private def cached(key: Key): Option[Footer] =
    synchronized(Option(footers.get(key)).flatMap(kept => Option(kept.reference.get)))

  /** Returns the key of a file, or None if the file was modified too recently to be cached. */
  private def keyOf(file: FileStatus): Option[Key] = {
    val modified = file.getModificationTime
    val etag = ListedFiles.etag(file)
    val isOld = modified > 0 && System.currentTimeMillis - modified >= FreshMillis
    Option.when(isOld || etag.isDefined || file.isInstanceOf[UnchangedFile]) {
      val version = etag.orElse[AnyRef](LocalFiles.version(file))
      Key(file.getPath.toString, file.getLen, modified, version)
    }
  }

  private def keep(key: Key, footer: Footer): Unit = {
    val indexes = footer.indexes.kept.fold(0)(_.bytes.length)
    // One for the key and the schema: a file without rows has no chunks.
    var count = 1 + (indexes / ChunkSize).toInt
    footer.metadata.getBlocks.forEach(block => count += block.getColumns.size)
    synchronized {
      forget(footers.remove(key))
      if (count <= maxChunks) {
        footers.put(key, new Kept(footer, count))
        chunks += count
        val oldest = footers.entrySet.iterator
        while (chunks > maxChunks && oldest.hasNext) {
          val entry: JEntry[Key, Kept] = oldest.next()
          oldest.remove()
          forget(entry.getValue)
        }
      }
    }
  }

  private def forget(kept: Kept): Unit = if (kept != null) chunks -= kept.chunks
}

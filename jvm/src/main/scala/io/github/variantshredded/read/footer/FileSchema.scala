package io.github.variantshredded.read.footer

import java.util.{LinkedHashMap => JLinkedHashMap}
import java.util.Map.{Entry => JEntry}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.DottedNames
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/**
 * Holds the Parquet schema of a file, and results that are derived from it. Most files of a table
 * have equal schemas; they share one instance.
 */
private[read] final class FileSchema private (val message: MessageType) {
  import FileSchema._

  /** The leaf columns, in the order of the file. */
  lazy val leaves: IndexedSeq[ColumnDescriptor] = message.getColumns.asScala.toIndexedSeq

  /** The paths of the leaf columns as row groups store them. */
  lazy val paths: IndexedSeq[ColumnPath] = leaves.map(leaf => ColumnPath.get(leaf.getPath: _*))

  private lazy val ordinals: Map[Seq[String], Int] =
    leaves.iterator.map(leaf => leaf.getPath.toIndexedSeq: Seq[String]).zipWithIndex.toMap

  /** True if no two leaf columns have the same path. */
  lazy val hasDistinctPaths: Boolean = ordinals.size == leaves.size

  /** The leaf columns whose dotted name is also the dotted name of another leaf column. */
  lazy val sharedNames: Set[Seq[String]] = DottedNames.shared(message)

  /** Returns the index of a leaf column in [[leaves]]. */
  def ordinal(leaf: Seq[String]): Int = ordinals(leaf)

  private val findings = new JLinkedHashMap[Finding[_], Any](8, 0.75f, true) {
    override def removeEldestEntry(eldest: JEntry[Finding[_], Any]): Boolean =
      size() > MaxFindings
  }

  /** Returns what was kept under this key, or None if nothing was kept or it has been evicted. */
  def find[T](key: Finding[T]): Option[T] = findings.synchronized {
    // Safe: a key of type Finding[T] is only ever stored with a value of type T.
    Option(findings.get(key).asInstanceOf[T])
  }

  /**
   * Keeps a result for the next file with this schema, until newer results evict it.
   *
   * @param found
   *   must be immutable, and must not refer to a single file
   */
  def keep[T](key: Finding[T], found: T): Unit =
    findings.synchronized(findings.put(key, found): Unit)
}

private[read] object FileSchema {

  /** Identifies a result of type `T` that is derived from a schema. Keys are compared by value. */
  trait Finding[T]

  private final val MaxFindings = 8

  private final val MaxSchemas = 32

  /**
   * Gives a schema a hash of its own. In parquet-java, equal annotations of Variants have different
   * hashes, and so have equal schemas with them.
   */
  private final class Key(private val message: MessageType) {
    override val hashCode: Int = hash(message)

    override def equals(other: Any): Boolean = other match {
      case key: Key => message == key.message
      case _        => false
    }

    private def hash(column: Type): Int = column match {
      case group: GroupType =>
        group.getFields.asScala.foldLeft(column.getName.hashCode)(31 * _ + hash(_))
      case leaf => 31 * column.getName.hashCode + leaf.asPrimitiveType.getPrimitiveTypeName.hashCode
    }
  }

  private val schemas = new SoftCache[Key, FileSchema](MaxSchemas)

  /**
   * Returns the shared instance for `message` or an equal schema, and creates one if none is
   * cached.
   */
  def of(message: MessageType): FileSchema =
    schemas.get(new Key(message))(new FileSchema(message))
}

package io.github.variantshredded.read.footer

import java.lang.ref.SoftReference
import java.util.{LinkedHashMap => JLinkedHashMap}
import java.util.Map.{Entry => JEntry}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.layout.DottedNames
import org.apache.parquet.column.ColumnDescriptor
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.schema.MessageType

/**
 * The schema of a file, and what has been found out about it. Files of one table mostly have equal
 * schemas, and these share one of this.
 */
private[read] final class FileSchema private (val message: MessageType) {
  import FileSchema._

  /** The leaves, in the order of the file. */
  lazy val leaves: IndexedSeq[ColumnDescriptor] = message.getColumns.asScala.toIndexedSeq

  /** What row groups call the leaves. */
  lazy val paths: IndexedSeq[ColumnPath] = leaves.map(leaf => ColumnPath.get(leaf.getPath: _*))

  private lazy val places: Map[Seq[String], Int] =
    leaves.iterator.map(leaf => leaf.getPath.toIndexedSeq: Seq[String]).zipWithIndex.toMap

  /** The leaves that cannot be told from another by their dotted name. */
  lazy val sharedNames: Set[Seq[String]] = DottedNames.shared(message)

  /** The place of a leaf in [[leaves]]. */
  def place(leaf: Seq[String]): Int = places(leaf)

  private val findings = new JLinkedHashMap[Finding[_], Any](8, 0.75f, true) {
    override def removeEldestEntry(eldest: JEntry[Finding[_], Any]): Boolean =
      size() > MaxFindings
  }

  /** What is known by this key; None also if it has been forgotten. */
  def find[T](key: Finding[T]): Option[T] = findings.synchronized {
    // The key's type goes with the value's.
    Option(findings.get(key).asInstanceOf[T])
  }

  /**
   * Keeps something for the next file with this schema; not for ever.
   *
   * @param found
   *   never changed again; refers to nothing of one file
   */
  def keep[T](key: Finding[T], found: T): Unit =
    findings.synchronized(findings.put(key, found): Unit)
}

private[read] object FileSchema {

  /** By what a `T` about a schema is known; to be compared by value. */
  trait Finding[T]

  private final val MaxFindings = 8

  private final val MaxSchemas = 32

  private val schemas =
    new JLinkedHashMap[MessageType, SoftReference[FileSchema]](64, 0.75f, true) {
      override def removeEldestEntry(
          eldest: JEntry[MessageType, SoftReference[FileSchema]]
      ): Boolean = size() > MaxSchemas
    }

  /** The one for `message`, or for an equal schema that was met lately. */
  def of(message: MessageType): FileSchema = schemas.synchronized {
    Option(schemas.get(message)).flatMap(known => Option(known.get)).getOrElse {
      val schema = new FileSchema(message)
      schemas.put(message, new SoftReference(schema)): Unit
      schema
    }
  }
}

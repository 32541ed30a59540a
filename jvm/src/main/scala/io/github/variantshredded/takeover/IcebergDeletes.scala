package io.github.variantshredded.takeover

import org.apache.iceberg.DeleteFile

/**
 * Holds the files that say which rows of a file are deleted. Scans of the same files have to be
 * equal for Spark to read a table once, and Iceberg's own classes compare by identity.
 */
private[takeover] final class IcebergDeletes(val files: Array[DeleteFile]) extends Serializable {

  // A file of deletion vectors has those of several files.
  private def key: Set[(String, Option[Long])] =
    files.map(file => file.location -> Option(file.contentOffset).map(_.longValue)).toSet

  override def equals(other: Any): Boolean = other match {
    case that: IcebergDeletes => key == that.key
    case _                    => false
  }

  override def hashCode(): Int = key.hashCode
}

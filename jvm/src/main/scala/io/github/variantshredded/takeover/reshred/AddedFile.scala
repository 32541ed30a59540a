package io.github.variantshredded.takeover.reshred

import com.fasterxml.jackson.databind.json.JsonMapper
import io.github.variantshredded.spark.CaseClasses
import io.github.variantshredded.takeover.ByName.call

/** Describes a file of a Delta table, as the log of the table does. */
private[takeover] final class AddedFile(val action: AnyRef with Product) {
  import AddedFile._

  private def field(name: String): Any =
    action.productElementNames
      .zip(action.productIterator)
      .collectFirst { case (`name`, v) =>
        v
      }
      .get

  /** Returns the path, relative to the table or absolute, with escapes as in a URI. */
  def path: String = field("path").toString

  def size: Long = field("size").asInstanceOf[Long]

  def tags: Map[String, String] =
    Option(field("tags")).fold(Map.empty[String, String])(_.asInstanceOf[Map[String, String]])

  def hasDeletionVector: Boolean = field("deletionVector") != null

  /**
   * Returns the number of rows that the deletion vector does not mark; None without a vector, or if
   * the log does not have the number of all rows.
   */
  def liveRows: Option[Long] = for {
    vector <- Option(field("deletionVector"))
    text <- Option(field("stats"))
    all <- Option(Mapper.readTree(text.toString).get("numRecords"))
  } yield all.asLong - call(vector.asInstanceOf[AnyRef], "cardinality").asInstanceOf[Long]

  /**
   * Returns whether the bounds in the log may be those of deleted rows. They are if rows have been
   * deleted by a vector. `tightBounds` is also false for files that earlier versions of
   * `reshred --delta` wrote.
   */
  def hasWideBounds: Boolean =
    hasDeletionVector || Option(field("stats")).exists { text =>
      Option(Mapper.readTree(text.toString).get("tightBounds")).exists(!_.asBoolean(true))
    }

  /**
   * Returns a file with the live rows of this one.
   *
   * @param statistics
   *   those of the live rows; None if they are those of this file
   */
  def rewritten(
      path: String,
      size: Long,
      modified: Long,
      statistics: Option[String],
      tag: (String, String)
  ) =
    new AddedFile(
      CaseClasses.copy(
        action,
        "path" -> path,
        "size" -> Long.box(size),
        "modificationTime" -> Long.box(modified),
        "dataChange" -> Boolean.box(false),
        "stats" -> statistics.getOrElse(field("stats").asInstanceOf[AnyRef]),
        "tags" -> (tags + tag),
        "deletionVector" -> null
      )
    )
}

private object AddedFile {
  private val Mapper = JsonMapper.builder().build()
}

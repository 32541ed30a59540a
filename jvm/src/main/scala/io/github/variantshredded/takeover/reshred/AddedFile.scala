package io.github.variantshredded.takeover.reshred

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import io.github.variantshredded.spark.CaseClasses

/** Describes a file of a Delta table, as the log of the table does. */
private[takeover] final class AddedFile(val action: AnyRef with Product) {

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

  /** Returns a file with the live rows of this one. */
  def rewritten(path: String, size: Long, modified: Long, rows: Long, tag: (String, String)) =
    new AddedFile(
      CaseClasses.copy(
        action,
        "path" -> path,
        "size" -> Long.box(size),
        "modificationTime" -> Long.box(modified),
        "dataChange" -> Boolean.box(false),
        "stats" -> statistics(rows),
        "tags" -> (tags + tag),
        "deletionVector" -> null
      )
    )

  /**
   * Returns the statistics of the live rows. Bounds of all rows are bounds of these too, though not
   * tight ones. The numbers of nulls are not known, and mean something else if they are equal to
   * the number of rows.
   */
  private def statistics(rows: Long): String = field("stats") match {
    case text: String if hasDeletionVector =>
      val mapper = new ObjectMapper
      mapper.readTree(text) match {
        case known: ObjectNode =>
          known.remove("nullCount"): Unit
          known.put("numRecords", rows).put("tightBounds", false).toString
        case _ => mapper.createObjectNode().put("numRecords", rows).toString
      }
    case text: String => text
    case _            => null
  }
}

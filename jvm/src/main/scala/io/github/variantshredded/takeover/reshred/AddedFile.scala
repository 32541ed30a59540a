package io.github.variantshredded.takeover.reshred

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.DeserializationFeature
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.databind.node.ObjectNode
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
   * tight ones. Delta Lake uses the bounds of columns only whose numbers of nulls it knows.
   */
  private def statistics(rows: Long): String = field("stats") match {
    case text: String if hasDeletionVector =>
      Mapper.readTree(text) match {
        case known: ObjectNode =>
          val before = Option(known.get("numRecords")).map(_.asLong)
          known.get("nullCount") match {
            case counts: ObjectNode => setNullCounts(counts, before, rows)
            case _                  => ()
          }
          known.put("numRecords", rows).put("tightBounds", false).toString
        case _ => Mapper.createObjectNode().put("numRecords", rows).toString
      }
    case text: String => text
    case _            => null
  }
}

private object AddedFile {

  // As a double, a bound of a decimal could exclude a value of the file.
  private val Mapper = JsonMapper
    .builder()
    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
    .build()

  /**
   * Sets the numbers of nulls in some of the rows. They are known if no row is null, or if each is;
   * others are removed, because they would mean that all rows are null if they were equal to the
   * number of rows.
   */
  private def setNullCounts(counts: ObjectNode, before: Option[Long], rows: Long): Unit =
    counts.fieldNames.asScala.toList.foreach { name =>
      counts.get(name) match {
        case fields: ObjectNode                         => setNullCounts(fields, before, rows)
        case count if count.asLong(-1) == 0             => ()
        case count if before.contains(count.asLong(-1)) => val _ = counts.put(name, rows)
        case _                                          => val _ = counts.remove(name)
      }
    }
}

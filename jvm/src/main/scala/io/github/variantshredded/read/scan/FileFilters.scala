package io.github.variantshredded.read.scan

import io.github.variantshredded.read.columns.FileMetadata
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructType

/**
 * Holds the predicates of a query on the column `_metadata` that say which files hold rows of the
 * result. Spark's listing of files evaluates them.
 *
 * @param pushed
 *   the predicates over the attributes by which Spark's listing of files knows the fields
 * @param texts
 *   the predicates as explanations show them
 * @param others
 *   all other predicates
 */
private[scan] final case class FileFilters(
    pushed: Seq[Expression],
    texts: Seq[String],
    others: Seq[Expression]
)

private[scan] object FileFilters {

  // Two equal predicates of a query must stay equal, so that Spark finds out that two scans are.
  private val attributes = FileMetadata.ofFile
    .map(f => f.name -> AttributeReference(f.name, f.dataType, f.nullable, f.metadata)())
    .toMap

  private val known = AttributeSet(attributes.values)

  private val column = NamedExpression.newExprId

  /**
   * Divides predicates.
   *
   * @param isMetadata
   *   whether a column is `_metadata`
   */
  def apply(filters: Seq[Expression], isMetadata: String => Boolean): FileFilters = {
    val (others, pushed) = filters.partitionMap { filter =>
      ofFile(filter, isMetadata).map(_ -> filter.sql).toRight(withoutId(filter, isMetadata))
    }
    FileFilters(pushed.map(_._1), pushed.map(_._2), others)
  }

  /** Returns the predicate over the attributes of the listing, if the listing can evaluate it. */
  private def ofFile(filter: Expression, isMetadata: String => Boolean): Option[Expression] =
    if (filter.references.isEmpty || filter.exists(isUnevaluable)) None
    else {
      val rebound = filter.transformDown {
        case GetStructField(struct: AttributeReference, ordinal, _) if isMetadata(struct.name) =>
          val field = struct.dataType.asInstanceOf[StructType](ordinal)
          attributes.getOrElse(field.name, struct)
      }
      Option.when(rebound.references.subsetOf(known))(rebound)
    }

  private def withoutId(filter: Expression, isMetadata: String => Boolean): Expression =
    filter.transform {
      case found: AttributeReference if isMetadata(found.name) => found.withExprId(column)
    }

  private def isUnevaluable(expression: Expression): Boolean = expression match {
    case _: Attribute                           => false
    case _: Unevaluable | _: SubqueryExpression => true
    case _                                      => false
  }
}

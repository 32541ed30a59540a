package io.github.variantshredded.shredding.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.MessageType

/**
 * Finds leaf columns that share a dotted name. parquet-java's writer stores bloom filters by dotted
 * name: if names contain dots, two leaf columns can have the same dotted name, and both then get
 * the filter of one of them.
 */
private[variantshredded] object DottedNames {

  /** Returns the paths of the leaf columns whose dotted name another leaf column has too. */
  def shared(schema: MessageType): Set[Seq[String]] = {
    val paths = schema.getPaths.asScala.toSeq.map(_.toIndexedSeq: Seq[String])
    // Most schemas have no dots in names, so that no two dotted names can be equal.
    if (!paths.exists(_.exists(_.contains('.')))) Set.empty
    else paths.groupBy(_.mkString(".")).values.filter(_.size > 1).flatten.toSet
  }
}

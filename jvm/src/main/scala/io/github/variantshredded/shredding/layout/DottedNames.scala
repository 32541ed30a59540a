package io.github.variantshredded.shredding.layout

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.MessageType

/**
 * The names of leaves with dots between their parts, which parquet-java's writer keeps bloom filters
 * by. Where parts have dots themselves, two leaves can have one name, and both then get the filter of
 * one of them.
 */
private[variantshredded] object DottedNames {

  /** The leaves, as paths, whose dotted name another leaf of the schema has too. */
  def shared(schema: MessageType): Set[Seq[String]] = {
    val paths = schema.getPaths.asScala.toSeq.map(_.toIndexedSeq: Seq[String])
    // Most schemas have no dot in a name, and then nothing to look for.
    if (!paths.exists(_.exists(_.contains('.')))) Set.empty
    else paths.groupBy(_.mkString(".")).values.filter(_.size > 1).flatten.toSet
  }
}

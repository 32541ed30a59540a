package io.github.variantshredded.sql

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  InheritAnalysisRules,
  RuntimeReplaceable
}

/**
 * Calls a function that consists of Spark's expressions, which replace it before the query is
 * optimized. Until then it shows the call as the user wrote it, for example as the name of a
 * column.
 */
final case class NamedCall(name: String, parameters: Seq[Expression], replacement: Expression)
    extends RuntimeReplaceable
    with InheritAnalysisRules {

  override def prettyName: String = name

  override protected def withNewChildInternal(newChild: Expression): NamedCall =
    copy(replacement = newChild)
}

package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.trees.TreeNode

/**
 * Copies plans and expressions of Spark as [[CaseClasses]] copies other case classes, and keeps what
 * Spark knows of a node.
 */
private[variantshredded] object PlanCopies {

  /**
   * Returns a copy of the node in which some fields of the case class have other values.
   *
   * @param changes
   *   names of fields, with their new values
   * @throws java.lang.NoSuchFieldException
   *   if this version of Spark has no field of that name
   */
  def withFields[A <: TreeNode[_] with Product](node: A, changes: (String, AnyRef)*): A = {
    // The copy of a case class has the same class.
    node.makeCopy(CaseClasses.changed(node, changes).toArray).asInstanceOf[A]
  }
}

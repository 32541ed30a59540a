package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.trees.TreeNode

/**
 * Copies plans and expressions of Spark whose constructors have more parameters in some versions
 * than in others, so that the `copy` of one version does not exist in the next.
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
    val values = changes.toMap
    val names = node.productElementNames.toSeq
    values.keys.find(!names.contains(_)).foreach { name =>
      throw new NoSuchFieldException(s"${node.getClass.getName}.$name")
    }
    val arguments = names.zip(node.productIterator).map { case (name, value) =>
      values.getOrElse(name, value.asInstanceOf[AnyRef])
    }
    // The copy of a case class has the same class.
    node.makeCopy(arguments.toArray).asInstanceOf[A]
  }
}

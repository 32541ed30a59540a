package io.github.variantshredded.sql.kernel

import java.util.function.{Function => JFunction}

/**
 * Computes a function from the values of its arguments, in Spark's internal form; null is SQL NULL.
 *
 * Implementations keep buffers between calls, so an instance serves one thread. They are case
 * classes and not objects, because all tasks of an executor would share an object.
 */
private[variantshredded] trait VariantKernel
    extends JFunction[Array[AnyRef], AnyRef]
    with Serializable {

  /** Returns an equal kernel with buffers of its own. */
  def fresh: VariantKernel
}

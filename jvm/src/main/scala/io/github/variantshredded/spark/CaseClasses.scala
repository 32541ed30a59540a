package io.github.variantshredded.spark

/**
 * Copies case classes that have more fields in some versions than in others, so that the `copy` of
 * one version does not exist in the next.
 */
private[variantshredded] object CaseClasses {

  /**
   * Returns the values of all fields, of which some are changed.
   *
   * @param changes
   *   names of fields, with their new values
   * @throws java.lang.NoSuchFieldException
   *   if the case class has no field of that name
   */
  def changed(value: Product, changes: Seq[(String, AnyRef)]): Seq[AnyRef] = {
    val values = changes.toMap
    val names = value.productElementNames.toSeq
    values.keys.find(!names.contains(_)).foreach { name =>
      throw new NoSuchFieldException(s"${value.getClass.getName}.$name")
    }
    names.zip(value.productIterator).map { case (name, field) =>
      values.getOrElse(name, field.asInstanceOf[AnyRef])
    }
  }

  /** Returns a copy in which some fields have other values; see [[changed]]. */
  def copy[A <: Product](value: A, changes: (String, AnyRef)*): A = {
    val fields = changed(value, changes)
    val constructor = value.getClass.getConstructors
      .find(_.getParameterCount == fields.size)
      .getOrElse(throw new NoSuchMethodException(s"The constructor of ${value.getClass.getName}"))
    // The constructor is that of the class of the value.
    constructor.newInstance(fields: _*).asInstanceOf[A]
  }
}

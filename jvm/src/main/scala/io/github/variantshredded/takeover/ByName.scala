package io.github.variantshredded.takeover

import java.lang.reflect.{InvocationTargetException, Method}

/** Calls classes of other sources, which are not on the class path of this source, by name. */
private[takeover] object ByName {

  /**
   * Returns a class.
   *
   * @throws java.lang.ClassNotFoundException
   *   if the session does not have the other source
   */
  def loaded(className: String): Class[_] =
    Class.forName(className, true, Thread.currentThread.getContextClassLoader)

  /** Returns a Scala object. */
  def singleton(className: String): AnyRef =
    loaded(className + "$").getField("MODULE$").get(null)

  /** Returns whether a value has exactly this class. */
  def isOf(value: Any, className: String): Boolean = value.getClass.getName == className

  /** Calls the public method with this name that takes these arguments. */
  def call(target: AnyRef, method: String, arguments: AnyRef*): AnyRef = {
    val found = target.getClass.getMethods.filter { candidate =>
      candidate.getName == method && candidate.getParameterCount == arguments.size &&
      candidate.getParameterTypes.zip(arguments).forall { case (parameter, argument) =>
        parameter.isPrimitive || parameter.isInstance(argument)
      }
    }
    if (found.isEmpty) throw new NoSuchMethodException(s"${target.getClass.getName}.$method")
    invoke(found.find(!_.isBridge).getOrElse(found.head), target, arguments: _*)
  }

  /** Calls a method. The errors of the other source say what is wrong, so they are not wrapped. */
  def invoke(method: Method, target: AnyRef, arguments: AnyRef*): AnyRef =
    try method.invoke(target, arguments: _*)
    catch { case e: InvocationTargetException if e.getCause != null => throw e.getCause }
}

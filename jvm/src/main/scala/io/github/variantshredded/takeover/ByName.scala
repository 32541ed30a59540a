package io.github.variantshredded.takeover

import java.lang.reflect.{InvocationTargetException, Method}
import java.util.concurrent.ConcurrentHashMap

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
  def call(target: AnyRef, method: String, arguments: AnyRef*): AnyRef =
    invoke(find(target.getClass, method, arguments), target, arguments: _*)

  /**
   * Returns the function that calls the public method with this name and without arguments. It looks
   * for the method once for each class, not for each of many values.
   */
  def getter(method: String): AnyRef => AnyRef = {
    val found = new ConcurrentHashMap[Class[_], Method]
    target => invoke(found.computeIfAbsent(target.getClass, find(_, method, Nil)), target)
  }

  private def find(owner: Class[_], method: String, arguments: Seq[AnyRef]): Method = {
    val found = owner.getMethods.filter { candidate =>
      candidate.getName == method && candidate.getParameterCount == arguments.size &&
      candidate.getParameterTypes.zip(arguments).forall { case (parameter, argument) =>
        parameter.isPrimitive || parameter.isInstance(argument)
      }
    }
    if (found.isEmpty) throw new NoSuchMethodException(s"${owner.getName}.$method")
    found.find(!_.isBridge).getOrElse(found.head)
  }

  /** Calls a method. The errors of the other source say what is wrong, so they are not wrapped. */
  def invoke(method: Method, target: AnyRef, arguments: AnyRef*): AnyRef =
    try method.invoke(target, arguments: _*)
    catch { case e: InvocationTargetException if e.getCause != null => throw e.getCause }
}

package io.github.variantshredded.write.column

/**
 * Runs all of several steps, such as closing files and releasing memory, even if some of them
 * fail.
 */
private[write] object EachStep {

  /** Runs the steps in order, and then throws the first error, to which later ones are added. */
  def apply(steps: (() => Unit)*): Unit = {
    val errors = steps.flatMap { step =>
      try {
        step()
        None
      } catch {
        case e: Throwable => Some(e)
      }
    }
    errors.headOption.foreach { first =>
      errors.tail.filter(_ ne first).foreach(first.addSuppressed)
      throw first
    }
  }
}

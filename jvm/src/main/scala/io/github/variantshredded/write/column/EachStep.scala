package io.github.variantshredded.write.column

/** Steps that are all done, whatever becomes of those before: what lets go of files and memory. */
private[write] object EachStep {

  /** Runs the steps in order and then raises the first error, with the later ones suppressed in it. */
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

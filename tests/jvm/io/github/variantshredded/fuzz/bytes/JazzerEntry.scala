package io.github.variantshredded.fuzz.bytes

/** What Jazzer calls; its argument is the name of the target. */
object JazzerEntry {
  private var target: FuzzTarget = _

  def fuzzerInitialize(arguments: Array[String]): Unit = {
    target = FuzzTarget.named(arguments.head)
    // Classes are instrumented when they are loaded, which takes longer than a case may.
    target.seeds.foreach(target.run)
  }

  def fuzzerTestOneInput(data: Array[Byte]): Unit = target.run(data)
}

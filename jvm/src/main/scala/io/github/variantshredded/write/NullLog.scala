package io.github.variantshredded.write

/**
 * What has happened to an object, in runs, and how much of that each of its fields knows.
 *
 * To a field that has no value an event is a null: at the definition level of the object's fields if
 * the object was there, at a lower one if not.
 */
private[write] final class NullLog(fields: Array[ShredNode]) {
  import NullLog._

  private val repetitions = new Array[Int](Capacity)
  private val definitions = new Array[Int](Capacity)
  private val counts = new Array[Int](Capacity)
  private var size = 0

  // By field: the run at which it is, and how much of that run it knows.
  private val atRun = new Array[Int](fields.length)
  private val known = new Array[Int](fields.length)

  def add(repetition: Int, definition: Int, count: Int): Unit = {
    val last = size - 1
    if (last >= 0 && repetitions(last) == repetition && definitions(last) == definition)
      counts(last) += count
    else {
      if (size == Capacity) clear()
      repetitions(size) = repetition
      definitions(size) = definition
      counts(size) = count
      size += 1
    }
  }

  /** Gives a field its nulls up to now. */
  def catchUp(field: Int): Unit = {
    var run = atRun(field)
    if (run < size) {
      var before = known(field)
      while (run < size) {
        if (counts(run) > before)
          fields(field).addNulls(repetitions(run), definitions(run), counts(run) - before)
        before = 0
        run += 1
      }
      skip(field)
    }
  }

  /** Has a field know everything, as it has a value for the last event. */
  def skip(field: Int): Unit = {
    atRun(field) = size - 1
    known(field) = counts(size - 1)
  }

  /** Gives all fields their nulls. */
  def settle(): Unit = if (size > 0) clear()

  private def clear(): Unit = {
    var field = 0
    while (field < fields.length) {
      catchUp(field)
      atRun(field) = 0
      known(field) = 0
      field += 1
    }
    size = 0
  }
}

private object NullLog {

  /** Most runs that are kept. */
  private final val Capacity = 512
}

package io.github.variantshredded.write.shred

import java.util.Arrays

/**
 * What has happened to an object, in runs, and how much of that each of its fields knows. An event is
 * added before the fields that have a value for it meet it.
 *
 * To a field that has no value an event is a null: at the definition level of the object's fields if
 * the object was there, at a lower one if not.
 */
private[write] final class NullLog(fields: Array[ShredNode]) {
  import NullLog._

  private var repetitions = new Array[Int](FirstCapacity)
  private var definitions = new Array[Int](FirstCapacity)
  private var counts = new Array[Int](FirstCapacity)
  private var size = 0

  // By field: the run at which it is, and how much of that run it knows.
  private val atRun = new Array[Int](fields.length)
  private val known = new Array[Int](fields.length)

  def add(repetition: Int, definition: Int, count: Int): Unit = {
    val last = size - 1
    if (last >= 0 && repetitions(last) == repetition && definitions(last) == definition)
      counts(last) += count
    else {
      if (size == counts.length) makeRoom()
      repetitions(size) = repetition
      definitions(size) = definition
      counts(size) = count
      size += 1
    }
  }

  private def makeRoom(): Unit =
    if (size >= MaxCapacity) clear()
    else {
      repetitions = Arrays.copyOf(repetitions, size * 4)
      definitions = Arrays.copyOf(definitions, size * 4)
      counts = Arrays.copyOf(counts, size * 4)
    }

  /** Gives a field its nulls up to the last event, for which it has a value. */
  def meet(field: Int): Unit = {
    val last = size - 1
    val before = counts(last) - 1
    if (atRun(field) < last) addRuns(field, last)
    val missed = before - known(field)
    if (missed > 0) fields(field).addNulls(repetitions(last), definitions(last), missed)
    known(field) = before + 1
  }

  /** Gives a field its nulls of the runs before `end`. */
  private def addRuns(field: Int, end: Int): Unit = {
    var run = atRun(field)
    var before = known(field)
    while (run < end) {
      if (counts(run) > before)
        fields(field).addNulls(repetitions(run), definitions(run), counts(run) - before)
      before = 0
      run += 1
    }
    atRun(field) = end
    known(field) = 0
  }

  /** Gives all fields their nulls. */
  def settle(): Unit = if (size > 0) clear()

  private def clear(): Unit = {
    var field = 0
    while (field < fields.length) {
      addRuns(field, size)
      atRun(field) = 0
      field += 1
    }
    size = 0
  }
}

private object NullLog {

  private final val FirstCapacity = 8

  /** Most runs that are kept. */
  private final val MaxCapacity = 512
}

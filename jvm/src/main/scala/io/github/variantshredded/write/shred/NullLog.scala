package io.github.variantshredded.write.shred

import java.util.Arrays

/**
 * Logs the rows of an object, in runs of equal levels. From it, the nulls of each field are written
 * in bulk.
 *
 * An event is one occurrence of the object, or of null in its place. It is logged before the values
 * of its fields are written. For a field without a value, the event is a null: at the definition
 * level of the object's fields if the object exists, and at a lower one if not.
 */
private[write] final class NullLog(fields: Array[ShredNode]) {
  import NullLog._

  private var repetitions = new Array[Int](FirstCapacity)
  private var definitions = new Array[Int](FirstCapacity)
  private var counts = new Array[Int](FirstCapacity)
  private var size = 0

  // By field: the run up to which the nulls are written, and how many events of that run are.
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

  /** Writes the nulls of a field before the last event, for which the field has a value. */
  def meet(field: Int): Unit = {
    val last = size - 1
    val before = counts(last) - 1
    if (atRun(field) < last) addRuns(field, last)
    val missed = before - known(field)
    if (missed > 0) fields(field).addNulls(repetitions(last), definitions(last), missed)
    known(field) = before + 1
  }

  /** Writes the nulls of a field for the runs before `end`. */
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

  /** Writes all nulls of all fields. */
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

  /** Most runs that are kept before all nulls are written. */
  private final val MaxCapacity = 512
}

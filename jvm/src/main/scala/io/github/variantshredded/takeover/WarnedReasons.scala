package io.github.variantshredded.takeover

import java.util.concurrent.ConcurrentHashMap

/**
 * Remembers of which tables the driver's log says as a warning why they are left to their source.
 * Each reason is there once for each table, because a session may run many queries.
 */
private[takeover] object WarnedReasons {

  private final val Max = 1000

  private val known = ConcurrentHashMap.newKeySet[(String, String)]()

  /** Returns whether this is the first call for a table and a reason, and remembers them. */
  def isNew(table: String, reason: String): Boolean =
    known.size < Max && known.add(table -> reason)
}

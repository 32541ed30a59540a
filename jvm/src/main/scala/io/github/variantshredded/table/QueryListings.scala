package io.github.variantshredded.table

import java.util.WeakHashMap

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex

/**
 * Shares one listing of a table's files among the scans of one query, for example those of a
 * self-join. Each query lists the files again.
 */
private[table] object QueryListings {

  private type Listings = mutable.Map[(CatalogedTable, Path), PartitioningAwareFileIndex]

  // Spark plans each query with a tracker of its own. The listings go with it.
  private val known = new WeakHashMap[QueryPlanningTracker, Listings]

  /**
   * Returns the listing of `table` that an earlier scan of the query has made, or makes it by
   * `list`. Outside of a query, each call makes a listing.
   */
  def of(table: CatalogedTable, directory: Path)(
      list: => PartitioningAwareFileIndex
  ): PartitioningAwareFileIndex =
    QueryPlanningTracker.get.fold(list) { tracker =>
      val listings = known.synchronized(known.computeIfAbsent(tracker, _ => mutable.Map.empty))
      listings.synchronized(listings.getOrElseUpdate((table, directory), list))
    }
}

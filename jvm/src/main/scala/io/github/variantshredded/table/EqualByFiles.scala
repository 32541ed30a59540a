package io.github.variantshredded.table

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.datasources.v2.FileTable
import org.apache.spark.sql.types.StructType

/**
 * Makes two tables of paths equal if they read the same paths in the same way, whatever their sessions
 * are, as in Spark's file sources: sessions share cached queries. Spark compares the types of the
 * columns, so their names are compared here, and what patterns of paths have matched.
 */
private[variantshredded] trait EqualByFiles { this: FileTable =>

  /** What the read asks for: options and paths. */
  protected def request: Product

  /** Whether the tables are compared by what they have found, too. */
  protected def comparesFound: Boolean = true

  private def found: (StructType, Set[Path]) = (schema, fileIndex.rootPaths.toSet)

  override def equals(other: Any): Boolean = other match {
    case that: EqualByFiles =>
      (this eq that) || request == that.request && (!comparesFound || found == that.found)
    case _ => false
  }

  override def hashCode(): Int = request.hashCode
}

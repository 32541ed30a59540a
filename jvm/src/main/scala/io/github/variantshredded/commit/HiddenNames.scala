package io.github.variantshredded.commit

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

/** Names of files and directories that Spark's listing of files passes over. */
private[variantshredded] object HiddenNames {

  private final val BeingCopied = "._COPYING_"

  def hides(name: String): Boolean = DataFiles.isHidden(name)

  /**
   * Refuses a column to partition by whose directories nobody would look into.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def checkColumn(column: String): Unit =
    if (hides(s"${ExternalCatalogUtils.escapePathName(column)}=1"))
      throw VariantShreddedErrors.unsupported(
        s"Partitioning by the column '$column'",
        "Its directories would have names that readers pass over. Rename the column."
      )

  /**
   * The same for the directory of one partition.
   *
   * @param directory
   *   its name, such as `p=1`; characters that are escaped there make no difference
   */
  def checkPartition(directory: String): Unit =
    if (hides(directory))
      throw VariantShreddedErrors.unsupported(
        s"A partition whose directory is '$directory'",
        s"Readers pass over names that end in '$BeingCopied'. Change the value."
      )
}

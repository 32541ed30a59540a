package io.github.variantshredded

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.takeover.{DeltaReshred, DeltaReshredResult}
import org.apache.spark.sql.SparkSession

/** Offers what this source does with tables of Delta Lake besides reading them. */
object VariantShreddedDelta {

  /**
   * Rewrites the files of a Delta table with the writer of this source, in one commit that changes
   * no rows. Files that have been rewritten before with the same options are left as they are.
   *
   * @param table
   *   the name of a table, or a path, which has a slash
   * @param options
   *   options of the writer
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the table must not have shredded Variants, or has a feature that is
   *   not known here, or with an untested version of Delta Lake
   */
  def reshred(
      session: SparkSession,
      table: String,
      options: JMap[String, String]
  ): DeltaReshredResult =
    new DeltaReshred(SessionSetup.classicSession(session), table, options.asScala.toMap).run()
}

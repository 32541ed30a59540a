package io.github.variantshredded

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.options.OptionNames
import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.takeover.reshred.{DeltaReshred, DeltaReshredResult}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** Offers what this source does with tables of Delta Lake besides reading them. */
object VariantShreddedDelta {

  /**
   * Rewrites the files of a Delta table with the writer of this source, in one commit that changes
   * no rows. Files that have been rewritten before with the same options are left as they are.
   *
   * @param table
   *   the name of a table, or a path, which has a slash
   * @param options
   *   options of the writer, and settings of Hadoop, with which all files of the table are opened
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if the table must not have shredded Variants, or has a feature that is
   *   not known here, or with an untested version of Delta Lake
   */
  def reshred(
      session: SparkSession,
      table: String,
      options: JMap[String, String]
  ): DeltaReshredResult = {
    val own = TableInternals.copyOf(SessionSetup.classicSession(session))
    // Rows that a tolerant session does not read would be gone.
    EveryFile.foreach(own.conf.set(_, false))
    // Delta Lake takes the settings of file systems from the session.
    options.asScala.foreach { case (name, value) =>
      if (OptionNames.isOfHadoop(name)) own.conf.set(name, value)
    }
    own.withActive(new DeltaReshred(own, table, options.asScala.toMap).run())
  }

  private val EveryFile = Seq(SQLConf.IGNORE_CORRUPT_FILES.key, SQLConf.IGNORE_MISSING_FILES.key)
}

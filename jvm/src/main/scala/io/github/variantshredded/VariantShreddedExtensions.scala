package io.github.variantshredded

import io.github.variantshredded.takeover.TakeOver
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/**
 * Extends a session, so that Spark reads the Variants of existing tables through this source. Set it
 * by `spark.sql.extensions=io.github.variantshredded.VariantShreddedExtensions`.
 *
 * Tables and files of Spark's Parquet source keep their format, catalog and writers. The rule
 * [[io.github.variantshredded.takeover.TakeOver]] replaces their relations in queries that read a
 * Variant column. The setting `spark.sql.variantShredded.takeOver` says for which sources.
 */
class VariantShreddedExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit =
    // The rules run before Spark builds the scans of its second interface. Spark makes them anew for
    // each query, and reads the session's own rules after that.
    extensions.injectPreCBORule { session: SparkSession =>
      TakeOver(SessionSetup.classicSession(session))
    }
}

package io.github.variantshredded

import io.github.variantshredded.extraction.PushVariantExtractions
import org.apache.spark.sql.{classic, SparkSession}

/** What a session gets when it first meets this source. */
private[variantshredded] object SessionSetup {

  private val CatalogKey = s"spark.sql.catalog.${VariantShreddedCatalog.Name}"

  /**
   * The session as the class that Spark's internals want, with the path catalog known to it, so that
   * SQL can name a path as ``variant_shredded.`path` ``, and the optimizer rule that lets scans
   * deliver extractions. A catalog that the user has configured by that name is left alone, and so
   * are the user's own rules.
   */
  def classicSession(session: SparkSession): classic.SparkSession = session match {
    case classicSession: classic.SparkSession =>
      if (classicSession.conf.getOption(CatalogKey).isEmpty) {
        classicSession.conf.set(CatalogKey, classOf[VariantShreddedCatalog].getName)
      }
      addRule(classicSession)
      classicSession
    case other =>
      throw VariantShreddedErrors.unsupported(
        s"A session of ${other.getClass.getName}",
        "Use the source in the driver or the Spark Connect server."
      )
  }

  private def addRule(session: classic.SparkSession): Unit = {
    val methods = session.experimental
    methods.synchronized {
      if (!methods.extraOptimizations.contains(PushVariantExtractions)) {
        methods.extraOptimizations = methods.extraOptimizations :+ PushVariantExtractions
      }
    }
  }
}

package io.github.variantshredded

import org.apache.spark.sql.{classic, SparkSession}

/** What a session gets when it first meets this source. */
private[variantshredded] object SessionSetup {

  private val CatalogKey = s"spark.sql.catalog.${VariantShreddedCatalog.Name}"

  /**
   * The session as the class that Spark's internals want, with the path catalog known to it, so that
   * SQL can name a path as ``variant_shredded.`path` ``. A catalog that the user has configured by
   * that name is left alone.
   */
  def classicSession(session: SparkSession): classic.SparkSession = session match {
    case classicSession: classic.SparkSession =>
      if (classicSession.conf.getOption(CatalogKey).isEmpty) {
        classicSession.conf.set(CatalogKey, classOf[VariantShreddedCatalog].getName)
      }
      classicSession
    case other =>
      throw VariantShreddedErrors.unsupported(
        s"A session of ${other.getClass.getName}",
        "Use the source in the driver or the Spark Connect server."
      )
  }
}

package io.github.variantshredded

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.optimizer.{PlanMicroBatches, PushVariantExtractions}
import io.github.variantshredded.options.Format
import io.github.variantshredded.replace.{
  ReplaceCastToString,
  ReplaceSchemaOfVariantAgg,
  ReplaceToJson
}
import io.github.variantshredded.takeover.{DeltaReads, WaitingRelations}
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf

/** Adds the path catalog and the optimizer rules to sessions that use this source. */
private[variantshredded] object SessionSetup {

  // Both names of the format name the catalog of paths, as `parquet` does for Spark's format.
  private val CatalogKeys =
    Seq(VariantShreddedCatalog.Name, Format.Name).map(name => s"spark.sql.catalog.$name")

  private val Rules: Seq[Rule[LogicalPlan]] = Seq(
    TableCommands,
    PlanMicroBatches,
    DeltaReads,
    WaitingRelations,
    PushVariantExtractions,
    ReplaceToJson,
    ReplaceCastToString,
    ReplaceSchemaOfVariantAgg
  )

  /**
   * Returns the session as the class that Spark's internals need, after its setup. The setup adds
   * the path catalog, so that SQL can name a path as ``variant_shredded.`path` ``, and the
   * optimizer rules: the rule for statements about tables, the rule that plans the scans of
   * micro-batches, the rules for relations of Delta Lake in writes and in subqueries, the rule by
   * which scans deliver extractions, and the rules that replace expressions of Spark by quicker
   * ones. A catalog that the user has configured with this name is kept, and so are the user's own
   * rules. A database of this name goes before the catalog.
   */
  def classicSession(session: SparkSession): classic.SparkSession = session match {
    case classicSession: classic.SparkSession =>
      def isSet(key: String) = classicSession.conf.getOption(key).isDefined
      // With this value, the option says that a database has the name, see `VariantShreddedCatalog`.
      def hasYielded(key: String) =
        classicSession.conf.getOption(VariantShreddedCatalog.yields(key)).contains("false")
      CatalogKeys
        .filterNot(key => isSet(key) || hasYielded(key))
        .foreach { key =>
          classicSession.conf.set(VariantShreddedCatalog.yields(key), "true")
          classicSession.conf.set(key, classOf[VariantShreddedCatalog].getName)
        }
      addRules(classicSession)
      classicSession
    case other =>
      throw VariantShreddedErrors.unsupported(
        s"A session of ${other.getClass.getName}",
        "Use the source in the driver or the Spark Connect server."
      )
  }

  /**
   * Adds the rules to the active session, if there is one. A statement such as `CREATE TABLE` looks
   * up the format before it does anything else, and needs the rules after that.
   */
  def addRules(): Unit = SparkSession.getActiveSession.foreach {
    case session: classic.SparkSession => addRules(session)
    case _                             => ()
  }

  private def addRules(session: classic.SparkSession): Unit = {
    val methods = session.experimental
    methods.synchronized {
      val missing = Rules.filterNot(methods.extraOptimizations.contains)
      if (missing.nonEmpty) methods.extraOptimizations = methods.extraOptimizations ++ missing
    }
  }

  /** Returns whether `provider` is the name of this source, or of its class. */
  def isThisSource(provider: String, conf: SQLConf): Boolean =
    DataSource.lookupDataSourceV2(provider, conf).exists(_.isInstanceOf[VariantShreddedSource])
}

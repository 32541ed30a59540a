package io.github.variantshredded.takeover

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{
  BaseMetadataTable,
  FileContent,
  FileFormat,
  FileScanTask,
  Schema,
  TableProperties
}
import org.apache.iceberg.hadoop.HadoopFileIO
import org.apache.iceberg.io.ResolvingFileIO
import org.apache.iceberg.types.{Type, Types, TypeUtil}
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Finds out why a query of a table of Iceberg is left to Iceberg. */
private[takeover] object IcebergReasons {

  private final val Tested = "1.12."

  /** The types of columns that Spark's reader of Parquet does not know. */
  private val UnreadTypes =
    Set(Type.TypeID.UUID, Type.TypeID.GEOMETRY, Type.TypeID.GEOGRAPHY)

  // Iceberg reads this setting in both spellings.
  private val PreserveGrouping =
    Seq("preserve-data-grouping", "preserveDataGrouping").map("spark.sql.iceberg.planning." + _)

  // Options that have chosen the snapshot when the table was loaded, and those for the sizes of
  // tasks and for the reader.
  private val Harmless = Set(
    "path",
    "paths",
    "versionasof",
    "timestampasof",
    "split-size",
    "lookback",
    "file-open-cost",
    "vectorization-enabled",
    "batch-size",
    "locality",
    "aggregate-push-down-enabled"
  )

  private val OfFileSystems = Seq("fs.", "dfs.", "hadoop.")

  /** Returns why all tables are left to Iceberg, if this is a version that has not been tested. */
  def ofVersion(version: String): Option[String] =
    Option.unless(version.startsWith(Tested)) {
      s"Iceberg is of version $version, and ${Tested}x is known"
    }

  /** Returns why a table is left to Iceberg, or a query of it. */
  def ofTable(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      read: Set[ExprId],
      pinned: PinnedIcebergTable
  ): Option[String] = {
    import pinned.{schema, table}
    val conf = session.sessionState.conf
    def hasDefault = TypeUtil.indexById(schema.asStruct).values.asScala.exists { field =>
      field.initialDefault != null
    }
    lazy val unreadType =
      TypeUtil.indexById(schema.asStruct).values.asScala.map(_.`type`.typeId).find(UnreadTypes)
    // Iceberg numbers the schemas of a table from 0 on, and an expiry can remove some of them.
    lazy val areSchemasKnown = table.schemas.keySet.asScala.max < table.schemas.size
    lazy val namesRead = relation.output.filter(of => read(of.exprId)).map(_.name).toSet
    // Iceberg's reader takes a struct for NULL if a file has none of the fields that are read.
    def hasNewFields = schema.columns.asScala.exists { column =>
      lazy val ids = TypeUtil.indexById(Types.StructType.of(column)).keySet.asScala
      def isNew(earlier: Schema) = earlier.findField(column.fieldId) != null &&
        ids.exists(earlier.findField(_) == null)
      column.`type`.isNestedType && namesRead(column.name) &&
      (!areSchemasKnown || table.schemas.values.asScala.exists(isNew))
    }
    def others =
      relation.options.keySet.asScala.filterNot(name => Harmless(name) || name.contains('.'))
    def isTrue(setting: String) = conf.getConfString(setting, "").equalsIgnoreCase("true")
    Seq[(() => Boolean, String)](
      (() => table.isInstanceOf[BaseMetadataTable], "it is a metadata table"),
      (() => others.nonEmpty, s"the query has the option ${others.headOption.getOrElse("")}"),
      (
        () => table.properties.containsKey(TableProperties.DEFAULT_NAME_MAPPING),
        "its files may have no field ids (it has a name mapping)"
      ),
      (() => hasDefault, "a column has an initial default value"),
      (
        () => unreadType.isDefined,
        s"a column has the type ${unreadType.fold("")(_.name.toLowerCase(Locale.ROOT))}"
      ),
      (
        () => hasNewFields,
        "a field was added inside a column that is read, or may have been added before schemas expired"
      ),
      (
        () => PreserveGrouping.exists(isTrue),
        s"${PreserveGrouping.head} is true"
      ),
      (
        () => (conf.cboEnabled || conf.planStatsEnabled) && !table.statisticsFiles.isEmpty,
        "the cost-based optimizer uses statistics of its columns"
      )
    ).collectFirst { case (declines, reason) if declines() => reason }
  }

  /**
   * Returns why Iceberg refuses to read a relation, if it does: it checks the branch and the options
   * when it makes the builder of a scan, which reads no files.
   */
  def ofIceberg(relation: DataSourceV2Relation): Option[String] = relation.table match {
    case table: SupportsRead =>
      Try(table.newScanBuilder(relation.options)).failed.toOption.map(_.toString)
    case _ => None
  }

  /** Returns a function that says why a query that reads a file is left to Iceberg. */
  def ofFile(
      session: classic.SparkSession,
      pinned: PinnedIcebergTable
  ): FileScanTask => Option[String] = {
    val io = pinned.table.io
    // A class that is derived from one of these may read files in another way.
    def isOfHadoop(location: String) = io match {
      case resolving: ResolvingFileIO if io.getClass == classOf[ResolvingFileIO] =>
        resolving.ioClass(location) == classOf[HadoopFileIO]
      case _ => io.getClass == classOf[HadoopFileIO]
    }
    def differsFromSession(catalog: Configuration) =
      differ(catalog, session.sessionState.newHadoopConf())
    lazy val hasOwnSettings = io match {
      case hadoop: HadoopFileIO       => differsFromSession(hadoop.getConf)
      case resolving: ResolvingFileIO => differsFromSession(resolving.getConf)
      case _                          => false
    }
    task => {
      val file = task.file
      val deletes = task.deletes.asScala
      Seq(
        (file.format != FileFormat.PARQUET) -> s"it has files of the format ${file.format}",
        (file.keyMetadata != null || deletes.exists(_.keyMetadata != null)) ->
          "it has encrypted files",
        deletes.exists(_.content == FileContent.EQUALITY_DELETES) -> "it has equality deletes",
        !isOfHadoop(file.location) -> s"its files are read by ${io.getClass.getName}",
        !hasPartitionColumns(
          task,
          pinned.schema
        ) -> "the values of a partition column may not be in its files",
        hasOwnSettings -> "its catalog has other settings of file systems than the session"
      ).collectFirst { case (true, reason) => reason }
    }
  }

  /**
   * Returns whether a file has the columns by whose values it is partitioned. Iceberg takes these
   * values from its metadata, so that it can add files that do not have them.
   */
  private def hasPartitionColumns(task: FileScanTask, schema: Schema): Boolean = {
    def hasSize(id: Int) = Option(task.file.columnSizes).exists(_.containsKey(id))
    PinnedIcebergTable
      .identityColumns(task.spec)
      .filter(id => schema.findField(id) != null)
      .forall(hasSize)
  }

  /**
   * Returns whether file systems may differ by the settings of a catalog and of a session. A catalog
   * copies those of the session when it is loaded.
   */
  def differ(catalog: Configuration, session: Configuration): Boolean =
    Seq(catalog, session).iterator.flatMap(_.asScala).map(_.getKey).exists { key =>
      OfFileSystems.exists(key.startsWith(_)) && catalog.getRaw(key) != session.getRaw(key)
    }
}

package io.github.variantshredded.takeover

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.github.variantshredded.read.file.FileOverlay
import io.github.variantshredded.read.footer.ColumnNames
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.takeover.ByName.call
import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{
  BaseMetadataTable,
  BatchScan,
  FileContent,
  FileFormat,
  FileScanTask,
  IcebergBuild,
  PartitionSpec,
  Schema,
  SerializableTable,
  Snapshot,
  Table,
  TableProperties
}
import org.apache.iceberg.expressions.Expressions
import org.apache.iceberg.hadoop.HadoopFileIO
import org.apache.iceberg.io.ResolvingFileIO
import org.apache.iceberg.types.{Type, Types, TypeUtil}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExprId}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.SupportsRead
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Turns relations of Iceberg into tables of this source. Iceberg plans which files a query reads,
 * and which rows of them are deleted; this source reads these files.
 *
 * What Iceberg's table for Spark knows of the snapshot is called by name, and so only versions that
 * have been tested are taken over.
 */
private[takeover] object IcebergRelations {

  final val Source = "iceberg"

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

  /**
   * Returns the table for a relation, or why there is none.
   *
   * @param read
   *   the columns that the query reads
   * @param filters
   *   predicates that all rows of the query's answer meet
   * @param hasFileFunctions
   *   whether a function of the query tells of the file that a row comes from
   */
  def of(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      read: Set[ExprId],
      filters: Seq[Expression],
      hasFileFunctions: => Boolean
  ): Either[String, RelationTable] =
    reasonToDecline(IcebergBuild.version).toLeft(()).flatMap { _ =>
      val pinned = new Pinned(relation)
      val caseSensitive = session.sessionState.conf.caseSensitiveAnalysis
      lazy val tasks = pinned.plan(filters, caseSensitive)
      Option
        .when(pinned.isSwitchedOff)(RelationDescription.SwitchedOff)
        .orElse(
          Option.when(hasFileFunctions)("the query uses input_file_name or a function like it")
        )
        .orElse(reasonToDecline(session, relation, read, pinned))
        .orElse(refusal(relation))
        .orElse(pinned.columns.left.toOption)
        .orElse(reasonToDecline(session, tasks, pinned))
        .toLeft(())
        .flatMap(_ => pinned.columns)
        .flatMap { columns =>
          val files =
            new IcebergFiles(pinned.table, pinned.snapshot, pinned.schema, tasks, caseSensitive)
          val names = pinned.columnsOfSpark
          RelationDescription(
            OtherSource(Source, asSpark = false),
            session,
            new PrunedIcebergFiles(session, files),
            RelationColumns(ofFiles = names, partition = new StructType, all = names),
            new CaseInsensitiveStringMap(pinned.options.asJava),
            overlay = FileOverlay(
              Option.when(tasks.exists(!_.deletes.isEmpty)) {
                IcebergLiveRows(SerializableTable.copyOf(pinned.table).io)
              },
              Some(ColumnNames(names, columns, caseSensitive))
            )
          ).table(session, relation)
        }
    }

  /** Reads the state of a table that a query uses: Iceberg pins it when the table is loaded. */
  private final class Pinned(relation: DataSourceV2Relation) {

    val table: Table = classOf[Table].cast(call(relation.table, "table"))

    val schema: Schema = classOf[Schema].cast(pinned("schema"))

    // An empty table has none.
    val snapshot: Option[Snapshot] = Option(classOf[Snapshot].cast(pinned("snapshot")))

    // The table tells the identifier of the snapshot, but not of the schema, which need not be the
    // table's current one.
    private def pinned(name: String): AnyRef = {
      val field = relation.table.getClass.getDeclaredField(name)
      field.setAccessible(true)
      field.get(relation.table)
    }

    val columnsOfSpark: StructType = StructType(relation.table.columns.map { column =>
      StructField(column.name, column.dataType, column.nullable)
    })

    /** The columns with their field ids, or why they are not known. */
    lazy val columns: Either[String, StructType] =
      IcebergColumns.withFieldIds(columnsOfSpark, schema.asStruct)

    /** Iceberg's reader has no such settings. */
    val options: Map[String, String] = {
      val ownName = ReadOptions.TakeOverOption.name
      val ofTable = new CaseInsensitiveStringMap(table.properties)
      val own = Option(relation.options.get(ownName)).orElse(Option(ofTable.get(ownName)))
      Map(
        "datetimeRebaseMode" -> "CORRECTED",
        "int96RebaseMode" -> "CORRECTED",
        "ignoreCorruptFiles" -> "false",
        "ignoreMissingFiles" -> "false"
      ) ++ own.map(ownName -> _)
    }

    def isSwitchedOff: Boolean =
      !ReadOptions.TakeOverOption.of(new CaseInsensitiveStringMap(options.asJava))

    def plan(filters: Seq[Expression], caseSensitive: Boolean): Seq[FileScanTask] =
      snapshot.fold(Seq.empty[FileScanTask]) { snapshot =>
        def planned(scan: BatchScan) = {
          val filter =
            if (scan.schema.sameSchema(schema)) IcebergFilters(filters, schema, caseSensitive)
            else Expressions.alwaysTrue
          val partitionColumns = table.specs.values.asScala
            .flatMap(identityColumns)
            .flatMap(id => Option(scan.schema.findColumnName(id)))
            .toSet
          val described =
            if (partitionColumns.isEmpty) scan else scan.includeColumnStats(partitionColumns.asJava)
          val chosen = described.filter(filter).ignoreResiduals()
          Using.resource(chosen.planFiles())(_.asScala.toVector).map(_.asFileScanTask)
        }
        val latest = table.newBatchScan().caseSensitive(caseSensitive)
        // This scan asks the table for its snapshot each time, and another thread may commit one.
        def isPinned = Option(latest.snapshot).exists(_.snapshotId == snapshot.snapshotId)
        // The scan of an earlier snapshot has the schema of its time, and with it other names.
        Option
          .when(isPinned)(planned(latest))
          .filter(_ => isPinned)
          .getOrElse(planned(latest.useSnapshot(snapshot.snapshotId)))
      }
  }

  /** Returns why all tables are left to Iceberg, if this is a version that has not been tested. */
  def reasonToDecline(version: String): Option[String] =
    Option.unless(version.startsWith(Tested)) {
      s"Iceberg is of version $version, and ${Tested}x is known"
    }

  private def reasonToDecline(
      session: classic.SparkSession,
      relation: DataSourceV2Relation,
      read: Set[ExprId],
      pinned: Pinned
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
    // Iceberg's reader takes a struct for NULL if a file has none of the fields that are read.
    def hasNewFields = schema.columns.asScala.exists { column =>
      def ids = TypeUtil.indexById(Types.StructType.of(column)).keySet.asScala
      def isNew(earlier: Schema) = earlier.findField(column.fieldId) != null &&
        ids.exists(earlier.findField(_) == null)
      relation.output.exists(of => of.name == column.name && read(of.exprId)) &&
      (table.schemas.values.asScala.exists(isNew) || !areSchemasKnown && column.`type`.isNestedType)
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
  private def refusal(relation: DataSourceV2Relation): Option[String] = relation.table match {
    case table: SupportsRead =>
      Try(table.newScanBuilder(relation.options)).failed.toOption.map(_.toString)
    case _ => None
  }

  private def reasonToDecline(
      session: classic.SparkSession,
      tasks: Seq[FileScanTask],
      pinned: Pinned
  ): Option[String] = {
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
    tasks.iterator
      .flatMap { task =>
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
          hasOwnSettings -> "its catalog has settings of file systems that the session does not have"
        ).collectFirst { case (true, reason) => reason }
      }
      .nextOption()
  }

  /**
   * Returns whether a file has the columns by whose values it is partitioned. Iceberg takes these
   * values from its metadata, so that it can add files that do not have them.
   */
  private def hasPartitionColumns(task: FileScanTask, schema: Schema): Boolean = {
    def hasSize(id: Int) = Option(task.file.columnSizes).exists(_.containsKey(id))
    identityColumns(task.spec).filter(id => schema.findField(id) != null).forall(hasSize)
  }

  /** Returns the ids of the columns whose values Iceberg's metadata has for a whole file. */
  private def identityColumns(spec: PartitionSpec): Seq[Int] =
    spec.fields.asScala.toSeq.filter(_.transform.isIdentity).map(_.sourceId)

  /** Returns whether file systems may differ by the settings of a catalog and of a session. */
  private def differ(catalog: Configuration, session: Configuration): Boolean =
    catalog.asScala.map(_.getKey).exists { key =>
      OfFileSystems.exists(key.startsWith(_)) && catalog.getRaw(key) != session.getRaw(key)
    }

  private val OfFileSystems = Seq("fs.", "dfs.", "hadoop.")
}

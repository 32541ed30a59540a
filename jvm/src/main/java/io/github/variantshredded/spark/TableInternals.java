package io.github.variantshredded.spark;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SerdeInfo;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.execution.command.CreateTableLikeCommand;
import org.apache.spark.sql.execution.command.SaveAsV1TableCommand;
import org.apache.spark.sql.execution.datasources.DataSource;
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand;
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Changes tables by Spark's own methods, and raises Spark's own errors. It is written in Java,
 * because these methods are private to Spark's packages in Scala, and public in the byte code.
 */
public final class TableInternals {
  private TableInternals() {}

  /**
   * Returns a session with the settings, views and catalogs of another one, which has its own
   * settings.
   */
  public static SparkSession copyOf(SparkSession session) {
    return session.cloneSession();
  }

  /** Holds a table that is replaced, as it is declared, and the query that gives its rows. */
  public record SavedTable(CatalogTable table, LogicalPlan query) {}

  /**
   * Returns what {@code saveAsTable} with {@code mode("overwrite")} became, if {@code plan} is
   * that. Spark makes such a plan if the format is one of Data Source V1, or that of the table that
   * is replaced.
   */
  public static Optional<SavedTable> overwrittenTable(LogicalPlan plan) {
    if (plan instanceof SaveAsV1TableCommand save && save.mode() == SaveMode.Overwrite) {
      return Optional.of(new SavedTable(save.tableDesc(), save.query()));
    }
    return Optional.empty();
  }

  /**
   * Holds a query whose rows replace a directory, perhaps of a table, and are saved by a format of
   * Data Source V1.
   */
  public record SavedPath(
      Path path,
      scala.collection.immutable.Map<String, String> options,
      Option<TableIdentifier> table,
      LogicalPlan query) {}

  /**
   * Returns the directory that an overwrite by a format of Data Source V1 deletes before
   * it runs its query, if {@code plan} is that. A dynamic overwrite deletes afterwards.
   */
  public static Optional<SavedPath> overwrittenPath(LogicalPlan plan) {
    return replacedPath(plan)
        .filter(path -> !((InsertIntoHadoopFsRelationCommand) plan).dynamicPartitionOverwrite());
  }

  /**
   * Returns the directory whose files an overwrite by a format of Data Source V1 may have deleted
   * at its end, if {@code plan} is that.
   */
  public static Optional<SavedPath> replacedPath(LogicalPlan plan) {
    if (plan instanceof InsertIntoHadoopFsRelationCommand insert
        && insert.mode() == SaveMode.Overwrite) {
      Path path = insert.outputPath();
      for (Attribute column : CollectionConverters.asJava(insert.partitionColumns())) {
        if (insert.staticPartitions().contains(column.name())) {
          String value = insert.staticPartitions().apply(column.name());
          path = new Path(path, ExternalCatalogUtils.getPartitionPathString(column.name(), value));
        }
      }
      Option<TableIdentifier> table = insert.catalogTable().map(CatalogTable::identifier);
      return Optional.of(new SavedPath(path, insert.options(), table, insert.query()));
    }
    return Optional.empty();
  }

  /**
   * Returns the table with other columns, partitioning and properties. Spark 4.2 has moved two of
   * these methods, with another result.
   */
  public static TableInfo changed(
      TableInfo info, Column[] columns, Transform[] partitions, Map<String, String> properties)
      throws ReflectiveOperationException {
    TableInfo.Builder builder =
        new TableInfo.Builder()
            .withPartitions(partitions)
            .withConstraints(info.constraints());
    TableInfo.Builder.class.getMethod("withColumns", Column[].class).invoke(builder, (Object) columns);
    TableInfo.Builder.class.getMethod("withProperties", Map.class).invoke(builder, properties);
    return builder.build();
  }

  /**
   * Returns the catalog of a session that has the name. The manager of catalogs is a class in Spark
   * 4.1 and an interface from 4.2 on, and calls that are compiled for one fail with the other.
   */
  public static CatalogPlugin catalogOf(SparkSession session, String name)
      throws ReflectiveOperationException {
    Object manager = session.sessionState().catalogManager();
    return (CatalogPlugin)
        CatalogManager.class.getMethod("catalog", String.class).invoke(manager, name);
  }

  /** Returns the rows of a query. */
  public static Dataset<Row> rows(SparkSession session, LogicalPlan query) {
    return Dataset.ofRows(session, query);
  }

  /**
   * Returns {@code CREATE TABLE target LIKE source} as Spark's session catalog runs it, if
   * {@code plan} is such a statement on two tables of that catalog. Spark has made a plan of its
   * own for it in version 4.2, and leaves the statement to the catalog if the source is not one of
   * its own.
   */
  public static Optional<CreateTableLikeCommand> tableLike(LogicalPlan plan) {
    if (plan instanceof CreateTableLikeCommand like) {
      return Optional.of(like);
    }
    if (plan.getClass().getName().equals(LIKE)) {
      Map<String, Object> fields = new HashMap<>();
      for (int i = 0; i < plan.productArity(); i++) {
        fields.put(plan.productElementName(i), plan.productElement(i));
      }
      if (fields.get("name") instanceof ResolvedIdentifier target
          && target.catalog() instanceof V2SessionCatalog
          && fields.get("source") instanceof ResolvedTable source
          && source.catalog() instanceof V2SessionCatalog) {
        @SuppressWarnings("unchecked")
        Option<String> location = (Option<String>) fields.get("location");
        @SuppressWarnings("unchecked")
        Option<String> provider = (Option<String>) fields.get("provider");
        @SuppressWarnings("unchecked")
        Option<SerdeInfo> serde = (Option<SerdeInfo>) fields.get("serdeInfo");
        @SuppressWarnings("unchecked")
        scala.collection.immutable.Map<String, String> properties =
            (scala.collection.immutable.Map<String, String>) fields.get("properties");
        scala.collection.immutable.Map<String, String> options =
            location.isEmpty()
                ? scala.collection.immutable.Map$.MODULE$.empty()
                : new scala.collection.immutable.Map.Map1<>("path", location.get());
        CatalogStorageFormat storage = DataSource.buildStorageFormatFromOptions(options);
        return Optional.of(
            new CreateTableLikeCommand(
                identifier(target.identifier()),
                identifier(source.identifier()),
                serde.isEmpty() ? storage : StorageFormats.withSerde(storage, serde.get()),
                provider,
                properties,
                (Boolean) fields.get("ifNotExists")));
      }
    }
    return Optional.empty();
  }

  private static final String LIKE =
      "org.apache.spark.sql.catalyst.plans.logical.CreateTableLike";

  /** Returns the name of a table of Spark's session catalog. */
  public static TableIdentifier identifier(Identifier table) {
    String[] namespace = table.namespace();
    return new TableIdentifier(
        table.name(), namespace.length == 0 ? Option.empty() : Option.apply(namespace[0]));
  }

  /** Returns the schema of a table after the changes of its columns. */
  public static StructType changed(
      StructType schema, TableChange[] changes, Option<String> provider) {
    return CatalogV2Util.applySchemaChanges(
        schema,
        CollectionConverters.asScala(Arrays.asList(changes)).toSeq(),
        provider,
        "ALTER TABLE");
  }

  /** Returns the error {@code UNSUPPORTED_FEATURE.TABLE_OPERATION}. */
  public static Throwable unsupportedOperation(
      CatalogPlugin catalog, Identifier table, String operation) {
    return QueryCompilationErrors.unsupportedTableOperationError(catalog, table, operation);
  }

  /** Returns the error for a table whose rows can only be deleted all at once. */
  public static Throwable unsupportedDelete(Table table) {
    return QueryCompilationErrors.tableDoesNotSupportDeletesError(table);
  }

  /** Returns the error {@code NOT_SUPPORTED_CHANGE_COLUMN}. */
  public static Throwable unsupportedType(String table, StructField column, StructField changed) {
    return QueryCompilationErrors.alterTableChangeColumnNotSupportedForColumnTypeError(
        table, column, changed, CurrentOrigin.get());
  }

  /** Returns the error {@code CANNOT_ALTER_PARTITION_COLUMN}. */
  public static Throwable partitionColumn(String table, String column) {
    return QueryCompilationErrors.cannotAlterPartitionColumn(table, column);
  }

  /** Returns the error for an added column that is {@code NOT NULL}. */
  public static Throwable addedNotNull() {
    return QueryCompilationErrors.addColumnWithV1TableCannotSpecifyNotNullError();
  }

  /** Returns the error for {@code CREATE TABLE ... AS SELECT} on a location that has files. */
  public static Throwable locationNotEmpty(String location) {
    return QueryCompilationErrors.createTableAsSelectWithNonEmptyDirectoryError(location);
  }

  /** Returns the error {@code UNSUPPORTED_OVERWRITE.TABLE}. */
  public static Throwable overwrittenWhileRead(TableIdentifier table) {
    return QueryCompilationErrors.cannotOverwriteTableThatIsBeingReadFromError(table);
  }

  /** Returns the error {@code UNSUPPORTED_OVERWRITE.PATH}. */
  public static Throwable overwrittenWhileRead(Path path) {
    return QueryCompilationErrors.cannotOverwritePathBeingReadFromError(path.toString());
  }

  /**
   * Returns the error for {@code TRUNCATE TABLE} of a table whose files belong to somebody else.
   */
  public static Throwable truncatedExternal(TableIdentifier table) {
    return QueryCompilationErrors.truncateTableOnExternalTablesError(table.quotedString());
  }

  /** Returns the error for a view where a table has to be. */
  public static Throwable replacedView(String view) {
    return QueryCompilationErrors.wrongCommandForObjectTypeError(
        "REPLACE TABLE", "EXTERNAL or MANAGED", view, "VIEW", "DROP VIEW");
  }

  /** Returns whether a catalog has the name of the session catalog. */
  public static boolean isSessionCatalog(CatalogPlugin catalog) {
    return CatalogV2Util.isSessionCatalog(catalog);
  }

  /** Returns the error for {@code STORED AS} with a format that Hive does not know. */
  public static Throwable unknownFormat(SerdeInfo named) {
    return QueryCompilationErrors.invalidFileFormatForStoredAsError(named);
  }

  /** Returns the error for rows that are added to a table at another location than the given one. */
  public static Throwable mismatchedLocation(
      TableIdentifier table, CatalogTable existing, CatalogTable declared) {
    return QueryCompilationErrors.mismatchedTableLocationError(table, existing, declared);
  }

  /** Returns the error for a static partition with an empty value. */
  public static Throwable invalidPartition(String details) {
    return QueryCompilationErrors.invalidPartitionSpecError(details);
  }
}

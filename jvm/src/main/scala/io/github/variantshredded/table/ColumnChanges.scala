package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.{CatalogTables, TableInternals}
import io.github.variantshredded.write.ColumnTypes
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, SessionCatalog}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableChange}
import org.apache.spark.sql.connector.catalog.TableChange._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Runs `ALTER TABLE` on the columns of a table.
 *
 * Files identify columns by name and are not rewritten. So only changes that keep old files valid
 * are accepted. These are the changes that Spark accepts for its Parquet tables; the others end in
 * the same error as there.
 */
private[variantshredded] final class ColumnChanges(
    catalog: CatalogPlugin,
    table: Identifier,
    before: CatalogTable
) {

  private val resolver = SQLConf.get.resolver

  /** Throws Spark's error for the first change that is not accepted. */
  def check(changes: Seq[TableChange]): Unit = {
    if (changes.exists(_.isInstanceOf[DeleteColumn]) && changes.exists(_.isInstanceOf[AddColumn]))
      throw unsupported("REPLACE COLUMNS")
    changes.collectFirst {
      case change: ColumnChange
          if !change.isInstanceOf[AddColumn] && change.fieldNames.length == 1 &&
            isPartition(change.fieldNames.head) =>
        throw TableInternals.partitionColumn(name, change.fieldNames.head)
    }
    changes.foreach {
      case add: AddColumn             => checkNew(add)
      case _: DeleteColumn            => throw unsupported("DROP COLUMN")
      case _: RenameColumn            => throw unsupported("RENAME COLUMN")
      case change: UpdateColumnType   => checkType(change)
      case _: UpdateColumnNullability => throw unsupported("ALTER COLUMN ... SET NOT NULL")
      case _: UpdateColumnPosition    => throw unsupported("ALTER COLUMN ... FIRST | AFTER")
      case _: ClusterBy               => throw PartitionColumns.clustering
      case _: AddConstraint           => throw unsupported("ADD CONSTRAINT")
      case _: DropConstraint          => throw unsupported("DROP CONSTRAINT")
      case _                          => ()
    }
  }

  /**
   * Returns the action that makes the changes; None if no change is about columns.
   *
   * @param checkChanged
   *   checks the schema that the table is to have
   */
  def apply(
      tables: SessionCatalog,
      changes: Seq[TableChange],
      checkChanged: StructType => Unit
  ): Option[() => Unit] =
    if (!changes.exists(_.isInstanceOf[ColumnChange])) None
    else if (before.schema.isEmpty)
      throw VariantShreddedErrors.unsupported(
        s"ALTER TABLE on the columns of $name, which come from the files,",
        "Declare the columns in CREATE TABLE."
      )
    else {
      // Spark lists the formats whose readers fill in defaults; this one reads them as Parquet does.
      val changed = TableInternals.changed(before.schema, changes.toArray, Some("parquet"))
      changed.foreach(ColumnTypes.check)
      checkChanged(changed)
      Some { () =>
        // Spark's catalogs keep partition columns at the end, unless a table was created otherwise.
        if (hasPartitionsLast) tables.alterTableSchema(before.identifier, partitionsLast(changed))
        else tables.alterTable(CatalogTables.withSchema(before, changed))
      }
    }

  private def checkNew(add: AddColumn): Unit = {
    if (add.fieldNames.length > 1) throw unsupported("ADD COLUMN with qualified column")
    if (!add.isNullable) throw TableInternals.addedNotNull()
  }

  private def checkType(change: UpdateColumnType): Unit = {
    val names = change.fieldNames.toSeq
    def isKept(old: DataType) = if (names.size == 1) sameText(old, change.newDataType) else false
    // A CHAR or VARCHAR is a string with a limit in the metadata of its column.
    typeOf(CharVarcharUtils.getRawSchema(before.schema), names)
      .filterNot(old => old == change.newDataType || isKept(old))
      .foreach { old =>
        def field(dataType: DataType) = StructField(names.mkString("."), dataType)
        throw TableInternals.unsupportedType(name, field(old), field(change.newDataType))
      }
  }

  // Files do not depend on the collation of a string, only comparisons do.
  private def sameText(old: DataType, changed: DataType): Boolean = (old, changed) match {
    case (from: StringType, to: StringType) => from.constraint == to.constraint
    case _                                  => false
  }

  // As Spark's own errors about these tables print it.
  private def name: String = before.identifier.nameParts.map(PartitionColumns.quoted).mkString(".")

  private def typeOf(within: DataType, names: Seq[String]): Option[DataType] =
    (within, names) match {
      case (found, Seq())                     => Some(found)
      case (StructType(fields), name +: rest) =>
        fields.find(field => resolver(field.name, name)).flatMap(f => typeOf(f.dataType, rest))
      case (ArrayType(element, _), "element" +: rest) => typeOf(element, rest)
      case (MapType(key, _, _), "key" +: rest)        => typeOf(key, rest)
      case (MapType(_, value, _), "value" +: rest)    => typeOf(value, rest)
      case _                                          => None
    }

  private def isPartition(column: String): Boolean =
    before.partitionColumnNames.exists(resolver(_, column))

  private def hasPartitionsLast: Boolean =
    before.schema.fieldNames.toSeq.endsWith(before.partitionColumnNames)

  private def partitionsLast(schema: StructType): StructType = {
    val (partitions, data) = schema.partition(field => isPartition(field.name))
    StructType(data ++ partitions)
  }

  private def unsupported(operation: String): Throwable =
    TableInternals.unsupportedOperation(catalog, table, operation)
}

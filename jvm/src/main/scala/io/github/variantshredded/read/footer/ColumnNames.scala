package io.github.variantshredded.read.footer

import java.util.Locale

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedErrors}
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.shredding.layout.ListElement
import org.apache.parquet.schema.{GroupType, MessageType, PrimitiveType, Type, Types}
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  ListLogicalTypeAnnotation,
  MapKeyValueTypeAnnotation,
  MapLogicalTypeAnnotation
}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetUtils}
import org.apache.spark.sql.types._

/**
 * Gives the columns of files the names that they have in their table. In a Delta table with column
 * mapping, and in a table of Iceberg, a column can have another name in the files than in the table,
 * also inside structs.
 *
 * @param table
 *   the columns with the names of the table
 * @param stored
 *   the same columns with the names of the files, and with their Parquet field ids if they are found
 *   by these
 */
final case class ColumnNames(table: StructType, stored: StructType, caseSensitive: Boolean) {
  import ColumnNames._

  /**
   * Returns the schema of a file with the names of the table. Columns that the table does not have
   * get a name that no column of the table has.
   */
  def rename(schema: MessageType): MessageType = {
    if (ParquetUtils.hasFieldIds(stored) && !ParquetReadSupport.containsFieldIds(schema)) {
      throw corrupt(
        "The table finds columns by their field ids, but the file has none. Set the property " +
          s"`${ReadOptions.TakeOverOption.name}` of the table to false to read it without this source.",
        Nil
      )
    }
    new MessageType(schema.getName, fields(schema, table, stored, Nil).asJava)
  }

  private def fields(
      group: GroupType,
      table: StructType,
      stored: StructType,
      path: Seq[String]
  ): Seq[Type] = {
    val found = group.getFields.asScala.toIndexedSeq
    val lookup = new Lookup(found, path)
    val fields = Array.fill(found.size)(Option.empty[Int])
    // Two fields with the same name take the column for the first.
    stored.indices.reverse.foreach(i => lookup.find(stored(i)).foreach(fields(_) = Some(i)))
    found.zip(fields).map {
      case (column, None)        => named(column, Unknown + column.getName)
      case (column, Some(field)) =>
        named(
          inside(column, table(field).dataType, stored(field).dataType, path :+ column.getName),
          table(field).name
        )
    }
  }

  /** Finds the columns of a file that fields of the table name. */
  private final class Lookup(columns: IndexedSeq[Type], path: Seq[String]) {
    private lazy val byId = by(columns.indices.filter(columns(_).getId != null))(_.getId.intValue)
    private lazy val byName = by(columns.indices)(_.getName)
    private lazy val byLowerName = by(columns.indices)(_.getName.toLowerCase(Locale.ROOT))

    private def by[K](indexes: Seq[Int])(key: Type => K): Map[K, Seq[Int]] =
      indexes.groupBy(i => key(columns(i)))

    /** Returns the index of the column, or None if the file does not have it. */
    def find(field: StructField): Option[Int] = {
      val found =
        if (ParquetUtils.hasFieldId(field)) byId.get(ParquetUtils.getFieldId(field))
        else if (caseSensitive) byName.get(field.name)
        else byName.get(field.name).orElse(byLowerName.get(field.name.toLowerCase(Locale.ROOT)))
      found.map {
        case Seq(i) => i
        case _      =>
          throw corrupt("Several columns of the file are the same column of the table.", path)
      }
    }
  }

  private def inside(
      column: Type,
      table: DataType,
      stored: DataType,
      path: Seq[String]
  ): Type = (table, stored) match {
    case _ if !hasFields(table)                                           => column
    case (inTable: StructType, inFile: StructType) if !column.isPrimitive =>
      val group = column.asGroupType
      group.withNewFields(fields(group, inTable, inFile, path).asJava)
    case (inTable: ArrayType, inFile: ArrayType) if isList(column) =>
      val list = column.asGroupType
      val repeated = list.getType(0)
      def element(of: Type) = inside(of, inTable.elementType, inFile.elementType, path)
      list.withNewFields(
        if (ListElement.isRepeated(list, repeated)) element(repeated)
        else repeated.asGroupType.withNewFields(element(repeated.asGroupType.getType(0)))
      )
    case (inTable: ArrayType, inFile: ArrayType) if ListElement.isBareList(column) =>
      inside(column, inTable.elementType, inFile.elementType, path)
    case (inTable: MapType, inFile: MapType) if isMap(column) =>
      val map = column.asGroupType
      val entries = map.getType(0).asGroupType
      map.withNewFields(
        entries.withNewFields(
          inside(entries.getType(0), inTable.keyType, inFile.keyType, path),
          inside(entries.getType(1), inTable.valueType, inFile.valueType, path)
        )
      )
    case _ => throw corrupt(s"The column does not have the type ${table.catalogString}.", path)
  }

  private def corrupt(reason: String, path: Seq[String]) = VariantShreddedErrors.corruptFile(
    reason,
    ErrorLocation(column = Option.when(path.nonEmpty)(path.mkString(".")))
  )
}

object ColumnNames {

  // A table cannot have such a column: SQL and Hive's metastore do not accept the character.
  private final val Unknown = "\u0000"

  private def hasFields(dataType: DataType): Boolean = dataType match {
    case _: StructType    => true
    case array: ArrayType => hasFields(array.elementType)
    case map: MapType     => hasFields(map.keyType) || hasFields(map.valueType)
    case _                => false
  }

  private def isList(column: Type): Boolean = !column.isPrimitive &&
    column.getLogicalTypeAnnotation.isInstanceOf[ListLogicalTypeAnnotation] &&
    column.asGroupType.getFieldCount == 1

  private def isMap(column: Type): Boolean = !column.isPrimitive &&
    (column.getLogicalTypeAnnotation match {
      // Old writers put the second annotation, which is for the entries, on the map itself.
      case _: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation => true
      case _                                                          => false
    }) && column.asGroupType.getFieldCount == 1 && !column.asGroupType.getType(0).isPrimitive &&
    column.asGroupType.getType(0).asGroupType.getFieldCount == 2

  private def named(column: Type, name: String): Type =
    if (column.getName == name) column
    else {
      val renamed: Type =
        if (column.isPrimitive) renamedPrimitive(column.asPrimitiveType, name)
        else {
          Types
            .buildGroup(column.getRepetition)
            .as(column.getLogicalTypeAnnotation)
            .addFields(column.asGroupType.getFields.asScala.toSeq: _*)
            .named(name)
        }
      if (column.getId == null) renamed else renamed.withId(column.getId.intValue)
    }

  private def renamedPrimitive(column: PrimitiveType, name: String): PrimitiveType =
    Types
      .primitive(column.getPrimitiveTypeName, column.getRepetition)
      .as(column.getLogicalTypeAnnotation)
      .columnOrder(column.columnOrder)
      .length(column.getTypeLength)
      .named(name)
}

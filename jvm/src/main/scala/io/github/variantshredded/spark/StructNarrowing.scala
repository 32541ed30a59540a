package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

/** Finds the fields of struct columns that expressions use, by Spark's nested schema pruning. */
private[variantshredded] object StructNarrowing {

  /**
   * Returns whether a struct is null in a file that has none of the fields that the query reads of
   * it, by Spark's legacy setting; and so is a list or map of such structs.
   */
  def isNullByFieldsRead: Boolean =
    SQLConf.get.getConf(SQLConf.LEGACY_PARQUET_RETURN_NULL_STRUCT_IF_ALL_FIELDS_MISSING)

  /**
   * Returns the columns by name, with only those fields that the expressions use. A column that no
   * expression uses keeps all of its fields. All columns do with Spark's legacy setting by which a
   * struct is null in a file that has none of the fields that are read of it.
   *
   * @param schema
   *   the columns; their names are those of `columns`
   * @param columns
   *   the same columns in the expressions. Other columns may have the same names.
   */
  def used(
      schema: StructType,
      columns: Seq[Attribute],
      expressions: Seq[Expression]
  ): Map[String, StructField] = {
    val known = AttributeSet(columns)
    val onColumns = expressions
      .map(naming(columns))
      .map(_.transform {
        case other: Attribute if !known.contains(other) => Literal(null, other.dataType)
      })
    val roots = SchemaPruning.identifyRootFields(Nil, onColumns)
    val narrowed =
      if (isNullByFieldsRead || roots.isEmpty) schema
      else SchemaPruning.pruneSchema(schema, roots)
    narrowed.map(field => field.name -> field).toMap
  }

  /**
   * Returns what makes expressions name the columns as `columns` does. A query may write them in
   * another case, and Spark's nested schema pruning compares names exactly.
   */
  def naming(columns: Seq[Attribute]): Expression => Expression = {
    val names = AttributeMap(columns.map(column => column -> column.name))
    _.transform {
      case column: Attribute if names.get(column).exists(_ != column.name) =>
        column.withName(names(column))
    }
  }
}

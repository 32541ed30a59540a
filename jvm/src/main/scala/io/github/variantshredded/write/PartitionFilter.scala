package io.github.variantshredded.write

import io.github.variantshredded.{VariantShreddedErrors, VariantShreddedException}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal => CatalystLiteral}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructField
import org.apache.spark.unsafe.types.UTF8String

/**
 * Which partitions an overwrite replaces: those whose columns have all of the values.
 *
 * @param columns
 *   all partition columns, in the order of the directories
 * @param values
 *   place in `columns` and the value that is wanted there, null for a partition of nulls
 */
private[write] final case class PartitionFilter(
    columns: Seq[StructField],
    values: Seq[(Int, CatalystLiteral)],
    timeZone: String
) {

  /** Whether every partition is taken. */
  def isAll: Boolean = values.isEmpty

  /**
   * Whether the file lies in a partition that is taken.
   *
   * @param directories
   *   names of the directories between the table and the file, such as `day=2024-01-01`
   */
  def matches(directories: Seq[String]): Boolean = values.forall { case (column, wanted) =>
    column < directories.size && valueOf(columns(column), directories(column)).exists { found =>
      if (wanted.value == null) found == null
      else found != null && wanted.dataType == columns(column).dataType && found == wanted.value
    }
  }

  // The Some of null is a partition of nulls, None a directory of another name.
  private def valueOf(column: StructField, directory: String): Option[Any] =
    directory.split("=", 2) match {
      case Array(name, value)
          if SQLConf.get.resolver(ExternalCatalogUtils.unescapePathName(name), column.name) =>
        Some(
          if (value == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null
          else {
            val text = CatalystLiteral(ExternalCatalogUtils.unescapePathName(value))
            Cast(text, column.dataType, Some(timeZone), EvalMode.TRY).eval()
          }
        )
      case _ => None
    }
}

private[write] object PartitionFilter {

  /** Takes every file. */
  val All: PartitionFilter = PartitionFilter(Nil, Nil, "UTC")

  /**
   * The filter for `predicates`, all of which have to hold; None if one of them is more than a
   * comparison of a partition column with one value.
   */
  def apply(
      predicates: Seq[Predicate],
      columns: Seq[StructField],
      timeZone: String
  ): Option[PartitionFilter] = {
    def column(expression: Expression): Option[Int] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 =>
        val found =
          columns.indexWhere(field => SQLConf.get.resolver(field.name, reference.fieldNames.head))
        if (found < 0) None else Some(found)
      case _ => None
    }
    def conditions(predicate: Expression): Option[Seq[(Int, CatalystLiteral)]] = predicate match {
      case p: Predicate =>
        (p.name, p.children.toSeq) match {
          case ("ALWAYS_TRUE", _)        => Some(Nil)
          case ("AND", Seq(left, right)) =>
            for (a <- conditions(left); b <- conditions(right)) yield a ++ b
          case ("IS_NULL", Seq(reference)) =>
            column(reference).map(i => Seq(i -> CatalystLiteral(null, columns(i).dataType)))
          case ("=" | "<=>", Seq(reference, literal: Literal[_])) =>
            val value = CatalystLiteral(emptyToNull(literal.value), literal.dataType)
            // Nothing is equal to null, which is no partition that could be replaced.
            if (p.name == "=" && literal.value == null) None
            else column(reference).map(i => Seq(i -> value))
          case _ => None
        }
      case _ => None
    }
    predicates
      .map(conditions)
      .foldLeft(Option(Seq.empty[(Int, CatalystLiteral)])) { (all, next) =>
        for (a <- all; b <- next) yield a ++ b
      }
      .map(PartitionFilter(columns, _, timeZone))
  }

  /** Rows with an empty string go to the partition of nulls. */
  private def emptyToNull(value: Any): Any = value match {
    case text: UTF8String if text.numBytes == 0 => null
    case other                                  => other
  }

  def unsupported(predicates: Array[Predicate]): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"Overwriting where ${predicates.mkString(" AND ")}",
      "Only partition columns can be compared, each with one value."
    )

  /** Names of the directories from `root` to the one that holds `file`. */
  def directories(root: Path, file: Path): Seq[String] = {
    def up(path: Path, names: List[String]): List[String] =
      if (path == null || path == root) names else up(path.getParent, path.getName :: names)
    up(file.getParent, Nil)
  }
}

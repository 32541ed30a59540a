package io.github.variantshredded.write

import io.github.variantshredded.directory.PartitionDirectories
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{EqualNullSafe, Literal => CatalystLiteral}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructField

/**
 * Selects the partitions that an overwrite replaces: those whose columns have all of the values.
 *
 * @param columns
 *   all partition columns, in the order of the directories
 * @param values
 *   index in `columns` and the value to find, of the column's type; null for the partition of nulls
 */
private[write] final case class PartitionFilter(
    columns: Seq[StructField],
    values: Seq[(Int, CatalystLiteral)],
    timeZone: String
) {

  /** Returns whether every partition is selected. */
  def isAll: Boolean = values.isEmpty

  private val directories = PartitionDirectories(columns, timeZone)

  private lazy val wanted = values.map { case (column, value) =>
    (column, value, directories.text(value))
  }

  /**
   * Returns whether the file is in a selected partition.
   *
   * @param names
   *   names of the directories between the table and the file, such as `day=2024-01-01`
   */
  def matches(names: Seq[String]): Boolean =
    wanted.forall { case (column, _, _) => column < names.size } && mayMatch(names)

  /**
   * Returns whether a directory can hold files in a selected partition.
   *
   * @param names
   *   names of the directories between the table and what is in the directory
   */
  def mayMatch(names: Seq[String]): Boolean = wanted.forall { case (column, value, text) =>
    column >= names.size || isPartition(columns(column), value, text, names(column))
  }

  /**
   * Returns whether rows with the value, or with an equal one, are written to the directory. The
   * text is compared too, because the name of a binary value need not contain all of its bytes.
   */
  private def isPartition(
      column: StructField,
      value: CatalystLiteral,
      text: String,
      directory: String
  ): Boolean = directories.value(column, directory).exists { found =>
    directory.drop(directory.indexOf('=') + 1) == text || EqualNullSafe(found, value).eval() == true
  }
}

private[variantshredded] object PartitionFilter {

  /** Selects every file. */
  val All: PartitionFilter = PartitionFilter(Nil, Nil, "UTC")

  /**
   * Returns the filter for `predicates`, all of which have to hold; None if one of them is more
   * than a comparison of a partition column with one value.
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
    def equalities(predicate: Expression): Option[Seq[(Int, CatalystLiteral)]] = predicate match {
      case p: Predicate =>
        (p.name, p.children.toSeq) match {
          case ("ALWAYS_TRUE", _)        => Some(Nil)
          case ("AND", Seq(left, right)) =>
            for (a <- equalities(left); b <- equalities(right)) yield a ++ b
          case ("IS_NULL", Seq(reference)) =>
            column(reference).map(i => Seq(i -> CatalystLiteral(null, columns(i).dataType)))
          // Nothing is equal to null, so there is no partition to replace.
          case ("=", Seq(_, literal: Literal[_])) if literal.value == null => None
          case ("=" | "<=>", Seq(reference, literal: Literal[_]))          =>
            for {
              i <- column(reference)
              if literal.value == null || literal.dataType == columns(i).dataType
            } yield {
              if (PartitionDirectories.isEmpty(literal.value))
                throw PartitionDirectories.emptyValue(columns(i).name)
              Seq(i -> CatalystLiteral(literal.value, columns(i).dataType))
            }
          case _ => None
        }
      case _ => None
    }
    predicates
      .map(equalities)
      .foldLeft(Option(Seq.empty[(Int, CatalystLiteral)])) { (all, next) =>
        for (a <- all; b <- next) yield a ++ b
      }
      .map(PartitionFilter(columns, _, timeZone))
  }

  def unsupported(predicates: Array[Predicate]): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"Overwriting where ${predicates.mkString(" AND ")}",
      "Only partition columns can be compared, each with one value."
    )

  /** Returns the names of the directories from `root` to the one that holds `file`. */
  def directories(root: Path, file: Path): Seq[String] = {
    def up(path: Path, names: List[String]): List[String] =
      if (path == null || path == root) names else up(path.getParent, path.getName :: names)
    up(file.getParent, Nil)
  }
}

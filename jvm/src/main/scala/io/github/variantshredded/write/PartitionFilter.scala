package io.github.variantshredded.write

import io.github.variantshredded.directory.PartitionDirectories
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{EqualNullSafe, Literal => CatalystLiteral}
import org.apache.spark.sql.catalyst.util.{CharVarcharCodegenUtils, CharVarcharUtils}
import org.apache.spark.sql.connector.expressions.{
  Expression,
  GeneralScalarExpression,
  Literal,
  NamedReference
}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BooleanType, CharType, StructField, VarcharType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Selects the partitions that an overwrite replaces: those whose columns have all of the values.
 *
 * @param columns
 *   all partition columns, in the order of the directories
 * @param values
 *   the values to find
 */
private[write] final case class PartitionFilter(
    columns: Seq[StructField],
    values: Seq[PartitionFilter.Wanted],
    timeZone: String
) {

  /** Returns whether every partition is selected. */
  def isAll: Boolean = values.isEmpty

  private val directories = PartitionDirectories(columns, timeZone)

  private lazy val named = values.map(wanted => (wanted, directories.text(wanted.value)))

  /**
   * Returns whether the file is in a selected partition.
   *
   * @param names
   *   names of the directories between the table and the file, such as `day=2024-01-01`
   */
  def matches(names: Seq[String]): Boolean =
    values.forall(_.column < names.size) && mayMatch(names)

  /**
   * Returns whether a directory can hold files in a selected partition.
   *
   * @param names
   *   names of the directories between the table and what is in the directory
   */
  def mayMatch(names: Seq[String]): Boolean = named.forall { case (wanted, text) =>
    wanted.column >= names.size || isPartition(wanted, text, names(wanted.column))
  }

  /**
   * Returns whether rows with the value, or with an equal one, are written to the directory. The
   * text is compared too, because the name of a binary value need not contain all of its bytes.
   */
  private def isPartition(
      wanted: PartitionFilter.Wanted,
      text: String,
      directory: String
  ): Boolean = directories.value(columns(wanted.column), directory).exists { found =>
    directory.drop(directory.indexOf('=') + 1) == text ||
    EqualNullSafe(wanted.padded(found), wanted.value).eval() == true
  }
}

private[variantshredded] object PartitionFilter {

  /**
   * Names a value that a partition column is to have.
   *
   * @param column
   *   index in the partition columns
   * @param value
   *   of the column's type; null for the partition of nulls
   * @param length
   *   length to which the texts of a CHAR column are padded before they are compared; 0 for other
   *   columns
   */
  final case class Wanted(column: Int, value: CatalystLiteral, length: Int = 0) {

    def padded(found: CatalystLiteral): CatalystLiteral = found.value match {
      case text: UTF8String if length > 0 =>
        CatalystLiteral(CharVarcharCodegenUtils.readSidePadding(text, length), found.dataType)
      case _ => found
    }
  }

  private val Space = UTF8String.fromString(" ")

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
    // The column of a comparison, and the length to which Spark pads its texts for it.
    def operand(expression: Expression): Option[(Int, Option[Int])] = expression match {
      case padding: GeneralScalarExpression if padding.name == "RPAD" =>
        padding.children.toSeq match {
          case Seq(reference, length: Literal[_], filler: Literal[_]) if filler.value == Space =>
            Some(length.value).collect { case n: Int => n }.flatMap { n =>
              column(reference).map(_ -> Some(n))
            }
          case _ => None
        }
      case _ => column(expression).map(_ -> None)
    }
    def equalities(predicate: Expression): Option[Seq[Wanted]] = predicate match {
      case p: Predicate =>
        (p.name, p.children.toSeq) match {
          case ("ALWAYS_TRUE", _)        => Some(Nil)
          case ("AND", Seq(left, right)) =>
            for (a <- equalities(left); b <- equalities(right)) yield a ++ b
          case ("IS_NULL", Seq(reference)) =>
            column(reference).map(i => Seq(Wanted(i, CatalystLiteral(null, columns(i).dataType))))
          // Nothing is equal to null, so there is no partition to replace.
          case ("=", Seq(_, literal: Literal[_])) if literal.value == null => None
          case (name @ ("=" | "<=>"), Seq(left, literal: Literal[_]))      =>
            for {
              (i, padding) <- operand(left)
              if literal.value == null || literal.dataType == columns(i).dataType
              wanted <- wantedOf(columns(i), i, literal.value, padding, isNullSafe = name == "<=>")
            } yield Seq(wanted)
          // Spark writes `flag = false` in this form.
          case ("NOT", Seq(negated: Predicate)) if negated.name == "=" =>
            negated.children.toSeq match {
              case Seq(reference, literal: Literal[_]) if literal.value != null =>
                for (i <- column(reference) if columns(i).dataType == BooleanType)
                  yield Seq(Wanted(i, CatalystLiteral(literal.value == false, BooleanType)))
              case _ => None
            }
          case _ => None
        }
      case _ => None
    }
    predicates
      .map(equalities)
      .foldLeft(Option(Seq.empty[Wanted])) { (all, next) =>
        for (a <- all; b <- next) yield a ++ b
      }
      .map(PartitionFilter(columns, _, timeZone))
  }

  /**
   * Returns the value that a comparison asks for; None if it compares a part of a text, or texts
   * that are longer than the column.
   *
   * A text with excess trailing spaces is written to a CHAR or VARCHAR column without them, and one
   * that is too short for a CHAR column is written with spaces behind it. Spark does not change the
   * value of a clause `PARTITION (p = 'x')` in this way, which it passes on as `p <=> 'x'`. For a
   * CHAR column, Spark pads the text of a comparison, but not that of each `REPLACE WHERE`.
   *
   * @param padding
   *   length to which Spark pads the texts of the column for the comparison
   */
  private def wantedOf(
      column: StructField,
      i: Int,
      value: Any,
      padding: Option[Int],
      isNullSafe: Boolean
  ): Option[Wanted] = {
    if (PartitionDirectories.isEmpty(value)) throw PartitionDirectories.emptyValue(column.name)
    val declared =
      if (SQLConf.get.charVarcharAsString) None else CharVarcharUtils.getRawType(column.metadata)
    def wanted(value: Any, length: Int = 0) =
      Some(Wanted(i, CatalystLiteral(value, column.dataType), length))
    def isWhole(text: UTF8String, length: Int) =
      padding.forall(n => length <= n && n == text.numChars)
    (declared, value) match {
      case (Some(char: CharType), text: UTF8String) if isWhole(text, char.length) =>
        val written =
          CharVarcharCodegenUtils.readSidePadding(trimmed(text, char.length), char.length)
        wanted(written, if (padding.nonEmpty || padsColumns) char.length else 0)
      case _ if padding.nonEmpty                                        => None
      case (Some(varchar: VarcharType), text: UTF8String) if isNullSafe =>
        wanted(trimmed(text, varchar.length))
      case _ => wanted(value)
    }
  }

  /** Returns the text without excess trailing spaces. */
  private def trimmed(text: UTF8String, length: Int): UTF8String = {
    val excess = text.numChars - length
    if (excess > 0) text.trimTrailingSpaces(excess) else text
  }

  /** Returns whether Spark pads the texts of a CHAR column when it compares them. */
  private def padsColumns: Boolean =
    !SQLConf.get.getConf(SQLConf.LEGACY_NO_CHAR_PADDING_IN_PREDICATE)

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

package io.github.variantshredded.predicate

import scala.collection.mutable

import io.github.variantshredded.extraction.{Extractable, NullRejection, ScanExtraction}
import io.github.variantshredded.shredding.VariantTypes
import io.github.variantshredded.spark.{StructDefaults, StructNarrowing}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.StructType

/**
 * Holds the predicates of a query on data columns: those that a scan evaluates, and why it does not
 * evaluate the others.
 *
 * @param pushed
 *   the predicates that the scan evaluates
 * @param declined
 *   the other predicates, each with the reason
 */
final case class Conjuncts(pushed: Seq[Conjunct], declined: Seq[String])

object Conjuncts {

  /** No predicates. */
  val None: Conjuncts = Conjuncts(Nil, Nil)

  /**
   * Returns the predicates for a scan.
   *
   * @param filters
   *   predicates over the columns of `dataSchema`; all of them hold in each row of the result
   */
  def of(filters: Seq[Expression], dataSchema: StructType): Conjuncts = {
    // The test for SQL NULL is redundant if another predicate removes these rows.
    val rejected = NullRejection.rejected(filters.filter(Extractable.notNull(_).isEmpty))
    val wanted = filters.filterNot(Extractable.notNull(_).exists(rejected))
    val (declined, pushed) = wanted.partitionMap { filter =>
      new Builder(filter, dataSchema).build().left.map(reason => s"${text(filter)}: $reason")
    }
    Conjuncts(merged(pushed), declined)
  }

  /** Combines predicates that use the same columns and extractions. */
  private def merged(conjuncts: Seq[Conjunct]): Seq[Conjunct] =
    conjuncts.foldLeft(Vector.empty[Conjunct]) { (before, next) =>
      before.indexWhere(c => c.columns == next.columns && c.extractions == next.extractions) match {
        case -1    => before :+ next
        case index =>
          val first = before(index)
          val both = first.copy(
            predicate = And(first.predicate, next.predicate),
            skipping = SkippingPredicate.And(first.skipping, next.skipping),
            texts = first.texts ++ next.texts
          )
          before.updated(index, both)
      }
    }

  private def text(predicate: Expression): String =
    predicate.transform {
      case lambda: LambdaFunction =>
        val arguments = lambda.arguments.map(_.name)
        val names = if (arguments.size == 1) arguments.head else arguments.mkString("(", ", ", ")")
        new PrettyAttribute(s"$names -> ${text(lambda.function)}", lambda.dataType)
      case variable: NamedLambdaVariable => new PrettyAttribute(variable.name, variable.dataType)
      case column: Attribute             => new PrettyAttribute(column.name, column.dataType)
    }.sql

  private final val AllLevels = "row groups, pages, rows"

  private final class Builder(filter: Expression, dataSchema: StructType) {
    private val extracted = mutable.LinkedHashMap.empty[ScanExtraction, AttributeReference]

    def build(): Either[String, Conjunct] = refusal.toLeft(()).flatMap { _ =>
      replace(filter).flatMap { predicate =>
        val found = conjunct(predicate)
        found.columns
          .find(field => VariantTypes.hasVariant(field.dataType))
          .map(field => s"it looks at ${field.name} as a whole")
          .toLeft(found)
      }
    }

    private def refusal: Option[String] =
      if (!filter.deterministic) Some("it is not deterministic")
      else if (filter.exists(e => SubqueryExpression.hasSubquery(e))) Some("it has a subquery")
      else if (filter.exists(_.isInstanceOf[UserDefinedExpression]))
        Some("it calls a user's function")
      else if (filter.exists(isUnevaluable)) Some("it cannot be evaluated in a scan")
      else if (filter.exists(testsStructForNull) || usesListOfStructs)
        Some("whether a struct is null depends on the fields that the whole query reads")
      else {
        val names = filter.references.toSeq.map(_.name)
        names
          .find(!dataSchema.fieldNames.contains(_))
          .map(name => s"$name is not a column of the files")
          .orElse {
            // Its value in some files may depend on the fields that the whole query reads.
            names
              .find(name => StructDefaults.has(dataSchema(name)))
              .map(name => s"it looks at $name, which has a default value")
          }
      }

    private def isUnevaluable(expression: Expression): Boolean = expression match {
      case _: Attribute   => false
      case _: Unevaluable => true
      case _              => false
    }

    /**
     * Returns whether an expression asks if a struct of the file is null. For this, Spark reads the
     * fields that the other expressions of the query use. Other fields may not be readable, and by
     * Spark's legacy setting they may decide whether the struct is null.
     */
    private def testsStructForNull(expression: Expression): Boolean = {
      def isStored(of: Expression) = StructDefaults.hasStruct(of.dataType) && !of.exists {
        case Extractable(_) => true
        case _              => false
      }
      expression match {
        case IsNull(of)    => isStored(of)
        case IsNotNull(of) => isStored(of)
        case _             => false
      }
    }

    private def usesListOfStructs: Boolean = StructNarrowing.isNullByFieldsRead &&
      filter.references.exists(column => StructDefaults.hasListOfStructs(column.dataType))

    /** Returns the filter with columns in place of extractions. */
    private def replace(expression: Expression): Either[String, Expression] = expression match {
      case Extractable(Left(reason))      => Left(reason)
      case Extractable(Right(extraction)) =>
        val column = filter.references.find(_.exprId == extraction.variant.attribute).get
        val names = column.name +: extraction.variant.names(column.dataType).get
        val path = ScanExtraction(names, extraction.path, extraction.what)
        val value = extracted.getOrElseUpdate(
          path,
          AttributeReference(path.name, extraction.what.dataType)()
        )
        Right(Extractable.replacement(expression, value))
      case other =>
        val children = other.children.map(replace)
        children.collectFirst { case Left(reason) => reason }.toLeft {
          other.withNewChildren(children.collect { case Right(child) => child })
        }
    }

    private def conjunct(predicate: Expression): Conjunct = {
      val columns = filter.references.toSeq.filter { column =>
        predicate.references.contains(column)
      }
      val operands = columns.map(c => c.exprId -> Operand.Column(Seq(c.name), c.dataType)) ++
        extracted.values.zipWithIndex.map { case (value, index) =>
          value.exprId -> Operand.OfVariant(index, value.dataType)
        }
      val (schema, narrowed) = withoutUnusedFields(columns, predicate)
      val inputs = schema.zip(columns).map { case (field, column) =>
        column.withDataType(field.dataType)
      }
      val skipping = new SkippingTranslator(operands.toMap[ExprId, Operand]).of(predicate)
      Conjunct(
        StructType(schema),
        extracted.keys.toSeq,
        BindReferences.bindReference(narrowed, AttributeSeq(inputs ++ extracted.values)),
        skipping,
        Seq(s"${text(predicate)} by ${levels(predicate, skipping)}")
      )
    }

    /** Returns the levels (row groups, pages, rows) at which the predicate can skip data. */
    private def levels(predicate: Expression, skipping: SkippingPredicate): String =
      predicate match {
        case _ if skipping == SkippingPredicate.Unknown     => "rows"
        case _: IsNotNull | Not(_: IsNull)                  => AllLevels
        case _ if SkippingPredicate.looksForNulls(skipping) =>
          "rows, nulls also by row groups, pages"
        case _ => AllLevels
      }

    /** Returns the columns without unused struct fields, and the predicate over them. */
    private def withoutUnusedFields(columns: Seq[Attribute], predicate: Expression) = {
      val fields = columns.map(c => dataSchema(c.name))
      val used = StructNarrowing.used(StructType(fields), columns, Seq(predicate))
      val pruned = fields.map(field => used(field.name))
      val changed = pruned.zip(fields).zip(columns).collect {
        case ((now, before), column) if now.dataType != before.dataType => now -> column
      }
      if (changed.isEmpty) (fields, predicate)
      else {
        val narrow = ProjectionOverSchema(
          StructType(changed.map(_._1)),
          AttributeSet(changed.map(_._2))
        )
        (pruned, predicate.transform { case narrow(field) => field })
      }
    }
  }
}

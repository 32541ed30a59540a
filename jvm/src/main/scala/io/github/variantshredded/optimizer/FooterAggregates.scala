package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.{ExtractionResult, ValueOrError}
import io.github.variantshredded.read.file.SummaryPlan
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.spark.Conjunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Lets footers answer `count`, `min` and `max`, per row group: the scan returns summary rows
 * ([[SummaryPlan]]) for the row groups whose statistics are exact, and all rows of the others.
 *
 * {{{
 * Aggregate [count(a), max(a)]           Aggregate [sum(coalesce(__values_0, if (a is null) 0 else 1)), max(a)]
 * +- Filter (a > 5)                 =>   +- Filter (__rows is not null OR a > 5)
 *    +- scan [a]                            +- scan [a, __rows, __values_0]
 * }}}
 *
 * Rows are grouped by partition columns only, or not at all. A scan that reads no column, as for
 * `count(*)`, stays as it is. Predicates compare columns with
 * constants, so that one that holds for the least and the greatest value holds for all between.
 */
private[optimizer] object FooterAggregates {

  def apply(plan: LogicalPlan): LogicalPlan =
    if (!ReadOptions.setting(ReadOptions.AggregateFooters, SQLConf.get)) plan
    else
      plan.transformUpWithPruning(_.containsPattern(AGGREGATE)) { case aggregate: Aggregate =>
        rewritten(aggregate).getOrElse(aggregate)
      }

  private def rewritten(aggregate: Aggregate): Option[LogicalPlan] = aggregate.child match {
    case PhysicalOperation(columns, filters, ScanNode(node))
        if node.relation.isInstanceOf[DataSourceV2ScanRelation] &&
          columns.forall(_.isInstanceOf[Attribute]) =>
      new Rewriting(aggregate, filters, node).result
    case _ => None
  }

  private final class Rewriting(aggregate: Aggregate, filters: Seq[Expression], node: ScanNode) {
    private val scan = node.scan
    private val dataColumns = node.output.take(scan.readDataSchema.size)
    private val partitionColumns =
      AttributeSet(
        node.output.slice(dataColumns.size, dataColumns.size + scan.readPartitionSchema.size)
      )

    private val calls = aggregate.aggregateExpressions.flatMap(_.collect {
      case call: AggregateExpression => call
    })
    private val predicates = filters.flatMap(Conjunction.split)

    // The columns in the order of their first use, and whether their bounds are needed.
    private val uses: Seq[(Attribute, Boolean)] =
      calls.flatMap(used) ++ predicates.flatMap(_.references.toSeq.filter(isColumn)).map(_ -> true)
    private val columns: Seq[Attribute] = uses.map(_._1).distinctBy(_.exprId)

    def result: Option[LogicalPlan] = {
      val isSupported = scan.columns.metadata.isEmpty && scan.pushed.limit.isEmpty &&
        aggregate.groupingExpressions.forall {
          case column: Attribute => partitionColumns.contains(column)
          case _                 => false
        } &&
        calls.forall(call => !call.isDistinct && call.filter.isEmpty && isSupportedCall(call)) &&
        predicates.forall(isMonotone) && columns.nonEmpty &&
        columns.forall(description(_).isDefined) &&
        // Nothing else is read, and nothing else is used.
        node.output.filter(isColumn).forall(column => columns.exists(_.exprId == column.exprId)) &&
        usesOnlyCallsAndGroups
      Option.when(isSupported)(rewrite)
    }

    private def isColumn(attribute: Attribute): Boolean =
      dataColumns.exists(_.exprId == attribute.exprId) ||
        node.extracted.exists(_.exprId == attribute.exprId)

    private def usesOnlyCallsAndGroups: Boolean = aggregate.aggregateExpressions.forall {
      _.transform { case _: AggregateExpression => Literal(null) }.references
        .forall(partitionColumns.contains)
    }

    private def column(argument: Expression): Option[Attribute] = argument match {
      case CountedVariants.Flag(column) if isFlag(column) => Some(column)
      case column: Attribute if isColumn(column) && !isStrict(column) && !isFlag(column) =>
        Some(column)
      case ValueOrError(column: Attribute, _, _) if isColumn(column) => Some(column)
      case _                                                         => None
    }

    // A cast that may fail is only read together with its errors.
    private def isStrict(column: Attribute): Boolean =
      extraction(column).exists {
        case ExtractionResult.Value(target, failOnError, _, _) =>
          failOnError && target != VariantType
        case _ => false
      }

    private def isFlag(column: Attribute): Boolean =
      extraction(column).exists(_.isInstanceOf[ExtractionResult.Flag])

    private def extraction(column: Attribute): Option[ExtractionResult] =
      node.extracted.indexWhere(_.exprId == column.exprId) match {
        case -1    => None
        case index => Some(scan.pushed.extractions(index).what)
      }

    private def isSupportedCall(call: AggregateExpression): Boolean = call.aggregateFunction match {
      case Count(Seq(Literal(value, _))) => value != null
      case Count(Seq(argument))          => column(argument).isDefined
      case Min(argument)                 => column(argument).exists(hasExactBounds)
      case Max(argument)                 => column(argument).exists(hasExactBounds)
      case _                             => false
    }

    private def hasExactBounds(column: Attribute): Boolean = column.dataType match {
      case ByteType | ShortType | IntegerType | LongType | BooleanType => true
      case DateType | TimestampType | TimestampNTZType                 => true
      case _: DecimalType                                              => true
      case _                                                           => false
    }

    private def used(call: AggregateExpression): Seq[(Attribute, Boolean)] =
      call.aggregateFunction match {
        case Count(arguments) => arguments.flatMap(column).map(_ -> false)
        case Min(argument)    => column(argument).map(_ -> true).toSeq
        case Max(argument)    => column(argument).map(_ -> true).toSeq
        case _                => Nil
      }

    private def isMonotone(predicate: Expression): Boolean = predicate match {
      case IsNotNull(argument) => column(argument).exists(hasExactBounds)
      case _: GreaterThan | _: GreaterThanOrEqual | _: LessThan | _: LessThanOrEqual =>
        predicate.children match {
          case Seq(argument, _: Literal) => column(argument).exists(hasExactBounds)
          case Seq(_: Literal, argument) => column(argument).exists(hasExactBounds)
          case _                         => false
        }
      case _ => false
    }

    private def description(of: Attribute): Option[SummaryPlan.Column] = {
      val needsBounds = uses.exists { case (column, bounds) =>
        bounds && column.exprId == of.exprId
      }
      val dataIndex = dataColumns.indexWhere(_.exprId == of.exprId)
      if (dataIndex >= 0) Some(SummaryPlan.OfData(dataIndex, of.dataType, needsBounds))
      else
        extraction(of)
          .collect {
            case ExtractionResult.Value(target, _, _, _) => target
            case ExtractionResult.IsPresent              => VariantType
          }
          .map { target =>
            val index = node.extracted.indexWhere(_.exprId == of.exprId)
            SummaryPlan.OfExtraction(index, target, needsBounds)
          }
    }

    private def rewrite: LogicalPlan = {
      val plan = SummaryPlan(columns.flatMap(description), predicates.map(bound))
      val counts = plan.countFields.map(field => AttributeReference(field.name, field.dataType)())
      val (columnsOfTable, extractions) =
        node.output.splitAt(dataColumns.size + scan.readPartitionSchema.size)
      val output = columnsOfTable ++ counts ++ extractions
      val relation = ScanNode.rebuild(
        node.relation,
        scan.copy(pushed = scan.pushed.copy(summary = Some(plan))),
        output
      )
      val child = filters.reduceOption(And(_, _)).fold[LogicalPlan](relation) { predicate =>
        Filter(Or(IsNotNull(counts.head), predicate), relation)
      }
      aggregate.withNewChildren(Seq(child)).transformExpressions {
        case call @ AggregateExpression(Count(Seq(argument)), _, _, _, _) =>
          val index = column(argument).map(found => columns.indexWhere(_.exprId == found.exprId))
          val one = argument match {
            case CountedVariants.Flag(flag) => If(flag, Literal(1L), Literal(0L))
            case _ if index.isEmpty         => Literal(1L)
            case _                          => If(IsNull(argument), Literal(0L), Literal(1L))
          }
          val count = index.fold(counts.head)(i => counts(i + 1))
          val sum = call.copy(aggregateFunction = new Sum(Coalesce(Seq(count, one))))
          Coalesce(Seq(sum, Literal(0L)))
      }
    }

    /** Returns the predicate on the columns of the summary. */
    private def bound(predicate: Expression): Expression = predicate.transform {
      case argument if column(argument).isDefined =>
        val found = column(argument).get
        BoundReference(
          columns.indexWhere(_.exprId == found.exprId),
          found.dataType,
          nullable = true
        )
    }
  }
}

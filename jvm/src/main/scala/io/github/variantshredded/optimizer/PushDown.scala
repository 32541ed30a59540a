package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.{
  Extractable,
  ExtractionResult,
  NullRejection,
  PlanExtraction,
  PlanVariant,
  ValueOrError
}
import io.github.variantshredded.spark.Conjunction
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Moves extractions from the operators of a plan into its scans.
 *
 * Each operator requests the extractions in its own expressions from the operators below it. It
 * also passes down the requests of the operators above for columns that it passes on. The grants
 * that are returned replace the expressions. The input of unknown operators is not changed.
 */
private[variantshredded] object PushDown {

  /**
   * Returns the plan with extractions moved into its scans.
   *
   * @param requests
   *   the requests of the operators above
   * @param nonNull
   *   Variants whose SQL NULL rows the operators above remove anyway
   */
  def apply(plan: LogicalPlan, requests: Seq[Request], nonNull: Set[PlanVariant]): Pushed =
    plan match {
      case ScanNode(node) =>
        val (relation, grants) = node.add(requests)
        deliver(plan, relation, requests, grants)
      case project: Project              => throughProject(project, requests, nonNull)
      case filter: Filter                => throughFilter(filter, requests, nonNull)
      case join: Join if keepsRows(join) => inside(join)
      case join: Join                    => throughJoin(join, requests, nonNull)
      case union: Union                  => PushDownUnion(union, requests)
      case expand: Expand                => throughExpand(expand, requests)
      case _: Aggregate                  => into(plan, requests = Nil, nonNull = Set.empty)
      case _: Sort | _: SubqueryAlias | _: ResolvedHint =>
        into(plan, requests, nonNull.filter(NullRejection.harmless(plan.expressions, _)))
      case _ if passesOn(plan) => into(plan, requests, nonNull = Set.empty)
      case _                   => inside(plan)
    }

  /** Moves extractions inside the children of an operator, whose columns stay the same. */
  private def inside(plan: LogicalPlan): Pushed =
    Pushed(plan.withNewChildren(plan.children.map(apply(_, Nil, Set.empty).plan)), Map.empty)

  /**
   * Returns whether a join keeps the rows of both sides from one micro-batch to the next. All
   * micro-batches must have the same columns then, also those for which a side has no files and so
   * no scan.
   */
  def keepsRows(join: Join): Boolean = join.left.isStreaming && join.right.isStreaming

  /**
   * Returns whether an operator's output is that of its child, possibly with columns of its own.
   */
  def passesOn(plan: LogicalPlan): Boolean = plan match {
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail | _: Sample     => true
    case _: Window | _: WindowGroupLimit | _: Generate | _: CollectMetrics    => true
    case _: Repartition | _: RepartitionByExpression | _: RebalancePartitions => true
    case _: EventTimeWatermark                                                => true
    case _: BaseEvalPython | _: Sort | _: SubqueryAlias | _: ResolvedHint     => true
    case _                                                                    => false
  }

  /** Returns the extractions in `expressions`, and the columns of postponed extractions. */
  def requestsOf(expressions: Seq[Expression]): Seq[Request] = {
    def find(expression: Expression): Seq[Request] = expression match {
      case Extractable(Right(extraction)) => Seq(Request.Extract(extraction))
      case column: AttributeReference if isPulledOut(column.name) =>
        Seq(Request.Postpone(column.exprId))
      case other => other.children.flatMap(find)
    }
    expressions.flatMap(find).distinct
  }

  /** Returns `expression` with grants in place of extractions. */
  def replace(expression: Expression, grants: Map[Request, Grant]): Expression =
    if (grants.isEmpty) expression
    else {
      def granted(e: Expression): Option[Expression] = e match {
        case Extractable(Right(extraction)) =>
          grants
            .get(Request.Extract(extraction))
            .map(grant => Extractable.replacement(e, grant.value))
        case column: AttributeReference => grants.get(Request.Postpone(column.exprId)).map(_.value)
        case _                          => None
      }
      granted(expression).getOrElse(expression.mapChildren(replace(_, grants)))
    }

  /** Returns `rebuilt` with the output of `plan` and the columns of the requests that were met. */
  def deliver(
      plan: LogicalPlan,
      rebuilt: LogicalPlan,
      requests: Seq[Request],
      grants: Map[Request, Grant]
  ): Pushed = {
    val met = grants.view.filterKeys(requests.toSet).toMap
    val present = plan.output.map(_.exprId)
    val added = requests.flatMap(met.get).flatMap(_.columns).map(_.exprId).distinct
    val wanted = present ++ added.diff(present)
    if (wanted == rebuilt.output.map(_.exprId)) Pushed(rebuilt, met)
    else {
      val columns = rebuilt.output.map(column => column.exprId -> column).toMap
      Pushed(Project(wanted.map(columns), rebuilt), met)
    }
  }

  /**
   * Moves extractions into an operator with one child, and requests on its columns to the child.
   */
  private def into(
      plan: LogicalPlan,
      requests: Seq[Request],
      nonNull: Set[PlanVariant]
  ): Pushed = {
    val child = plan.children.head
    val own = requestsOf(ownExpressions(plan)).filter(r => has(child, r.attribute))
    val passed = requests.filter(r => has(child, r.attribute))
    val below = apply(child, (own ++ passed).distinct, nonNull)
    if ((below.plan eq child) && below.grants.isEmpty) Pushed(plan, Map.empty)
    else {
      val rebuilt = plan.mapExpressions(named(_, below.grants)).withNewChildren(Seq(below.plan))
      val granted = AttributeSet(passed.flatMap(below.grants.get).flatMap(_.columns))
      deliver(plan, keeping(rebuilt, granted), passed, below.grants)
    }
  }

  /**
   * Returns an operator that passes on the columns of its child. A generator may leave out a column of
   * errors, which is needed if this rule runs once more and another extraction shares it.
   */
  private def keeping(plan: LogicalPlan, columns: AttributeSet): LogicalPlan = plan match {
    case generate: Generate =>
      val child = generate.child.output
      val left = generate.unrequiredChildIndex.filterNot(i => columns.contains(child(i)))
      generate.copy(unrequiredChildIndex = left)
    case other => other
  }

  // A column that is a grouping expression is computed for each row, and keeps its name.
  private def ownExpressions(plan: LogicalPlan): Seq[Expression] = plan match {
    case aggregate: Aggregate =>
      val grouping = aggregate.groupingExpressions
      val columns = AttributeSet(grouping.collect { case column: Attribute => column })
      plan.expressions.map(_.transform {
        case column: Attribute if columns.contains(column) => Literal(null, column.dataType)
      })
    case _ => plan.expressions
  }

  private def throughProject(
      project: Project,
      requests: Seq[Request],
      nonNull: Set[PlanVariant]
  ): Pushed = {
    val child = project.child
    val computed = project.projectList.filterNot(_.isInstanceOf[Attribute])
    val translated = requests.flatMap(r => belowProject(project, r).map(r -> _))
    val below = apply(
      child,
      (requestsOf(computed) ++ translated.map(_._2)).distinct,
      nonNull
        .filter(NullRejection.harmless(computed.map(unaliased), _))
        .flatMap(renamed(project, _))
    )
    val list = project.projectList.map(named(_, below.grants).asInstanceOf[NamedExpression])
    val inherited = translated.flatMap { case (r, b) => below.grants.get(b).map(r -> _) }
    val postponed = requests.collect { case r @ Request.Postpone(attribute) =>
      list.collectFirst {
        case alias @ Alias(value: ValueOrError, _) if alias.exprId == attribute =>
          r -> Grant(value)
      }
    }.flatten
    val grants = (inherited ++ postponed).toMap[Request, Grant]
    val present = list.map(_.exprId).toSet
    val added = requests.flatMap(grants.get).flatMap(_.columns).distinct
    val all = list ++ added.filterNot(column => present(column.exprId))
    val unchanged = (below.plan eq child) && all == project.projectList
    Pushed(if (unchanged) project else Project(all, withoutSelection(below.plan)), grants)
  }

  /**
   * Returns the plan below a Project that only selects columns, for another Project. Spark finds a
   * Sort below a Limit only if there is at most one Project between them.
   */
  private def withoutSelection(plan: LogicalPlan): LogicalPlan = plan match {
    case Project(columns, child) if columns.forall(_.isInstanceOf[Attribute]) => child
    case other                                                                => other
  }

  /** Translates a request for a projection's column to a column below the projection. */
  def belowProject(project: Project, request: Request): Option[Request] =
    project.projectList.find(_.exprId == request.attribute).flatMap { definition =>
      (request, unaliased(definition)) match {
        case (Request.Extract(PlanExtraction(variant, path, what)), source) =>
          val column = Extractable.columnPath(source).map { at =>
            PlanExtraction(at.copy(fields = at.fields ++ variant.fields), path, what)
          }
          def extracted = Extractable.subVariant(source).map { case (at, before) =>
            PlanExtraction(at, before ++ path, what.ofExtracted)
          }
          column
            .orElse(if (variant.fields.isEmpty) extracted else None)
            .map(Request.Extract(_))
        case (_: Request.Postpone, column: Attribute) => Some(Request.Postpone(column.exprId))
        case _                                        => None
      }
    }

  private def renamed(project: Project, variant: PlanVariant): Option[PlanVariant] =
    project.projectList.find(_.exprId == variant.attribute).flatMap { definition =>
      Extractable
        .columnPath(unaliased(definition))
        .map(at => at.copy(fields = at.fields ++ variant.fields))
    }

  private def throughFilter(
      filter: Filter,
      requests: Seq[Request],
      nonNull: Set[PlanVariant]
  ): Pushed = {
    val conjuncts = Conjunction.split(filter.condition)
    val (notNull, others) = conjuncts.partition(Extractable.notNull(_).isDefined)
    val dropping = NullRejection.rejected(others) ++
      nonNull.filter(NullRejection.harmless(others, _))
    val droppable = notNull.filter(Extractable.notNull(_).exists(dropping))
    val own = requestsOf(conjuncts.diff(droppable))
    val below = apply(filter.child, (own ++ requests).distinct, dropping)
    val read = below.grants.keySet.collect { case Request.Extract(e) => e.variant }
    val left = conjuncts
      .filterNot(c => droppable.contains(c) && Extractable.notNull(c).exists(read))
      .map(replace(_, below.grants))
    val rebuilt =
      if (left == conjuncts && (below.plan eq filter.child)) filter
      else left.reduceLeftOption(And).fold(below.plan)(Filter(_, below.plan))
    deliver(filter, rebuilt, requests, below.grants)
  }

  private def throughJoin(
      join: Join,
      requests: Seq[Request],
      nonNull: Set[PlanVariant]
  ): Pushed = {
    val conjuncts = join.condition.toSeq.flatMap(Conjunction.split)
    // SQL NULLs that a side need not deliver, because these rows have no match and are removed.
    def partners(side: LogicalPlan) = NullRejection.rejectedInJoin(conjuncts, side.outputSet)
    def above = nonNull.filter(NullRejection.harmless(conjuncts, _))
    val (leftNonNull, rightNonNull) = join.joinType match {
      case _: InnerLike         => (above ++ partners(join.left), above ++ partners(join.right))
      case LeftSemi             => (above ++ partners(join.left), partners(join.right))
      case LeftOuter | LeftAnti =>
        (above, partners(join.right))
      case RightOuter => (partners(join.left), above)
      case _          => (Set.empty[PlanVariant], Set.empty[PlanVariant])
    }
    val asked = (requestsOf(conjuncts) ++ requests).distinct
    def side(child: LogicalPlan, nonNull: Set[PlanVariant]): Pushed = apply(
      child,
      asked.filter(r => has(child, r.attribute)),
      nonNull.filter(variant => has(child, variant.attribute))
    )
    val left = side(join.left, leftNonNull)
    val right = side(join.right, rightNonNull)
    val inner = left.grants ++ right.grants
    val outer = join.joinType match {
      case LeftOuter | LeftSingle => left.grants ++ ofMissingRows(right.grants)
      case RightOuter             => ofMissingRows(left.grants) ++ right.grants
      case FullOuter              => ofMissingRows(inner)
      case LeftExistence(_)       => left.grants
      case _                      => inner
    }
    val unchanged = (left.plan eq join.left) && (right.plan eq join.right) && inner.isEmpty
    val rebuilt =
      if (unchanged) join
      else {
        join
          .mapExpressions(replace(_, inner))
          .withNewChildren(Seq(left.plan, right.plan))
      }
    deliver(join, rebuilt, requests, outer)
  }

  // A flag is never null in a scan, but null in the rows that an outer join adds. The attributes have
  // to say so: if the join is in a subquery, Spark simplifies the expression once more.
  private def ofMissingRows(grants: Map[Request, Grant]): Map[Request, Grant] = grants.map {
    case (
          request @ Request.Extract(PlanExtraction(_, _, _: ExtractionResult.Flag)),
          Grant(value)
        ) =>
      val orNull = value.transform { case column: Attribute => column.withNullability(true) }
      request -> Grant(Coalesce(Seq(orNull, Literal.FalseLiteral)))
    case other => other
  }

  private def throughExpand(expand: Expand, requests: Seq[Request]): Pushed = {
    val translated = requests.flatMap(r => belowExpand(expand, r).map(r -> _))
    val own = requestsOf(expand.projections.flatten.filterNot(_.isInstanceOf[Attribute]))
    val below = apply(expand.child, (own ++ translated.map(_._2)).distinct, Set.empty)
    if ((below.plan eq expand.child) && below.grants.isEmpty) Pushed(expand, Map.empty)
    else {
      val grants = translated.flatMap { case (r, b) => below.grants.get(b).map(r -> _) }.toMap
      val present = expand.output.map(_.exprId).toSet
      val added = requests
        .flatMap(grants.get)
        .flatMap(_.columns)
        .distinct
        .filterNot(column => present(column.exprId))
      val projections = expand.projections.map(_.map(named(_, below.grants)) ++ added)
      Pushed(Expand(projections, expand.output ++ added, below.plan), grants)
    }
  }

  /**
   * Translates a request for an Expand's column to a column below it, if all its rows use the
   * same.
   */
  def belowExpand(expand: Expand, request: Request): Option[Request] = {
    val index = expand.output.indexWhere(_.exprId == request.attribute)
    val sources = if (index < 0) Nil else expand.projections.map(_(index)).distinct
    (request, sources) match {
      case (Request.Extract(e), Seq(column: Attribute)) =>
        Some(Request.Extract(e.copy(variant = e.variant.copy(attribute = column.exprId))))
      case (_: Request.Postpone, Seq(column: Attribute)) => Some(Request.Postpone(column.exprId))
      case _                                             => None
    }
  }

  /**
   * Does what [[replace]] does for a list whose elements may be columns; columns are not changed.
   */
  private def named(expression: Expression, grants: Map[Request, Grant]): Expression =
    expression match {
      case column: Attribute => column
      case other             => replace(other, grants)
    }

  private def unaliased(expression: Expression): Expression = expression match {
    case Alias(child, _) => child
    case other           => other
  }

  private def has(plan: LogicalPlan, attribute: ExprId): Boolean =
    plan.output.exists(_.exprId == attribute)

  /** Whether this version of Spark (4.3) moves extractions into columns of their own. */
  private val pullsOut: Boolean = {
    val numbers = SPARK_VERSION.split("[.-]").take(2).map(_.toInt).toSeq
    Ordering.Implicits.seqOrdering[Seq, Int].gteq(numbers, Seq(4, 3))
  }

  private def isPulledOut(name: String): Boolean =
    pullsOut && name.startsWith("_ve") && name.length > 3 && name.drop(3).forall(_.isDigit)
}

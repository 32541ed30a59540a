package io.github.variantshredded.optimizer

import io.github.variantshredded.extraction.{
  ErrorOf,
  Extractable,
  ExtractionErrors,
  ExtractionResult,
  PathStep,
  ValueOrError
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.VariantType

/**
 * Moves extractions from a column of a UNION into its children. The extractions are appended to
 * each child at the same positions. If the column does not come from a scan of this source in a
 * child, the child evaluates the extraction itself.
 */
private[variantshredded] object PushDownUnion {

  def apply(union: Union, requests: Seq[Request]): Pushed = {
    val below = requests.flatMap {
      case r: Request.Extract => askedBelow(union, r).map(r -> _)
      case _                  => None
    }
    val children = union.children.map(child => ask(union, child, below.map(_._2).distinct))
    val met = below.filter { case (_, r) =>
      val granted = children.map(_.grants.contains(r))
      if (isStrict(r)) granted.forall(identity) else granted.exists(identity)
    }
    if (met.nonEmpty) append(union, children, met)
    else {
      val same = children.zip(union.children).map { case (pushed, child) =>
        if (pushed.plan.output.size == child.output.size) pushed.plan
        else Project(child.output, pushed.plan)
      }
      Pushed(union.withNewChildren(same), Map.empty)
    }
  }

  /**
   * Returns the request to the children that meets a request to the UNION. If a strict cast were
   * evaluated below the UNION, it could throw an error for a row that the query does not use. So if
   * a child cannot deliver the extraction with its errors, the children are requested to deliver
   * the Variant at the path, and the cast stays above. Nothing is requested if that Variant is a
   * column already.
   */
  private def askedBelow(union: Union, request: Request.Extract): Option[Request.Extract] = {
    val extraction = request.extraction
    if (!isStrict(request) || Deliverable(union, request)) Some(request)
    else
      Option
        .when(extraction.path.nonEmpty || extraction.variant.fields.nonEmpty)(asVariant(request))
  }

  /** Moves extractions from columns of the UNION into a child. */
  private def ask(union: Union, child: LogicalPlan, requests: Seq[Request.Extract]): Pushed = {
    val translated = requests.flatMap(r => inChild(union, child, r).map(r -> _))
    val below = PushDown(child, translated.map(_._2).distinct, nonNull = Set.empty)
    val grants = translated.flatMap { case (r, b) => below.grants.get(b).map(r -> _) }
    Pushed(below.plan, grants.toMap[Request, Grant])
  }

  /** Translates a request to the UNION to a request to a child. */
  def inChild(
      union: Union,
      child: LogicalPlan,
      request: Request.Extract
  ): Option[Request.Extract] =
    column(union, child, request).map { column =>
      val variant = request.extraction.variant.copy(attribute = column.exprId)
      Request.Extract(request.extraction.copy(variant = variant))
    }

  /**
   * Returns the column of a child that has the Variant of a request to the UNION. The children of a
   * UNION have the same columns and fields by position, and may have other names for them.
   */
  private def column(
      union: Union,
      child: LogicalPlan,
      request: Request.Extract
  ): Option[Attribute] =
    child.output.lift(union.output.indexWhere(_.exprId == request.attribute))

  private def append(
      union: Union,
      children: Seq[Pushed],
      requests: Seq[(Request.Extract, Request.Extract)]
  ): Pushed = {
    val delivered = requests.map(_._2).distinct
    // For each child and request: the value, and the error if a scan may deliver one.
    val columns = delivered.map { request =>
      val pairs = children.zip(union.children).map { case (pushed, child) =>
        pushed.grants.get(request).map(_.value) match {
          case Some(ValueOrError(value, errors, index)) => (value, Some(ErrorOf(errors, index)))
          case Some(value)                              => (value, None)
          case None                                     => (computed(union, child, request), None)
        }
      }
      val name = children.flatMap(_.grants.get(request)).head.value.references.head.name
      val values = pairs.map { case (value, _) => Alias(value, name)() }
      val errors =
        if (pairs.forall(_._2.isEmpty)) None
        else {
          Some(pairs.map { case (_, error) =>
            Alias(error.getOrElse(Literal(null, ExtractionErrors.ColumnType)), s"${name}_error")()
          })
        }
      (request, values, errors)
    }
    val lists = columns.flatMap { case (_, values, errors) => values +: errors.toSeq }
    val projects = children.zip(union.children).zipWithIndex.map { case ((pushed, child), i) =>
      Project(child.output ++ lists.map(_(i)), pushed.plan)
    }
    val output = union.withNewChildren(projects)
    val added = output.output.drop(union.output.size)
    val outputs = lists.zip(added)
    def attribute(list: Seq[Alias]): Attribute =
      outputs.collectFirst { case (found, column) if found eq list => column }.get
    val values = columns.map { case (request, values, errors) =>
      val value = attribute(values)
      request -> errors.fold[Expression](value)(e => ValueOrError(value, attribute(e), 0))
    }.toMap
    val grants = requests.map { case (request, below) =>
      val value = values(below)
      request -> Grant(if (request == below) value else cast(request, value))
    }
    Pushed(output, grants.toMap[Request, Grant])
  }

  private def isStrict(request: Request.Extract): Boolean = request.extraction.what match {
    case value: ExtractionResult.Value => value.failOnError && value.target != VariantType
    case _                             => false
  }

  private def asVariant(request: Request.Extract): Request.Extract =
    Request.Extract(request.extraction.copy(what = Extractable.SubVariant))

  private def cast(request: Request.Extract, variant: Expression): Expression =
    request.extraction.what match {
      case value: ExtractionResult.Value => get(variant, "$", value)
      case other                         => throw new IllegalStateException(s"not a cast: $other")
    }

  /** Returns the extraction as Spark evaluates it. */
  private def computed(
      union: Union,
      child: LogicalPlan,
      request: Request.Extract
  ): Expression = {
    val found = request.extraction.variant.fields
      .foldLeft[Expression](column(union, child, request).get)(GetStructField(_, _))
    def at(target: ExtractionResult.Value): Expression =
      get(found, text(request.extraction.path), target)
    request.extraction.what match {
      case value: ExtractionResult.Value  => at(value)
      case ExtractionResult.IsPresent     => IsNotNull(at(Extractable.SubVariant))
      case ExtractionResult.IsVariantNull =>
        org.apache.spark.sql.catalyst.expressions.variant
          .IsVariantNull(at(Extractable.SubVariant))
          .replacement
    }
  }

  private def get(variant: Expression, path: String, as: ExtractionResult.Value): Expression = {
    val timeZone = Some(as.timeZoneId.getOrElse(SQLConf.get.sessionLocalTimeZone))
    if (as.isTryCast) Cast(variant, as.target, timeZone, EvalMode.TRY)
    else VariantGet(variant, Literal(path), as.target, as.failOnError, timeZone)
  }

  /**
   * Writes a path as Spark's parser reads it; names that cannot be quoted are written after a dot.
   */
  private def text(path: Seq[PathStep]): String = path
    .map {
      case PathStep.Element(index)                      => s"[$index]"
      case PathStep.Field(name) if !name.contains("'")  => s"['$name']"
      case PathStep.Field(name) if !name.contains("\"") => s"[\"$name\"]"
      case PathStep.Field(name)                         => s".$name"
    }
    .mkString("$", "", "")
}

package io.github.variantshredded.optimizer

import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.plans.LeftExistence
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Decides whether the scans below an operator can deliver an extraction from one of its columns,
 * together with the errors of a strict cast. It follows the same rules as [[PushDown]], but changes
 * nothing.
 */
private[variantshredded] object Deliverable {

  def apply(plan: LogicalPlan, request: Request.Extract): Boolean = plan match {
    case ScanNode(node)   => node.canAdd(request.extraction)
    case project: Project => below(project.child, PushDown.belowProject(project, request))
    case expand: Expand   => below(expand.child, PushDown.belowExpand(expand, request))
    case union: Union     =>
      union.children.forall(child => below(child, PushDownUnion.inChild(union, child, request)))
    case join: Join if PushDown.keepsRows(join) => false
    case join: Join                             =>
      val sides = join.joinType match {
        case LeftExistence(_) => Seq(join.left)
        case _                => join.children
      }
      sides.exists(side => has(side, request.attribute) && apply(side, request))
    case _ if plan.isInstanceOf[Filter] || PushDown.passesOn(plan) =>
      val child = plan.children.head
      has(child, request.attribute) && apply(child, request)
    case _ => false
  }

  private def below(child: LogicalPlan, request: Option[Request]): Boolean = request match {
    case Some(extract: Request.Extract) => apply(child, extract)
    case _                              => false
  }

  private def has(plan: LogicalPlan, attribute: ExprId): Boolean =
    plan.output.exists(_.exprId == attribute)
}

import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

/** The POM of the published JAR. */
object Pom {

  /** Leaves out what only the tests need, and Iceberg, which not every session has. */
  def withoutTests: Node => Node = new RuleTransformer(new RewriteRule {
    private def isLeftOut(dependency: Elem): Boolean =
      (dependency \ "scope").text == "test" || (dependency \ "groupId").text == "org.apache.iceberg"

    override def transform(node: Node): NodeSeq = node match {
      case dependency: Elem if dependency.label == "dependency" && isLeftOut(dependency) =>
        NodeSeq.Empty
      case other => other
    }
  }).apply _
}

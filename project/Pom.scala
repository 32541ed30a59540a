import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

/** The POM of the published JAR. */
object Pom {

  /** Leaves out what only the tests need. */
  def withoutTests: Node => Node = new RuleTransformer(new RewriteRule {
    override def transform(node: Node): NodeSeq = node match {
      case dependency: Elem
          if dependency.label == "dependency" && (dependency \ "scope").text == "test" =>
        NodeSeq.Empty
      case other => other
    }
  }).apply _
}

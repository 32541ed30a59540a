package io.github.variantshredded.fuzz

/** A piece of a query that knows how it can be made smaller. */
sealed trait SqlNode {

  def text: String

  /** The node with a single thing left out, largest first. */
  def smaller: LazyList[SqlNode]

  override def toString: String = text
}

object SqlNode {

  final case class Text(text: String) extends SqlNode {
    override def smaller: LazyList[SqlNode] = LazyList.empty
  }

  /** One after the other, all of them needed. */
  final case class All(nodes: Vector[SqlNode], separator: String) extends SqlNode {
    override def text: String = nodes.map(_.text).filter(_.nonEmpty).mkString(separator)
    override def smaller: LazyList[SqlNode] = smallerNodes(nodes).map(All(_, separator))
  }

  /** A list of at least `least` items. */
  final case class Items(nodes: Vector[SqlNode], separator: String, least: Int = 1)
      extends SqlNode {
    override def text: String = nodes.map(_.text).mkString(separator)
    override def smaller: LazyList[SqlNode] = {
      val fewer =
        if (nodes.size <= least) LazyList.empty
        else nodes.indices.to(LazyList).map(i => Items(nodes.patch(i, Nil, 1), separator, least))
      fewer ++ smallerNodes(nodes).map(Items(_, separator, least))
    }
  }

  /** Something that can be left out. */
  final case class Maybe(node: Option[SqlNode]) extends SqlNode {
    override def text: String = node.fold("")(_.text)
    override def smaller: LazyList[SqlNode] =
      node.to(LazyList).flatMap(n => Maybe(None) #:: n.smaller.map(s => Maybe(Some(s))))
  }

  /** Something that each of `parts` can stand for. */
  final case class Or(node: SqlNode, parts: Vector[SqlNode]) extends SqlNode {
    override def text: String = node.text
    override def smaller: LazyList[SqlNode] =
      parts.to(LazyList) ++ node.smaller.map(Or(_, Vector.empty))
  }

  def apply(text: String): SqlNode = Text(text)

  /** Nodes in a row. */
  def all(nodes: SqlNode*): SqlNode = All(nodes.toVector, " ")

  def maybe(prefix: String, node: Option[SqlNode]): SqlNode =
    Maybe(node.map(n => All(Vector(Text(prefix), n), " ")))

  private def smallerNodes(nodes: Vector[SqlNode]): LazyList[Vector[SqlNode]] =
    nodes.indices.to(LazyList).flatMap(i => nodes(i).smaller.map(nodes.updated(i, _)))
}

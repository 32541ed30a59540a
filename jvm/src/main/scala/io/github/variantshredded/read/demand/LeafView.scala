package io.github.variantshredded.read.demand

import io.github.variantshredded.read.decode.{
  ListVectors,
  ObjectVectors,
  OneOfVectors,
  PositionVectors,
  TypedVectors
}
import io.github.variantshredded.shredding.layout.{TypedValue, VariantLeaf, VariantPosition}

/**
 * Restricts the decoded columns to those that one extraction requested. So a Variant that is
 * rebuilt for the extraction does not depend on the rest of the query: neither on the values of
 * other leaf columns, which may be invalid, nor on the type as which another extraction has a leaf
 * column decoded.
 *
 * @param leaves
 *   indexes of the leaf columns that the extraction requested
 * @param groups
 *   Parquet paths of the shredded objects and arrays whose presence it requested
 */
private[read] final class LeafView(leaves: Set[Int], groups: Set[Seq[String]]) {

  /**
   * Returns the position without what the extraction did not request; `node` itself if it requested
   * everything.
   */
  def of(node: PositionVectors): PositionVectors = {
    val position = node.position
    val value = position.value.filter(sees)
    val branches = position.typedValue.toVector
      .flatMap(_.branches)
      .zip(branchesOf(node.typed))
      .map { case (typed, vectors) => (typed, vectors, branch(typed, vectors)) }
    if (value == position.value && branches.forall { case (_, old, now) => isSame(old, now) }) node
    else {
      branches.flatMap(_._3) match {
        case Vector() if value.isEmpty => node.hidden
        case seen                      =>
          val (typed, vectors) = seen.unzip
          new PositionVectors(
            position.only(value, TypedValue.of(typed)),
            if (value.isEmpty) null else node.valueColumn,
            vectors match {
              case Vector()    => null
              case Vector(one) => one
              case several     => new OneOfVectors(several.toArray)
            }
          )
      }
    }
  }

  private def sees(leaf: VariantLeaf): Boolean = leaves(leaf.index)

  private def isSame(old: TypedVectors, now: Option[(TypedValue, TypedVectors)]): Boolean =
    now.exists { case (_, vectors) => vectors eq old }

  private def branchesOf(typed: TypedVectors): Vector[TypedVectors] = typed match {
    case null                  => Vector.empty
    case several: OneOfVectors => several.branches.toVector
    case one                   => Vector(one)
  }

  /** Returns the requested part of a typed column or group; None if nothing of it was requested. */
  private def branch(
      typed: TypedValue,
      vectors: TypedVectors
  ): Option[(TypedValue, TypedVectors)] = (typed, vectors) match {
    case (primitive: TypedValue.Primitive, _) =>
      Option.when(sees(primitive.leaf))(primitive -> vectors)
    case (list: TypedValue.ListGroup, of: ListVectors)    => listBranch(list, of)
    case (obj: TypedValue.ObjectGroup, of: ObjectVectors) => objectBranch(obj, of)
    case (other, _) => throw new IllegalStateException(s"columns of another type than $other")
  }

  private def listBranch(
      list: TypedValue.ListGroup,
      vectors: ListVectors
  ): Option[(TypedValue, TypedVectors)] = {
    val element = of(vectors.element)
    if (element eq vectors.element) Some(list -> vectors)
    else if (element.position.isEmpty && !groups(list.parquetPath)) None
    else {
      val seen = new ListVectors(vectors.list, vectors.elementGroup, element)
      Some(list.copy(element = element.position) -> seen)
    }
  }

  private def objectBranch(
      obj: TypedValue.ObjectGroup,
      vectors: ObjectVectors
  ): Option[(TypedValue, TypedVectors)] = {
    val fields = vectors.fields.map(of)
    if (fields.indices.forall(i => fields(i) eq vectors.fields(i))) Some(obj -> vectors)
    else if (fields.forall(_.position.isEmpty) && !groups(obj.parquetPath)) None
    else {
      val now = new java.util.IdentityHashMap[VariantPosition, VariantPosition](fields.length)
      fields.indices.foreach(i => now.put(vectors.fields(i).position, fields(i).position))
      Some(obj.copy(fields = obj.fields.map(now.get(_))) -> vectors.withFields(fields))
    }
  }
}

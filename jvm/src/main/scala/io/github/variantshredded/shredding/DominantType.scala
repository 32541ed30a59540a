package io.github.variantshredded.shredding

/** Names the type that most values at a path have. */
private[shredding] sealed trait DominantType

private[shredding] object DominantType {
  case object Mixed extends DominantType
  case object Object extends DominantType
  case object Array extends DominantType
  final case class Scalar(shreddedType: ShreddedType) extends DominantType
}

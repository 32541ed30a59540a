package io.github.variantshredded.fuzz.bytes

import java.math.BigDecimal

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._

/** Whether two Variants mean the same, by code of the tests alone. */
object Meaning {

  /** As [[VariantTree.sameAs]], but integers and decimals are equal if their numbers are. */
  def same(a: VariantTree, b: VariantTree): Boolean = VariantTree.sameAs(plain(a), plain(b))

  private def plain(tree: VariantTree): VariantTree = tree match {
    case Int8(n)         => exact(BigDecimal.valueOf(n.toLong))
    case Int16(n)        => exact(BigDecimal.valueOf(n.toLong))
    case Int32(n)        => exact(BigDecimal.valueOf(n.toLong))
    case Int64(n)        => exact(BigDecimal.valueOf(n))
    case Decimal4(n, s)  => exact(BigDecimal.valueOf(n.toLong, s))
    case Decimal8(n, s)  => exact(BigDecimal.valueOf(n, s))
    case Decimal16(n, s) => exact(new BigDecimal(n, s))
    case Arr(elements)   => Arr(elements.map(plain))
    case Obj(fields)     => Obj(fields.map { case (name, child) => name -> plain(child) })
    case other           => other
  }

  private def exact(number: BigDecimal): VariantTree = {
    val short = number.stripTrailingZeros
    Decimal16(short.unscaledValue, short.scale)
  }
}

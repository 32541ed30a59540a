package io.github.variantshredded.variant.encode

import org.scalatest.funsuite.AnyFunSuite

/** Reuse of a builder of metadata. */
class MetadataBuilderSuite extends AnyFunSuite {

  private def built(builder: MetadataBuilder, names: Int): Seq[Byte] = {
    builder.reset()
    (0 until names).foreach(i => assert(builder.add(s"k$i") === i))
    (0 until names).foreach(i => assert(builder.add(s"k$i") === i))
    builder.build().toSeq
  }

  test("after a value with very many names, others do not clear a large table") {
    val builder = new MetadataBuilder
    Seq(3, 100000, 3, 0, 5000, 300, 2, 100000, 0, 7).foreach { names =>
      assert(built(builder, names) === built(new MetadataBuilder, names))
    }
    builder.reset()
    assert(builder.slotsToClear <= 1024)
    built(builder, 5000)
    assert(builder.slotsToClear >= 2 * 5000)
  }

  test("values with about as many names reuse the table") {
    val builder = new MetadataBuilder
    built(builder, 10000)
    val slots = builder.slotsToClear
    Seq(5000, 10000, 4000).foreach { names =>
      built(builder, names)
      builder.reset()
      assert(builder.slotsToClear === slots, names)
    }
  }
}

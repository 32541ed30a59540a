package io.github.variantshredded.variant

import scala.collection.mutable
import scala.util.Random

import io.github.variantshredded.variant.encode.MetadataBuilder
import org.scalatest.funsuite.AnyFunSuite

class DictionaryCacheSuite extends AnyFunSuite {

  private def metadata(name: String): Array[Byte] = {
    val names = new MetadataBuilder
    names.add(name)
    names.build()
  }

  /** The names of a cache's entries as they are made. */
  private final class Made {
    val names = mutable.ArrayBuffer.empty[String]

    val cache = new DictionaryCache[String]({ dictionary =>
      names += dictionary.key(0)
      dictionary.key(0)
    })

    def get(name: String): String = {
      val bytes = metadata(name)
      val surrounded = Array[Byte](9) ++ bytes ++ Array[Byte](9)
      cache.get(surrounded, 1, bytes.length)
    }
  }

  test("as many dictionaries as it keeps are made once each") {
    val made = new Made
    val random = new Random(1)
    val names = (0 until 500).map(i => s"name $i")
    (0 until 5000).foreach { _ =>
      val name = names(random.nextInt(names.size))
      assert(made.get(name) === name)
    }
    assert(made.names.sorted === made.names.distinct.sorted)
  }

  test("of more than it keeps each is still the right one") {
    val made = new Made
    val random = new Random(2)
    (0 until 20000).foreach { _ =>
      val name = s"name ${random.nextInt(700)}"
      assert(made.get(name) === name)
    }
    // It takes some 920 look-ups to meet 512 of 700.
    assert(made.names.size < 13000)
  }

  test("long metadata is kept until the next one only") {
    val made = new Made
    val long = "x" * 20000
    Seq(long, long, "short", long, "short").foreach(name => assert(made.get(name) === name))
    assert(made.names === Seq(long, "short", long))
  }

  test("malformed metadata leaves nothing behind") {
    val made = new Made
    (0 until 2).foreach { _ =>
      intercept[io.github.variantshredded.errors.VariantShreddedException](
        made.cache.get(Array[Byte](7, 0, 0), 0, 3)
      )
    }
    assert(made.get("name") === "name")
    assert(made.names === Seq("name"))
  }
}

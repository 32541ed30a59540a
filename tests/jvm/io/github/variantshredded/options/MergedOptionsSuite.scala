package io.github.variantshredded.options

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

/** Which options a query has that names some of those of its table. */
class MergedOptionsSuite extends AnyFunSuite {

  private def merged(earlier: (String, String)*)(later: (String, String)*): Map[String, String] = {
    def map(options: Seq[(String, String)]) = new CaseInsensitiveStringMap(options.toMap.asJava)
    MergedOptions(map(earlier), map(later)).asCaseSensitiveMap.asScala.toMap
  }

  test("a later option replaces an earlier one, in whatever letters") {
    assert(
      merged("Layout" -> "spec", "a" -> "1")("layout" -> "overview") ===
        Map("layout" -> "overview", "a" -> "1")
    )
  }

  test("an option with two names is replaced by either of them") {
    for {
      names <- Seq("validation" -> "mode", "compression" -> "parquet.compression")
      (first, second) <- Seq(names, names.swap)
    } assert(merged(first.toUpperCase -> "a")(second -> "b") === Map(second -> "b"))
  }

  test("an option without a value is not given") {
    assert(merged("a" -> "1", "b" -> null)("a" -> null) === Map("a" -> "1"))
  }
}

package io.github.variantshredded

import java.nio.file.{Files, Path}

import io.github.variantshredded.write.WriteOptions
import org.scalatest.funsuite.AnyFunSuite

class VariantShreddedOptionsSuite extends AnyFunSuite {

  test("docs/options.md says what the entries say (UPDATE_GOLDEN=1 writes it anew)") {
    val page = Path.of("docs", "options.md")
    if (sys.env.get("UPDATE_GOLDEN").contains("1")) {
      val _ = Files.writeString(page, VariantShreddedOptions.documentation)
    }
    assert(Files.readString(page) === VariantShreddedOptions.documentation)
  }

  test("names are unique, whatever their case; every entry is documented") {
    Seq(VariantShreddedOptions.reading, WriteOptions.All).foreach { entries =>
      assert(entries.map(_.name.toLowerCase).distinct.size === entries.size)
      entries.foreach { entry =>
        assert(entry.doc.endsWith("."), entry.name)
        assert(entry.default.nonEmpty && entry.expected.nonEmpty, entry.name)
      }
    }
  }

  test("kinds of entries") {
    assert(VariantShreddedOptions.Mode.valueOf(" Permissive ") === "permissive")
    assert(VariantShreddedOptions.MaxDepth.valueOf("7") === 7)
    assert(VariantShreddedOptions.MergeSchema.valueOf("TRUE"))
    val error =
      intercept[VariantShreddedException](VariantShreddedOptions.MaxDepth.valueOf("1001"))
    assert(
      error.getMessage === "[INVALID_VARIANT_SHREDDED_OPTION] Option 'maxDepth' is '1001', " +
        "expected a whole number from 1 to 1000."
    )
  }
}

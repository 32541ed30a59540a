package io.github.variantshredded.read.options

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.json.JsonOptions
import io.github.variantshredded.options.OptionWithDefault
import io.github.variantshredded.testing.OptionsPage
import io.github.variantshredded.write.options.WriteOptions
import org.scalatest.funsuite.AnyFunSuite

class ReadOptionsSuite extends AnyFunSuite {

  private val isUpdate = sys.env.get("UPDATE_GOLDEN").contains("1")

  private def golden(page: Path)(expected: String => String): Unit = {
    val text = Files.readString(page)
    if (isUpdate) {
      val _ = Files.writeString(page, expected(text))
    }
    assert(Files.readString(page) === expected(text))
  }

  test("docs/options.md says what the entries say (UPDATE_GOLDEN=1 writes it anew)") {
    golden(Path.of("docs", "options.md"))(_ => OptionsPage.text)
  }

  test("README.md has the table of the entries that matter most, likewise") {
    val table = OptionsPage.markdown(OptionsPage.mostUsed)
    golden(Path.of("README.md")) { text =>
      val start = text.indexOf("| option | values |")
      assert(start > 0)
      text.substring(0, start) + table + text.substring(text.indexOf("\n\n", start) + 1)
    }
  }

  test("names are unique, whatever their case; every entry is documented") {
    Seq(ReadOptions.reading, WriteOptions.All).foreach { entries =>
      assert(entries.map(_.name.toLowerCase).distinct.size === entries.size)
      entries.foreach { entry =>
        assert(entry.doc.endsWith("."), entry.name)
        assert(entry.defaultText.nonEmpty && entry.expected.nonEmpty, entry.name)
      }
    }
  }

  test("the text of a default means the value that the code uses") {
    val entries = ReadOptions.reading ++ ReadOptions.inspecting ++ ReadOptions.settings ++
      WriteOptions.All ++ JsonOptions.All
    val defaults = entries.collect { case entry: OptionWithDefault[_] => entry }
    assert(defaults.size >= 20)
    defaults.foreach { entry =>
      assert(entry.valueOf(entry.defaultText) == (entry.default: Any), entry.name)
    }
  }

  test("kinds of entries") {
    assert(ReadOptions.Validation.valueOf(" Permissive ") === "permissive")
    assert(ReadOptions.MaxDepth.valueOf("7") === 7)
    assert(ReadOptions.MergeSchema.valueOf("TRUE"))
    val error =
      intercept[VariantShreddedException](ReadOptions.MaxDepth.valueOf("1001"))
    assert(
      error.getMessage === "[INVALID_VARIANT_SHREDDED_OPTION] Option 'maxDepth' is '1001', " +
        "expected a whole number from 1 to 1000."
    )
  }
}

package io.github.variantshredded.sparktests

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

class ExpectedFailuresSuite extends AnyFunSuite {

  test("docs/compatibility.md says what the list says (UPDATE_GOLDEN=1 writes it anew)") {
    val page = Repository.file("docs", "compatibility.md")
    val text = Files.readString(page)
    val expected = text.take(text.indexOf(CompatibilityPage.Start)) + CompatibilityPage.tables
    if (sys.env.get("UPDATE_GOLDEN").contains("1")) {
      val _ = Files.writeString(page, expected)
    }
    assert(Files.readString(page) === expected)
  }

  test("every listed suite is one that runs") {
    val missing = ExpectedFailures.all.flatMap(_.tests).map(_.suite).distinct.filter { suite =>
      Packages
        .forall(name => classOf[Judged].getClassLoader.getResource(s"$name/$suite.class") == null)
    }
    assert(missing === Nil)
  }

  test("a list") {
    val lines = Seq("# a comment", "", "open: a: b", "  FirstSuite: it works: well")
    val entry = ExpectedFailures(
      ExpectedFailures.Open,
      "a: b",
      Seq(ExpectedFailures.Test("FirstSuite", "it works: well"))
    )
    assert(ExpectedFailures.parse(lines) === Seq(entry))
  }

  test("lists with mistakes") {
    def mistake(lines: String*): String =
      intercept[RuntimeException](ExpectedFailures.parse(lines)).getMessage
    assert(mistake("strange: why", "  ASuite: test").contains("No kind of failure"))
    assert(mistake("  ASuite: test").contains("A test without a reason"))
    assert(mistake("open: why").contains("A reason without tests"))
    assert(mistake("open: why", "  ASuite: t", "open: no", "  ASuite: t").contains("lists twice"))
    assert(mistake("open").contains("No colon"))
  }

  private val Packages =
    Seq("", "/quick", "/hive").map("io/github/variantshredded/sparktests" + _)
}

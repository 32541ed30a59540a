package io.github.variantshredded.sparktests

import io.github.variantshredded.sparktests.ExpectedFailures._

/** The tables of `docs/compatibility.md`. */
private[sparktests] object CompatibilityPage {

  val Start: String = "## " + title(Kinds.head)

  def tables: String =
    Kinds.map(kind => s"## ${title(kind)}\n\n${body(kind)}").mkString("\n")

  private def title(kind: Kind): String = kind match {
    case Refusal  => "What the source refuses"
    case Open     => "Known differences"
    case Artefact => "Tests that do not apply"
  }

  private def body(kind: Kind): String = {
    val entries = all.filter(_.kind == kind)
    if (entries.isEmpty) "None.\n"
    else
      entries
        .map(entry => s"| ${entry.reason} | ${entry.tests.size} | ${suites(entry)} |")
        .mkString("| why | tests | of |\n|---|---:|---|\n", "\n", "\n")
  }

  private def suites(entry: ExpectedFailures): String =
    entry.tests.map(_.suite).distinct.map(suite => s"`$suite`").mkString(", ")
}

package io.github.variantshredded.sparktests

import java.nio.file.Files

import scala.jdk.CollectionConverters._

/**
 * Why tests of Spark fail with this source, and what that says about the source.
 *
 * @param kind
 *   what a failure of this kind means to a user
 * @param reason
 *   one sentence, the same for all these tests
 * @param tests
 *   the tests, each with its suite
 */
final case class ExpectedFailures(
    kind: ExpectedFailures.Kind,
    reason: String,
    tests: Seq[ExpectedFailures.Test]
)

/**
 * The file `expected-failures.txt` of the tests: a line `kind: reason` for each reason, and below it
 * an indented line `Suite: name of the test` for each test.
 */
object ExpectedFailures {

  sealed abstract class Kind(val word: String)

  /** The source refuses what the test does, and the documentation says so. */
  case object Refusal extends Kind("refusal")

  /** The source does what it should, but not what the test was written for. */
  case object Artefact extends Kind("artefact")

  /** A difference that a user would notice, and that nobody has removed yet. */
  case object Open extends Kind("open")

  val Kinds: Seq[Kind] = Seq(Refusal, Open, Artefact)

  final case class Test(suite: String, name: String)

  private val File = Repository.file("tests", Repository.tests, "expected-failures.txt")

  lazy val all: Seq[ExpectedFailures] = parse(Files.readAllLines(File).asScala.toSeq)

  /** The entries of a suite by the names of its tests. */
  def of(suite: String): Map[String, ExpectedFailures] =
    (for (entry <- all; test <- entry.tests if test.suite == suite) yield test.name -> entry).toMap

  private[sparktests] def parse(lines: Seq[String]): Seq[ExpectedFailures] = {
    val read = lines
      .filterNot(line => line.isBlank || line.startsWith("#"))
      .foldLeft(
        Vector.empty[ExpectedFailures]
      ) { (entries, line) =>
        if (line.startsWith(" ")) {
          if (entries.isEmpty) sys.error(s"A test without a reason in $File: $line")
          val (suite, name) = split(line.trim)
          val last = entries.last
          entries.init :+ last.copy(tests = last.tests :+ Test(suite, name))
        } else {
          val (word, reason) = split(line)
          val kind = Kinds
            .find(_.word == word)
            .getOrElse(sys.error(s"No kind of failure in $File: $word"))
          entries :+ ExpectedFailures(kind, reason, Nil)
        }
      }
    requireOnce(read)
    read
  }

  private def requireOnce(entries: Seq[ExpectedFailures]): Unit = {
    val tests = entries.flatMap(_.tests)
    val twice = tests.diff(tests.distinct)
    if (twice.nonEmpty) sys.error(s"Tests that $File lists twice: ${twice.mkString(", ")}")
    entries.find(_.tests.isEmpty).foreach { entry =>
      sys.error(s"A reason without tests in $File: ${entry.reason}")
    }
  }

  private def split(line: String): (String, String) = line.split(": ", 2) match {
    case Array(before, after) => (before, after)
    case _                    => sys.error(s"No colon in a line of $File: $line")
  }
}

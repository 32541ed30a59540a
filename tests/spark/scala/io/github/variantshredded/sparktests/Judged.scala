package io.github.variantshredded.sparktests

import org.scalatest.{Args, FailedStatus, Reporter, Status, SucceededStatus, Suite, SuiteMixin}
import org.scalatest.events.{Event, TestCanceled, TestFailed, TestSucceeded}

/**
 * Runs a suite of Spark's with the source in the place of `parquet`, and judges its tests by
 * [[ExpectedFailures]]: a listed test that fails is reported as cancelled, with its reason. A listed
 * test that passes is a failure, and so is a line of the list that names no test.
 */
trait Judged extends SuiteMixin { this: Suite =>

  private lazy val expected = ExpectedFailures.of(getClass.getSimpleName)

  abstract override def run(testName: Option[String], args: Args): Status = {
    val missing = expected.keySet -- testNames
    if (missing.nonEmpty)
      throw new AssertionError(s"Expected failures that are no tests: ${missing.mkString(", ")}")
    super.run(testName, args)
  }

  abstract override protected def runTest(testName: String, args: Args): Status =
    expected.get(testName) match {
      case None        => super.runTest(testName, args)
      case Some(entry) =>
        val reporter = new JudgingReporter(args.reporter, entry)
        super.runTest(testName, args.copy(reporter = reporter)).waitUntilCompleted()
        if (reporter.passed) FailedStatus else SucceededStatus
    }
}

/** Turns the outcome of a listed test around. */
private final class JudgingReporter(reporter: Reporter, entry: ExpectedFailures) extends Reporter {

  @volatile var passed = false

  override def apply(event: Event): Unit = event match {
    case failed: TestFailed       => reporter(cancelled(failed))
    case succeeded: TestSucceeded =>
      passed = true
      reporter(unexpected(succeeded))
    case other => reporter(other)
  }

  private def cancelled(event: TestFailed): TestCanceled = TestCanceled(
    event.ordinal,
    s"${entry.kind.word}: ${entry.reason}",
    event.suiteName,
    event.suiteId,
    event.suiteClassName,
    event.testName,
    event.testText,
    event.recordedEvents,
    duration = event.duration
  )

  private def unexpected(event: TestSucceeded): TestFailed = TestFailed(
    event.ordinal,
    "The test passes: remove it from expected-failures.txt",
    event.suiteName,
    event.suiteId,
    event.suiteClassName,
    event.testName,
    event.testText,
    event.recordedEvents,
    Vector.empty,
    duration = event.duration
  )
}

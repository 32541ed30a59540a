package io.github.variantshredded.fault

import scala.util.Random

import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}

/** Writers and readers of one directory at the same time: what a serial order of them allows. */
class SchedulesSuite extends SparkSuite with TemporaryFolder {

  test("random schedules with slow and failing operations end in a serial order") {
    val findings = new Findings
    new Schedules(spark, folder, findings).run(new Random(20261122), 3)
    assert(findings.failures.isEmpty, findings.failures.mkString("\n", "\n", "\n"))
  }
}

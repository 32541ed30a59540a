package io.github.variantshredded.fault

import io.github.variantshredded.{SparkSuite, TemporaryFolder}

/** Writes that end or fail at any operation on files leave what was there, or what is new. */
class CommitFaultsSuite extends SparkSuite with TemporaryFolder {

  private def passes(scheme: String)(body: CommitFaults => Unit): Unit = {
    val findings = new Findings
    body(new CommitFaults(spark, folder, scheme, findings))
    info(findings.cases.map { case (kind, count) => s"$kind: $count" }.mkString("; "))
    assert(findings.failures.isEmpty, findings.failures.mkString("\n", "\n", "\n"))
  }

  (Scenario.Append ++ Scenario.Overwrite).foreach { scenario =>
    test(s"${scenario.name}: wherever the process ends, all old rows are there or all new ones") {
      passes(FaultFileSystem.Scheme)(_.halts(scenario))
    }
  }
}

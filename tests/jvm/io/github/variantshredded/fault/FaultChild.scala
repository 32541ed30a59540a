package io.github.variantshredded.fault

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** A process that writes and ends in the middle of it. */
object FaultChild {

  /** Arguments: directory, scheme, name of the scenario, number of the operation. */
  def main(args: Array[String]): Unit = {
    val scenario = Scenario.ByPath.find(_.name == args(2)).get
    val warehouse = Files.createTempDirectory("fault-child")
    val spark = FaultFuzz.session("local[2]", warehouse.toUri.toString)
    Faults.watched(args(0), new Failing(args(3).toInt, Fault.Halt)) {
      scenario.run(Target(spark, Path.of(args(0)), args(1)))
    }
    Runtime.getRuntime.halt(0)
  }

  /** What Spark needs on this version of Java, as this process has it. */
  def moduleOptions: Seq[String] = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
    .filter(option => option.startsWith("--") || option.startsWith("-XX"))
    .toSeq

  /** Runs the write in a process of its own, and gives its exit code. */
  def run(root: Path, scheme: String, scenario: Scenario, at: Int): Int = {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val main = getClass.getName.stripSuffix("$")
    val command = Seq(java, "-Xmx512m", "-XX:TieredStopAtLevel=1") ++ moduleOptions ++
      Seq(main, root.toString, scheme, scenario.name, at.toString)
    val builder = new ProcessBuilder(command: _*)
    builder.environment.put("CLASSPATH", System.getProperty("java.class.path"))
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
    builder.start().waitFor()
  }
}

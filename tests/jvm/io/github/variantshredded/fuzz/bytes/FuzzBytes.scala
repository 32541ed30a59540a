package io.github.variantshredded.fuzz.bytes

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

/**
 * Runs targets at length under Jazzer, each in a JVM of its own; `make fuzz-bytes` calls it.
 *
 * Arguments: the name of a target or `all`; the seconds for each target, or the file of one input that
 * is to be run once, without Jazzer; the seed, which may be left out.
 */
object FuzzBytes {

  def main(arguments: Array[String]): Unit = arguments match {
    case Array(target, seconds, seed @ _*) if seconds.forall(_.isDigit) =>
      val targets = if (target == "all") FuzzTarget.all else Seq(FuzzTarget.named(target))
      val start = seed.headOption.fold(System.nanoTime.toInt & Int.MaxValue)(_.toInt)
      val failed = targets.filterNot(JazzerRun(_, seconds.toInt, start))
      if (failed.nonEmpty) sys.exit(1)
    case Array(target, file, _*) =>
      FuzzTarget.named(target).run(Files.readAllBytes(Paths.get(file)))
      println(s"No finding in $file.")
    case _ =>
      println("usage: FuzzBytes <target or all> <seconds or file of an input> [seed]")
      sys.exit(2)
  }
}

/** One run of Jazzer. */
private object JazzerRun {
  private val HeapMegabytes = 1500

  /** The heap, the code, and the memory that decoders take off the heap. */
  private val ResidentMegabytes = 2600
  private val TimeoutSeconds = 10

  /** After so many findings, each by another way through the code, it ends. */
  private val MaxFindings = 20

  /** False if there was a finding. */
  def apply(target: FuzzTarget, seconds: Int, seed: Int): Boolean = {
    val folder = Paths.get("target", "fuzz-bytes", target.name)
    val corpus = Files.createDirectories(folder.resolve("corpus"))
    Corpus.of(target).foreach { case (name, data) => Files.write(corpus.resolve(name), data) }
    println(s"fuzz-bytes ${target.name}: seed $seed, $seconds s, corpus in $corpus")
    val start = System.currentTimeMillis
    val builder = new ProcessBuilder(command(target, folder, corpus, seconds, seed).asJava)
    // The C library fills memory that it gives with this byte: what reads it unwritten finds no zeros.
    builder.environment.put("MALLOC_PERTURB_", "165")
    val process = builder.inheritIO().start()
    // Nothing tells what a process has taken once it has ended.
    var cpu = 0L
    while (!process.waitFor(1, TimeUnit.SECONDS)) {
      cpu = process.info.totalCpuDuration.map[Long](_.toSeconds).orElse(cpu)
    }
    val elapsed = (System.currentTimeMillis - start) / 1000
    val code = process.exitValue
    println(s"fuzz-bytes ${target.name}: seed $seed, $elapsed s, $cpu s of CPU, exit code $code")
    // Jazzer ends with 0 if it went on after a finding.
    val found = findings(folder, start)
    found.foreach { file =>
      println(s"To run an input again: make fuzz-bytes TARGET=${target.name} INPUT=$file")
    }
    code == 0 && found.isEmpty
  }

  private def findings(folder: Path, since: Long): Seq[Path] =
    Files
      .list(folder)
      .iterator
      .asScala
      .filter { file =>
        Files.getLastModifiedTime(file).toMillis >= since &&
        Seq("crash-", "timeout-", "oom-").exists(file.getFileName.toString.startsWith)
      }
      .toSeq
      .sortBy(Files.getLastModifiedTime(_))

  private def command(
      target: FuzzTarget,
      folder: Path,
      corpus: Path,
      seconds: Int,
      seed: Int
  ): Seq[String] = {
    val java = Paths.get(System.getProperty("java.home"), "bin", "java").toString
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
      .filterNot(_.matches("-Xmx.*|-agent.*|-XX:[+]Use\\w+GC"))
    val jvm = Seq(
      s"-Xmx${HeapMegabytes}m",
      "-Xss2m",
      "-XX:+UseSerialGC",
      "-XX:+EnableDynamicAgentLoading",
      "-cp",
      System.getProperty("java.class.path")
    )
    val jazzer = Seq(
      "com.code_intelligence.jazzer.Jazzer",
      s"--target_class=${JazzerEntry.getClass.getName.stripSuffix("$")}",
      s"--target_args=${target.name}",
      s"--instrumentation_includes=${Instrumented.mkString(":")}",
      s"--instrumentation_excludes=${OfTests.mkString(":")}",
      s"--trace=${if (target.isTaken) "cov:cmp:div" else "cov"}",
      s"--disabled_hooks=${Hooks.mkString(":")}",
      s"--reproducer_path=$folder",
      s"--keep_going=$MaxFindings"
    )
    val libFuzzer = Seq(
      s"-artifact_prefix=$folder/",
      s"-max_len=${target.maxLength}",
      s"-max_total_time=$seconds",
      s"-timeout=$TimeoutSeconds",
      s"-rss_limit_mb=$ResidentMegabytes",
      s"-seed=$seed",
      s"-use_value_profile=${if (target.isTaken) 1 else 0}",
      // An input has some ten thousand features: a schedule by their entropy takes half of the time.
      "-entropic=0",
      "-len_control=0",
      "-print_final_stats=1",
      corpus.toString
    )
    (java +: options.toSeq) ++ jvm ++ jazzer ++ libFuzzer
  }

  private val Instrumented = Seq(
    "io.github.variantshredded.**",
    "org.apache.parquet.hadoop.**",
    "org.apache.parquet.format.converter.**",
    "org.apache.parquet.internal.**",
    "org.apache.parquet.schema.**",
    "org.apache.spark.sql.execution.datasources.parquet.**"
  )

  /**
   * Classes of Jazzer that look at calls of Java's library: for injections, which are not what is looked
   * for here, and for comparisons of texts. They make classes slow to load.
   */
  private val Hooks = {
    val sanitizers = Seq(
      "BigDecimal",
      "ClojureLangHooks",
      "Deserialization",
      "ExpressionLanguageInjection",
      "FilePathTraversal",
      "LdapInjection",
      "NamingContextLookup",
      "OsCommandInjection",
      "ReflectiveCall",
      "RegexInjection",
      "RegexRoadblocks",
      "ScriptEngineInjection",
      "ServerSideRequestForgery",
      "SqlInjection",
      "TemplateInjection",
      "UnsafeSanitizer",
      "XPathInjection",
      "XmlParserSsrfGuidance"
    )
    sanitizers.map(name => s"com.code_intelligence.jazzer.sanitizers.$name") :+
      "com.code_intelligence.jazzer.runtime.TraceCmpHooks"
  }

  private val OfTests = Seq(
    "io.github.variantshredded.fuzz.**",
    "io.github.variantshredded.VariantTree**"
  )
}

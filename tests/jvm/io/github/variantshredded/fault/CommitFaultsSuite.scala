package io.github.variantshredded.fault

import java.io.{InterruptedIOException, IOException}
import java.nio.file.Files

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.commons.io.FileUtils

/**
 * Writes that end or fail at any operation on files leave what was there, or what is new: some of the
 * operations. `make fuzz-faults` takes all.
 */
class CommitFaultsSuite extends SparkSuite with TemporaryFolder {

  private def passes(scheme: String)(body: CommitFaults => Unit): Unit = {
    val findings = new Findings
    body(new CommitFaults(spark, folder, scheme, findings))
    info(findings.cases.map { case (kind, count) => s"$kind: $count" }.mkString("; "))
    assert(findings.failures.isEmpty, findings.failures.mkString("\n", "\n", "\n"))
    assert(findings.cases.values.sum > 0)
  }

  private val append = Scenario.Append.head
  private val overwrite = Scenario.Overwrite.last

  Seq(append -> FaultFileSystem.Scheme, overwrite -> CheckedFaultFileSystem.Scheme).foreach {
    case (scenario, scheme) =>
      test(s"${scenario.name}: where the process ends, old rows are there or new ones ($scheme)") {
        passes(scheme)(_.halts(scenario, every = 3))
      }
  }

  private val others = Seq(Scenario.Dynamic) ++ Scenario.All.filter { scenario =>
    Seq("replace table as select", "truncate", "replace table as select, by name")
      .contains(scenario.name)
  } ++ StreamScenario.All ++ Seq(PartitionScenario.Rename, PartitionScenario.Drop)

  others.foreach { scenario =>
    test(s"${scenario.name}: where the process ends, old rows are there or new ones") {
      passes(FaultFileSystem.Scheme)(_.halts(scenario, every = 8))
    }
  }

  /** Some of the operations of the commit, at least one. */
  private def ofCommit(number: Int, part: Int)(operations: Seq[Operation]): Seq[Int] = {
    val found = operations
      .dropWhile(operation => !operation.path.toString.contains("_variant_shredded_commits"))
      .map(_.number)
    val every = math.min(number, found.size)
    found.zipWithIndex.collect { case (at, i) if i % every == part % every => at }
  }

  Fault.InProcess.zipWithIndex.foreach { case (fault, i) =>
    test(s"overwrite: old rows are there or new ones if in the commit the fault is: $fault") {
      val every = 3 * Fault.InProcess.size
      passes(FaultFileSystem.Scheme)(
        _.fails(Scenario.Overwrite.head, ofCommit(every, i), Seq(fault))
      )
    }
  }

  // Except with `GoneAfter` at the operation that decides.
  test("an append succeeds if what follows its commit fails, and has no rows if it fails") {

    /** The operations from the first one that decides about the commit. */
    def end(operations: Seq[Operation]): Seq[Int] = {
      val found = operations.dropWhile { operation =>
        operation.kind != "delete" || !operation.path.getName.endsWith(".adding")
      }
      assert(found.size > 1)
      found.map(_.number)
    }
    Scenario.ByPath.filter(_.appends).foreach { scenario =>
      passes(FaultFileSystem.Scheme) { faults =>
        val all = Seq(Fault.Before, Fault.After, Fault.Refused, Fault.Gone, Fault.GoneAfter)
        all.foreach(fault => faults.fails(scenario, end, Seq(fault)))
      }
    }
  }

  test("a file keeps its name, or the directory has it, if a rename fails or throws afterwards") {
    def renames(operations: Seq[Operation]): Seq[Int] = {
      val found = operations.filter { operation =>
        operation.kind == "rename" && !operation.path.toString.contains("_temporary")
      }
      assert(found.nonEmpty)
      found.map(_.number)
    }
    val faults = Seq(Fault.Before, Fault.After, Fault.Refused)
    passes(FaultFileSystem.Scheme)(_.fails(FileScenario(Nil), renames, faults))
  }

  Seq(Nil, Seq("p")).map(FileScenario(_)).foreach { scenario =>
    test(s"${scenario.name}: where the process ends, old rows are there or new ones") {
      passes(FaultFileSystem.Scheme)(_.halts(scenario, every = 2))
    }
  }

  test("a table keeps its rows if its directory is not moved aside, or moved with an exception") {
    def renames(operations: Seq[Operation]): Seq[Int] = {
      val found = operations.filter { operation =>
        operation.kind == "rename" && operation.path.getName == "t"
      }
      assert(found.nonEmpty)
      found.map(_.number)
    }
    val faults = Seq(Fault.Before, Fault.After, Fault.Refused)
    passes(FaultFileSystem.Scheme)(_.fails(TableScenario.Overwrite, renames, faults))
  }

  private val replacing = TableScenario.Overwrite

  /** Returns a table that is to be replaced, in a directory of its own. */
  private def targetIn(directory: String): Target = {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val target = Target(spark, folder.resolve(directory), FaultFileSystem.Scheme)
    replacing.prepare(target)
    target
  }

  private def numbers(target: Target): Seq[Int] =
    replacing.read(target).select("n").collect().map(_.getInt(0)).toSeq.sorted

  test(
    "a table that gets its name back has its rows, if its directory is not moved back at first"
  ) {
    val target = targetIn("replaced")
    var isAside = false
    var refusals = 0
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        val from = operation.path
        if (operation.kind != "rename") carryOut
        else if (from.getName == "t") {
          isAside = true
          carryOut
        } else if (isAside && from.toString.contains("_replacing_"))
          throw new IOException("The new rows are not moved.")
        else if (from.getName.startsWith("t_replaced_") && refusals == 0) {
          refusals += 1
          refused.get
        } else carryOut
      }
    }
    intercept[IOException](Faults.watched(target.root.toString, watcher)(replacing.run(target)))
    assert(refusals === 1)
    assert(numbers(target) === replacing.before.get)
  }

  test(
    "a table whose replacement is interrupted gets its name back, although the thread stays so"
  ) {
    val target = targetIn("interrupted")
    // As Hadoop's client of HDFS: it fails in a thread that is interrupted, which stays so.
    val driver = Thread.currentThread
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        val isMove = operation.kind == "rename" && operation.path.getName.endsWith(".parquet")
        if (isMove && Thread.currentThread == driver) driver.interrupt()
        if (Thread.currentThread.isInterrupted) throw new InterruptedIOException("Call interrupted")
        carryOut
      }
    }
    intercept[IOException](Faults.watched(target.root.toString, watcher)(replacing.run(target)))
    assert(Thread.interrupted())
    assert(numbers(target) === replacing.before.get)
    assert(Tree.of(target.root).files.keys.filter(_.contains("_replac")).toSeq === Nil)
  }

  // Whether the new table can be created. The file system refuses to move the old directory once.
  Seq(true, false).foreach { succeeds =>
    val name = if (succeeds) "leaves none of its files" else "has its rows if it is not replaced"
    test(s"a managed table whose directory is not moved aside for one elsewhere $name") {
      val target = targetIn(s"elsewhere-$succeeds")
      val (before, elsewhere) = (target.root.resolve("t"), target.root.resolve("elsewhere/t"))
      var refusals = 0
      val watcher = new Watcher {
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
          if (operation.kind != "rename" || operation.path.getName != "t" || refusals > 0) carryOut
          else {
            refusals += 1
            if (!succeeds) FileUtils.deleteDirectory(elsewhere.toFile)
            refused.get
          }
      }
      def save(): Unit = target
        .rows(20, 23, 1)
        .write
        .format("variant-shredded")
        .mode("overwrite")
        .option("path", s"${target.path}/elsewhere/t")
        .saveAsTable("faults.t")
      Faults.watched(target.root.toString, watcher) {
        if (succeeds) save() else intercept[VariantShreddedException](save())
      }
      assert(refusals === 1)
      assert(numbers(target) === (if (succeeds) 20 until 23 else replacing.before.get))
      assert(Files.exists(before) === !succeeds)
      val entries = spark.sql("SHOW TABLES IN faults").where("NOT isTemporary")
      val names = entries.collect().map(_.getString(1)).toSeq
      assert(names === Seq("t"))
      assert(Tree.of(target.root).files.keys.filter(_.startsWith("t_replaced_")).toSeq === Nil)
    }
  }
}

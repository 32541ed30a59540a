package io.github.variantshredded.read.scan

import java.util.concurrent.{Callable, CyclicBarrier, Executors, TimeUnit}

import io.github.variantshredded.testing.{SparkSuite, TemporaryFolder}
import org.apache.spark.sql.catalyst.expressions.{Expression => CatalystExpression, In, InSet}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.expressions.{Expression, Expressions}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionDirectory}
import org.apache.spark.sql.execution.datasources.v2.{
  BatchScanExec,
  DataSourceRDDPartition,
  DataSourceV2ScanRelation
}

/** What one reading of a scan learns at run time about partitions stays with that reading. */
class RuntimeFiltersSuite extends SparkSuite with TemporaryFolder with AdaptiveSparkPlanHelper {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(
        "SELECT id, parse_json(concat('{\"k\":', id, '}')) AS v, cast(id % 4 AS int) AS p " +
          "FROM range(40)"
      )
      .write
      .partitionBy("p")
      .format("variant-shredded")
      .save(path)
    spark.read.format("variant-shredded").load(path).createOrReplaceTempView("fact")
    spark.sql("SELECT id AS d, cast(id AS int) AS p FROM range(4)").createOrReplaceTempView("dim")
  }

  private def path: String = folder.resolve("fact").toString

  private def query(sql: String) = spark.sql(sql) match {
    case ours: classic.DataFrame => ours.queryExecution
    case other                   => fail(s"not a classic DataFrame: $other")
  }

  private def scan(): VariantScan =
    query("SELECT v:k::int, p FROM fact").optimizedPlan.collectFirst {
      case relation: DataSourceV2ScanRelation => relation.scan
    } match {
      case Some(scan: VariantScan) => scan
      case other                   => fail(s"no scan: $other")
    }

  private def in(values: Int*): Predicate =
    new Predicate(
      "IN",
      Array[Expression](Expressions.column("p")) ++ values.map(Expressions.literal(_))
    )

  /** The partitions that are planned. */
  private def planned(scan: VariantScan): Set[Int] = values(scan.toBatch.planInputPartitions())

  private def values(partitions: Array[_]): Set[Int] = partitions.flatMap {
    case files: FilePartition => files.files.map(_.partitionValues.getInt(0))
    case other                => fail(s"not files: $other")
  }.toSet

  private val all = Set(0, 1, 2, 3)

  test("many values are a set") {
    val schema = spark.table("fact").schema
    assert(RuntimeFilters(Seq(in(1, 2)), schema).forall(_.isInstanceOf[In]))
    assert(RuntimeFilters(Seq(in(2 to 40: _*)), schema).forall(_.isInstanceOf[InSet]))
    val some = scan()
    some.filter(Array(in(2 to 40: _*)))
    assert(planned(some) === Set(2, 3))
  }

  test("a filter counts for the batch that is made next, and for no other") {
    val one = scan()
    val before = one.toBatch
    one.filter(Array(in(1, 2)))
    val filtered = one.toBatch
    assert(values(filtered.planInputPartitions()) === Set(1, 2))
    assert(values(filtered.planInputPartitions()) === Set(1, 2), "asked once more")
    assert(values(before.planInputPartitions()) === all, "made before")
    assert(planned(one) === all, "made after")
    assert(values(one.planInputPartitions()) === all, "the scan itself")
  }

  test("a filter does not reach copies, and does not make a scan another") {
    val one = scan()
    val equal = scan()
    val copy = one.copy()
    one.filter(Array(in(3)))
    assert(planned(one.copy()) === all)
    assert(planned(copy) === all)
    assert(one === equal)
    assert(one.hashCode === equal.hashCode)
    assert(planned(one) === Set(3))
  }

  test("a filter given twice counts both times") {
    val one = scan()
    one.filter(Array(in(1, 2)))
    one.filter(Array(in(2, 3)))
    assert(planned(one) === Set(2))
  }

  test("threads that read one scan have a filter each") {
    val shared = scan()
    val pool = Executors.newFixedThreadPool(4)
    val barrier = new CyclicBarrier(4)
    try {
      val found = (0 until 4).map { p =>
        pool.submit(new Callable[Set[Int]] {
          override def call(): Set[Int] = {
            shared.filter(Array(in(p)))
            barrier.await(60, TimeUnit.SECONDS)
            planned(shared)
          }
        })
      }
      assert(found.map(_.get(60, TimeUnit.SECONDS)) === (0 until 4).map(Set(_)))
    } finally pool.shutdownNow(): Unit
  }

  private val joined = "SELECT fact.id, v:k::int FROM fact JOIN dim ON fact.p = dim.p WHERE d = 1"

  test("a plan with the same scan, without the join, reads all partitions afterwards") {
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try {
      val execution = query(joined)
      val rows = execution.executedPlan.executeCollect()
      assert(rows.length === 10)
      val exec = collect(execution.executedPlan) { case scan: BatchScanExec => scan }
        .find(_.runtimeFilters.nonEmpty)
        .getOrElse(fail(s"nothing is filtered: ${execution.executedPlan}"))
      assert(values(exec.inputPartitions.toArray) === all)
      assert(values(exec.copy(runtimeFilters = Nil).inputPartitions.toArray) === all)
      val again = exec.copy(runtimeFilters = Nil)
      assert(again.executeColumnar().map(_.numRows).reduce(_ + _) === 40)
    } finally spark.conf.unset("spark.sql.adaptive.enabled")
  }

  test("the partitions of a scan are planned after the filters of a join are known, not before") {
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    try {
      val exec = collect(query(joined).executedPlan) { case exec: BatchScanExec => exec }
        .find(_.runtimeFilters.nonEmpty)
        .getOrElse(fail("nothing is filtered"))
      val files = new CountedFiles(scan())
      val counted = exec.copy(scan = scan().copy(files = ScannedFiles(files)))
      assert(counted.supportsColumnar)
      assert(files.listings === 0)
      assert(values(counted.inputPartitions.toArray) === all)
      assert(files.listings > 0)
    } finally spark.conf.unset("spark.sql.adaptive.enabled")
  }

  test("scans with equal indexes whose files are then equal are compared without listing them") {
    val first = scan()
    def listings(areEqual: Boolean): Int = {
      val (one, other) = (new CountedFiles(first, areEqual), new CountedFiles(first, areEqual))
      assert(first.copy(files = ScannedFiles(one)) === first.copy(files = ScannedFiles(other)))
      one.listings + other.listings
    }
    assert(listings(areEqual = true) === 0)
    assert(listings(areEqual = false) === 2)
  }

  /** The files of a scan, with the number of times that they were listed. */
  private final class CountedFiles(scan: VariantScan, override val isEqualByFiles: Boolean = false)
      extends RelationFiles(scan.sparkSession, scan.fileIndex) {
    var listings = 0

    override def listFiles(
        partitionFilters: Seq[CatalystExpression],
        dataFilters: Seq[CatalystExpression]
    ): Seq[PartitionDirectory] = {
      listings += 1
      super.listFiles(partitionFilters, dataFilters)
    }
  }

  private def comparison(name: String, value: Int): Predicate =
    new Predicate(name, Array[Expression](Expressions.column("P"), Expressions.literal(value)))

  test("comparisons with the results of scalar subqueries") {
    def filtered(predicates: Predicate*): Set[Int] = {
      val some = scan()
      some.filter(predicates.toArray)
      planned(some)
    }
    assert(filtered(comparison("=", 2)) === Set(2))
    assert(filtered(comparison("<=>", 2)) === Set(2))
    assert(filtered(comparison("<", 2)) === Set(0, 1))
    assert(filtered(comparison("<=", 2)) === Set(0, 1, 2))
    assert(filtered(comparison(">", 2)) === Set(3))
    assert(filtered(comparison(">=", 2), comparison("<>", 3)) === Set(2, 3), "ignored")
    def both(name: String, one: Predicate, other: Predicate) =
      new Predicate(name, Array[Expression](one, other))
    val ignored = comparison("<>", 3)
    assert(filtered(both("OR", comparison("=", 0), comparison(">", 2))) === Set(0, 3))
    assert(filtered(both("OR", comparison("=", 0), ignored)) === all)
    assert(filtered(both("AND", comparison(">", 0), comparison("<", 2))) === Set(1))
    assert(filtered(both("AND", comparison(">", 0), ignored)) === Set(1, 2, 3))
    val long = Array[Expression](Expressions.column("p"), Expressions.literal(2L))
    assert(filtered(new Predicate("=", long)) === all, "another type")
  }

  for (
    (name, sql) <- Seq(
      "in another case" -> joined.replace("fact.p", "fact.P"),
      "compared with a scalar subquery" ->
        "SELECT id, v:k::int FROM fact WHERE p = (SELECT max(p) - 2 FROM dim)"
    )
  )
    test(s"a partition column $name") {
      spark.conf.set("spark.sql.adaptive.enabled", "false")
      try {
        val execution = query(sql)
        assert(execution.executedPlan.executeCollect().length === 10)
        val read = collect(execution.executedPlan) { case scan: BatchScanExec => scan }
          .filter(_.runtimeFilters.nonEmpty)
          .flatMap(_.inputRDD.partitions)
          .flatMap {
            case partition: DataSourceRDDPartition => partition.inputPartition
            case other                             => fail(s"not of a data source: $other")
          }
        assert(values(read.toArray) === Set(1))
      } finally spark.conf.unset("spark.sql.adaptive.enabled")
    }

  test("one DataFrame, executed again and as part of others, gives the same rows") {
    val plain = spark.sql("SELECT * FROM fact")
    def pruned = plain.join(spark.table("dim").where("d = 1"), "p")
    assert(pruned.count() === 10)
    assert(plain.count() === 40)
    val kept = pruned
    assert(kept.count() === 10)
    assert(kept.union(kept).count() === 20)
    assert(plain.union(kept.select("id", "v", "p")).count() === 50)
    val cached = plain.cache()
    try {
      assert(pruned.count() === 10)
      assert(cached.count() === 40)
    } finally cached.unpersist(): Unit
  }
}

package io.github.variantshredded.fault

import java.io.{FileNotFoundException, IOException}
import java.nio.file.Path
import java.util.concurrent.{Executors, TimeUnit}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.{Failure, Random, Try}

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** Two to four writers and a reader of one directory, with slow and failing operations. */
final class Schedules(spark: SparkSession, folder: Path, findings: Findings) {

  FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)

  private val target = Target(spark, folder.resolve("shared"), FaultFileSystem.Scheme)

  def run(random: Random, number: Int): Unit = (1 to number).foreach { i =>
    val own = new Random(random.nextLong())
    findings.add("schedules", s"schedules: number $i of its round")(one(own))
  }

  private def one(random: Random): Unit = {
    FileUtils.deleteDirectory(target.root.toFile)
    val partitioned = random.nextBoolean()
    val columns = if (partitioned) Seq("p") else Nil
    target.save(target.rows(0, 6, 2), "append", columns)
    val jobs = Seq.tabulate(2 + random.nextInt(3)) { i =>
      ConcurrentJob.random(random, 100 * (i + 1), partitioned)
    }
    val (seed, failing) = (random.nextLong(), random.nextInt(3))
    // Files of algorithm 2 are there before their job commits: a reader may see them, and a job that
    // overwrites them makes theirs fail. One that fails deletes them, unless that fails as well.
    val early = random.nextInt(4) == 0
    val faults = new Disturbance(seed, if (early) math.min(failing, 1) else failing)
    val shared = if (early) target.copy(options = Map(Schedules.Algorithm -> "2")) else target
    val (results, seen) =
      Faults.watched(target.root.toString, faults)(atOnce(shared, jobs, columns))
    val clue =
      s"${if (early) "algorithm 2, " else ""}$jobs: ${results.map(_.fold(_.toString.take(300), _ => "done"))}"
    jobs.zip(results).foreach {
      case (_, Failure(e: VariantShreddedException))
          if early && e.condition == "CONCURRENT_WRITE" =>
        ()
      case (job, Failure(e)) if !faults.failed && !(job.reads && mayBe(e)) =>
        throw new IllegalStateException(s"$clue failed", e)
      case _ => ()
    }
    val orders = new SerialOrders((0 until 6).toSet, jobs.zip(results.map(_.isSuccess)))
    if (!early)
      seen.foreach(found => require(orders.visible(found), s"a reader saw $found of $clue"))
    val found = ours
    require(orders.ends(found), s"$found after $clue")
    target.save(target.rows(20, 22, 1), "append", columns)
    val next = ours
    require(next == found ++ Set(20, 21), s"$next for $found and an append after $clue")
    require(byParquet == next, s"Spark's reader: $byParquet for $next after $clue")
  }

  private def atOnce(
      target: Target,
      jobs: Seq[ConcurrentJob],
      columns: Seq[String]
  ): (Seq[Try[Unit]], Seq[Set[Int]]) = {
    val pool = Executors.newFixedThreadPool(jobs.size + 1)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
    try {
      val writers = Future.sequence(jobs.map(job => Future(Try(job.run(target, columns)))))
      val reader =
        Future(Iterator.continually(look()).takeWhile(_ => !writers.isCompleted).toList)
      (Await.result(writers, 10.minutes), Await.result(reader, 10.minutes).flatten)
    } finally {
      pool.shutdown()
      pool.awaitTermination(1, TimeUnit.MINUTES)
      ()
    }
  }

  /** What a reader sees; None if it fails as it may. */
  private def look(): Option[Set[Int]] =
    try Some(ours)
    catch { case e: Throwable if mayBe(e) => None }

  // A file that is gone, a directory without files, or an operation that was made to fail.
  private def mayBe(e: Throwable): Boolean =
    Causes.of(e).exists { cause =>
      val message = String.valueOf(cause.getMessage)
      cause.isInstanceOf[FileNotFoundException] || message.contains("FILE_NOT_EXIST") ||
      message.contains("UNABLE_TO_INFER_SCHEMA") || message.contains("injected")
    }

  private def ours: Set[Int] = numbers(target.path, "variant-shredded")

  private def byParquet: Set[Int] = numbers(s"file://${target.root}", "parquet")

  private def numbers(path: String, format: String): Set[Int] =
    try {
      val table = spark.read.format(format).load(path)
      val all = table.selectExpr("n", "v:a::int").collect().toSeq.map { row =>
        require(row.getInt(0) == row.getInt(1), row)
        row.getInt(0)
      }
      require(all.distinct.size == all.size, s"rows twice: ${all.sorted}")
      all.toSet
    } catch {
      case e: AnalysisException if e.getCondition == "UNABLE_TO_INFER_SCHEMA" => Set.empty
    }
}

private object Schedules {
  final val Algorithm = "mapreduce.fileoutputcommitter.algorithm.version"
}

/** Makes operations slow, and lets `faults` of them fail. */
private final class Disturbance(seed: Long, faults: Int) extends Watcher {

  private val random = new Random(seed)
  private val failing = Seq.fill(faults)(1 + random.nextInt(400)).toSet

  @volatile var failed = false

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    val (slow, before) = synchronized((random.nextInt(20) == 0, random.nextBoolean()))
    if (slow) Thread.sleep(20)
    if (!failing(operation.number)) carryOut
    else {
      failed = true
      if (!before) carryOut
      throw new IOException(s"injected at operation $operation")
    }
  }
}

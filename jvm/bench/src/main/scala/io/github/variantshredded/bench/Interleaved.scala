package io.github.variantshredded.bench

import java.util.concurrent.atomic.AtomicLong

import io.github.variantshredded.bench.MarkdownTable.{ratio, seconds}
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.SparkSession

/**
 * Times several ways of doing the same in turn (A B C A B C ...), so that a change in the machine's
 * speed meets all of them alike. Only the ratios mean something.
 */
final class Interleaved(spark: SparkSession, runs: Int) {
  private val cpu = new AtomicLong

  spark.sparkContext.addSparkListener(new SparkListener {
    override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
      Option(end.taskMetrics).foreach(metrics => cpu.addAndGet(metrics.executorCpuTime))
  })

  /**
   * Times every way and prints a table with a row for each.
   *
   * @param ways
   *   name and action; the first is what the others are compared with
   */
  def compare(title: String, ways: (String, () => Unit)*): Unit = {
    val medians = measure(ways.map(_._2): _*)
    val base = medians.head
    val table =
      new MarkdownTable(title, "CPU, s", "/ the first", "wall, s", "/ the first", "MB read")
    ways.zip(medians).foreach { case ((name, _), time) =>
      table.row(
        name,
        seconds(time.cpu),
        ratio(time.cpu / base.cpu),
        seconds(time.wall),
        ratio(time.wall / base.wall),
        f"${time.bytes / 1e6}%.2f"
      )
    }
  }

  /** Returns the median times of each way. */
  def measure(ways: (() => Unit)*): Seq[MedianTime] = {
    val times = ways.map(_ => new Array[(Double, Double)](runs))
    val read = new Array[Long](ways.size)
    warmUp(ways)
    (0 until runs).foreach { run =>
      ways.zip(times).zipWithIndex.foreach { case ((action, measured), way) =>
        measured(run) = timed(action)
        read(way) = CountedFileSystem.drain()
      }
    }
    times.zip(read).map { case (measured, readBytes) =>
      MedianTime(median(measured.map(_._1)), median(measured.map(_._2)), readBytes)
    }
  }

  /**
   * Runs each way often enough for its code to be compiled, which takes many runs of a short query.
   */
  private def warmUp(ways: Seq[() => Unit]): Unit = {
    val end = System.nanoTime + WarmupSeconds * 1000000000L
    var rounds = 0
    while (rounds < WarmupRounds || System.nanoTime < end) {
      ways.foreach(timed)
      rounds += 1
    }
  }

  private def timed(action: () => Unit): (Double, Double) = {
    Interleaved.drain(spark)
    cpu.set(0)
    CountedFileSystem.drain()
    val start = System.nanoTime
    action()
    val wall = System.nanoTime - start
    Interleaved.drain(spark)
    (cpu.get / 1e9, wall / 1e9)
  }

  private def median(values: Array[Double]): Double = {
    val sorted = values.sorted
    (sorted((sorted.length - 1) / 2) + sorted(sorted.length / 2)) / 2
  }

  private final val WarmupRounds = 2
  private final val WarmupSeconds = 12L
}

/**
 * Holds the median times of a way in seconds, as CPU time of the tasks and as wall time, and the
 * number of bytes that it read from the files.
 */
final case class MedianTime(cpu: Double, wall: Double, bytes: Long)

object Interleaved {

  /** Waits for the events of finished tasks to reach the listeners. */
  private def drain(spark: SparkSession): Unit = {
    val bus = spark.sparkContext.getClass.getMethod("listenerBus").invoke(spark.sparkContext)
    bus.getClass.getMethod("waitUntilEmpty").invoke(bus)
    ()
  }
}

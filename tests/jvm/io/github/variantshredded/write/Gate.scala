package io.github.variantshredded.write

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, TimeUnit}

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.udf

/** Holds a query's tasks back, so that tests can order what concurrent jobs do. */
object Gate {

  private final case class Latches(reached: CountDownLatch, open: CountDownLatch)

  private val gates = new ConcurrentHashMap[String, Latches]

  def close(name: String): Unit = {
    gates.put(name, Latches(new CountDownLatch(1), new CountDownLatch(1)))
    ()
  }

  def open(name: String): Unit = gates.get(name).open.countDown()

  def awaitReached(name: String): Unit =
    require(gates.get(name).reached.await(60, TimeUnit.SECONDS), s"no task came to gate $name")

  /** The column, once the gate is open. */
  def behind(name: String, column: Column): Column = udf { (value: Int) =>
    val gate = gates.get(name)
    gate.reached.countDown()
    require(gate.open.await(60, TimeUnit.SECONDS), s"gate $name stays closed")
    value
  }.asNondeterministic()(column)
}

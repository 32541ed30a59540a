package io.github.variantshredded.write.shred

import scala.collection.mutable
import scala.util.Random

import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.column.LeafWriter
import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY
import org.apache.parquet.schema.Types
import org.scalatest.funsuite.AnyFunSuite

/** Each field gets one null or one value for each event, in the order of the events. */
class NullLogSuite extends AnyFunSuite {

  private def leaf: LeafWriter = {
    val column =
      new ColumnDescriptor(Array("v", "value"), Types.optional(BINARY).named("value"), 3, 7)
    new LeafWriter(column, null, null, null, ParquetProperties.builder().build())
  }

  /** A field that remembers what it was given: levels of nulls, or its own values. */
  private final class Field extends ShredNode(ResidualColumn(leaf, Layout.Spec), 0) {
    val received: mutable.ArrayBuffer[Any] = mutable.ArrayBuffer.empty

    /** Calls of [[addNulls]]. */
    var calls = 0

    override protected def addTypedNulls(repetition: Int, at: Int, count: Int): Unit = {
      assert(count > 0)
      calls += 1
      received ++= Seq.fill(count)(repetition -> at)
    }

    override def write(row: ShredRow, pos: Int, end: Int, repetition: Int): Unit = ()

    override def resolve(nameCount: Int): Unit = ()
  }

  private val Value = "value"

  /** A log, and beside it what its fields have to get. */
  private final class Checked(size: Int) {
    val fields: Seq[Field] = Seq.fill(size)(new Field)
    val log = new NullLog(fields.toArray)
    private val expected = Seq.fill(size)(mutable.ArrayBuffer.empty[Any])

    def add(repetition: Int, definition: Int, count: Int): Unit = {
      log.add(repetition, definition, count)
      expected.foreach(_ ++= Seq.fill(count)(repetition -> definition))
    }

    /** The object is there, with values of some fields. */
    def addObject(repetition: Int, definition: Int, present: Int*): Unit = {
      add(repetition, definition, 1)
      present.foreach { field =>
        log.meet(field)
        fields(field).received += Value
        expected(field)(expected(field).size - 1) = Value
      }
    }

    def settle(): Unit = {
      log.settle()
      check()
    }

    def check(): Unit = fields.zip(expected).zipWithIndex.foreach { case ((field, wanted), i) =>
      assert(field.received === wanted, s"field $i")
    }
  }

  test("a field with a value in every row gets no null") {
    val log = new Checked(1)
    (0 until 5).foreach(_ => log.addObject(0, 2, 0))
    log.settle()
    assert(log.fields.head.calls === 0)
  }

  test("a field without a value gets all nulls of a run at once") {
    val log = new Checked(2)
    (0 until 1000).foreach(_ => log.addObject(0, 2, 0))
    assert(log.fields(1).calls === 0)
    log.settle()
    assert(log.fields(1).calls === 1)
  }

  test("a field gets its nulls before its value") {
    val log = new Checked(2)
    log.addObject(0, 2)
    log.add(0, 1, 3)
    log.addObject(0, 2, 1)
    assert(log.fields(1).received === Seq(0 -> 2, 0 -> 1, 0 -> 1, 0 -> 1, Value))
    log.addObject(0, 2)
    log.addObject(0, 2, 0)
    log.settle()
  }

  test("nulls of another repetition level or definition level are another run") {
    val log = new Checked(1)
    log.add(0, 2, 1)
    log.add(1, 2, 2)
    log.add(1, 1, 3)
    log.add(1, 1, 4)
    log.settle()
    assert(log.fields.head.calls === 3)
  }

  test("after it is settled, a log begins anew") {
    val log = new Checked(2)
    log.addObject(0, 2, 0)
    log.settle()
    log.settle()
    log.addObject(0, 2, 1)
    log.addObject(0, 2, 1)
    log.settle()
    new Checked(2).settle()
  }

  test("a log with very many runs gives its fields their nulls in between") {
    val log = new Checked(2)
    (0 until 5000).foreach(i => log.add(0, i % 2, 1))
    // The log keeps only the last runs.
    assert(log.fields.head.received.size > 4000)
    log.addObject(0, 2, 1)
    log.settle()
  }

  test("random events: every field gets one null or value for each event") {
    (0 until 150).foreach { seed =>
      val rng = new Random(seed)
      val fields = 1 + rng.nextInt(4)
      val log = new Checked(fields)
      // Few levels make long runs, many make short ones.
      val levels = 1 + rng.nextInt(3)
      (0 until rng.nextInt(if (seed % 10 == 0) 3000 else 60)).foreach { _ =>
        rng.nextInt(20) match {
          case 0          => log.settle()
          case n if n < 6 => log.add(rng.nextInt(levels), rng.nextInt(levels), 1 + rng.nextInt(4))
          case _          =>
            val present = (0 until fields).filter(_ => rng.nextBoolean())
            log.addObject(rng.nextInt(levels), levels, rng.shuffle(present): _*)
        }
      }
      withClue(s"seed $seed: ")(log.settle())
    }
  }
}

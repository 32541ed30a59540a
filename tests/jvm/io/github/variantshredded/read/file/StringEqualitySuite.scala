package io.github.variantshredded.read.file

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class StringEqualitySuite extends AnyFunSuite {
  private val name = BoundReference(1, StringType, nullable = true)
  private val number = BoundReference(0, IntegerType, nullable = true)

  private def equal(value: String) = EqualTo(name, Literal(value))

  test("predicates that need a string to be equal to a value") {
    val found = Seq(
      equal("a"),
      EqualTo(Literal("a"), name),
      And(IsNotNull(name), equal("a")),
      And(And(IsNotNull(number), IsNotNull(name)), And(equal("a"), equal("b")))
    )
    found.foreach(predicate => assert(StringEquality.of(predicate).isDefined, predicate))
    val none = Seq(
      EqualNullSafe(name, Literal("a")),
      EqualTo(name, Literal(null, StringType)),
      EqualTo(number, Literal(1)),
      Or(equal("a"), equal("b")),
      Not(equal("a")),
      // The division raises an error in rows that the equality rules out.
      And(
        EqualTo(Divide(Literal(1.0), Cast(number, Literal(1.0).dataType)), Literal(1.0)),
        equal("a")
      ),
      EqualTo(
        BoundReference(1, StringType("UTF8_LCASE"), nullable = true),
        Literal.create(UTF8String.fromString("a"), StringType("UTF8_LCASE"))
      )
    )
    none.foreach(predicate => assert(StringEquality.of(predicate).isEmpty, predicate))
  }

  test("no row is ruled out that Spark's predicate keeps, and rows with other ends are") {
    val random = new Random(7)
    val texts =
      IndexedSeq("", "a", "b", "ä", "12345678", "x12345678", "y12345678", "X2345678", "text 1")
    texts.foreach { value =>
      val vector = new OnHeapColumnVector(100, StringType)
      val rows =
        IndexedSeq.fill(100)(Option.when(random.nextInt(5) > 0)(texts(random.nextInt(texts.size))))
      rows.zipWithIndex.foreach {
        case (Some(text), slot) =>
          val bytes = text.getBytes("UTF-8")
          vector.putByteArray(slot, bytes, 0, bytes.length): Unit
        case (None, slot) => vector.putNull(slot)
      }
      val numbers = new OnHeapColumnVector(100, IntegerType)
      val batch = new ColumnarBatch(Array[ColumnVector](numbers, vector), 100)
      val predicate = Predicate.create(equal(value))
      val mayMeet = StringEquality.of(equal(value)).get.candidates(batch)
      rows.indices.foreach { slot =>
        val meets = predicate.eval(batch.getRow(slot))
        assert(!meets || mayMeet(slot), (value, rows(slot)))
        val differs = rows(slot).forall(text => text.takeRight(8) != value.takeRight(8))
        assert(!differs || !mayMeet(slot), (value, rows(slot)))
      }
      batch.close()
    }
  }
}

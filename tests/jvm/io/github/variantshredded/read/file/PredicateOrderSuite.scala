package io.github.variantshredded.read.file

import scala.collection.mutable

import io.github.variantshredded.predicate.{Conjunct, SkippingPredicate}
import io.github.variantshredded.testing.TemporaryFolder
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

/** In which order conditions are evaluated, and for which rows. */
class PredicateOrderSuite extends AnyFunSuite with TemporaryFolder {
  import PredicateOrderSuite._

  private val rowGroupRows = 1000

  private val rowGroups = 12

  private val schema = StructType.fromDDL("a bigint, x int, b bigint, c bigint, payload string")

  private lazy val file = {
    val path = folder.resolve("conditions.parquet")
    ParquetFixture.write(
      path,
      "message m { required int64 a; required int32 x; required int64 b; required int64 c; " +
        "required binary payload (STRING); }",
      (0 until rowGroupRows * rowGroups).map { i =>
        Map("a" -> i.toLong, "x" -> i, "b" -> i.toLong, "c" -> i.toLong, "payload" -> "p" * 100)
      },
      _.withRowGroupRowCountLimit(rowGroupRows).withDictionaryEncoding(false)
    )
    path
  }

  /** A condition on columns, of which the first is the number of the row; it keeps `share`. */
  private def condition(name: String, columns: Seq[String], share: Double): Conjunct = {
    val row = BoundReference(0, LongType, nullable = false)
    val lastDigits = Pmod(row, Literal(100L))
    Conjunct(
      StructType(columns.map(schema(_))),
      Nil,
      Recorded(LessThan(lastDigits, Literal((share * 100).toLong)), row, name),
      SkippingPredicate.Unknown,
      Seq(name)
    )
  }

  /** 12 bytes of each row. */
  private def small(share: Double): Conjunct = condition("small", Seq("a", "x"), share)

  /** 16 bytes of each row. */
  private def large(share: Double): Conjunct = condition("large", Seq("b", "c"), share)

  /** The rows that the conditions leave, and for which rows each was evaluated, in this order. */
  private def read(leastSaving: Int, conditions: Conjunct*): Seq[Long] = {
    evaluations.clear()
    val options =
      FileRows.readSettings(strict = true).copy(lateMaterializationMinBytes = leastSaving)
    FileRows.read(file, schema, options, conjuncts = conditions)(_.getLong(0))
  }

  /** The names of the conditions in the order of their evaluation in a row group. */
  private def order(rowGroup: Int): Seq[String] = evaluations
    .collect { case (name, row) if row / rowGroupRows == rowGroup => name }
    .distinct
    .toSeq

  private def evaluated(name: String, rowGroup: Int): Seq[Long] = evaluations.collect {
    case (`name`, row) if row / rowGroupRows == rowGroup => row % rowGroupRows
  }.toSeq

  test("at first the condition with the fewest bytes is evaluated first") {
    Seq(Seq(small(0.4), large(0.4)), Seq(large(0.4), small(0.4))).foreach { conditions =>
      val rows = read(0, conditions: _*)
      assert(rows.size === rowGroupRows * rowGroups * 4 / 10)
      assert(order(0) === Seq("small", "large"))
    }
  }

  test("then a condition with more bytes is evaluated first if it drops many more rows") {
    // 12 / (1 - 0.4) is more than 16 / (1 - 0).
    read(0, small(0.4), large(0.0)): Unit
    assert(order(0) === Seq("small", "large"))
    assert(order(1) === Seq("large"))
  }

  test("then a condition with fewer bytes stays the first if it drops about as many rows") {
    // 12 / (1 - 0.2) is less than 16 / (1 - 0).
    read(0, small(0.2), large(0.01)): Unit
    (0 until rowGroups).foreach(group => assert(order(group) === Seq("small", "large")))
  }

  test("each condition is evaluated for the rows that those before it left") {
    val rows = read(0, large(0.1), small(0.3))
    assert(evaluated("small", 0) === (0L until rowGroupRows.toLong))
    assert(evaluated("large", 0) === (0L until rowGroupRows.toLong).filter(_ % 100 < 30))
    assert(rows.take(100) === (0L until rowGroupRows.toLong).filter(_ % 100 < 10))
  }

  test("after a condition that leaves no row, no condition is evaluated") {
    assert(read(0, large(0.4), small(0.0)).isEmpty)
    (0 until rowGroups).foreach(group => assert(order(group) === Seq("small")))
  }

  test("a condition that keeps most rows is left out of the next eight row groups") {
    val rows = read(0, small(0.9))
    val groups = (0 until rowGroups).filter(group => order(group).nonEmpty)
    assert(groups === Seq(0, 9))
    // Spark evaluates it for the rows of the others.
    assert(rows.size === 2 * 900 + (rowGroups - 2) * rowGroupRows)
  }

  test("a condition that saves too few bytes is not evaluated") {
    // A row group has some 132 bytes a row; without `a` and `x` 120, without `b` and `c` 116.
    Seq(110000 -> Set("small", "large"), 118000 -> Set("small"), 125000 -> Set.empty).foreach {
      case (leastSaving, names) =>
        read(leastSaving, small(0.4), large(0.4)): Unit
        assert(order(0).toSet === names, s"with $leastSaving bytes")
    }
  }
}

private object PredicateOrderSuite {

  /** The name of a condition and the row, in the order of the evaluations. */
  val evaluations: mutable.ArrayBuffer[(String, Long)] = mutable.ArrayBuffer.empty

  /** A condition that tells of its evaluation. */
  final case class Recorded(condition: Expression, row: Expression, name: String)
      extends BinaryExpression
      with CodegenFallback {
    override def left: Expression = condition
    override def right: Expression = row
    override def dataType: DataType = BooleanType

    override def eval(input: InternalRow): Any = {
      evaluations += name -> row.eval(input).asInstanceOf[Long]
      condition.eval(input)
    }

    override protected def withNewChildrenInternal(
        newLeft: Expression,
        newRight: Expression
    ): Expression = copy(condition = newLeft, row = newRight)
  }
}

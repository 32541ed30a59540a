package io.github.variantshredded.predicate

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Which predicates a scan evaluates, and in which form. */
class ConjunctsSuite extends AnyFunSuite {

  private val schema = new StructType()
    .add("v", VariantType)
    .add("id", LongType)
    .add("s", new StructType().add("x", IntegerType).add("w", VariantType).add("y", IntegerType))

  private def attribute(name: String) = AttributeReference(name, schema(name).dataType)()

  private val v = attribute("v")
  private val id = attribute("id")
  private val s = attribute("s")
  private val partition = AttributeReference("p", IntegerType)()

  private def get(child: Expression, path: String, target: DataType): VariantGet =
    VariantGet(child, Literal(path), target, failOnError = true, Some("UTC"))

  private def field(name: String): Expression =
    GetStructField(s, s.dataType.asInstanceOf[StructType].fieldIndex(name), Some(name))

  private val a = get(v, "$.a", LongType)

  private val pathOfA =
    ScanExtraction(
      Seq("v"),
      Seq(PathStep.Field("a")),
      ExtractionResult.Value(LongType, true, Some("UTC"))
    )

  private def of(filters: Expression*): Conjuncts = Conjuncts.of(filters, schema)

  private def pushed(filter: Expression): Conjunct = {
    val conjuncts = of(filter)
    assert(conjuncts.declined === Nil)
    assert(conjuncts.pushed.size === 1)
    conjuncts.pushed.head
  }

  private def declined(filter: Expression): String = {
    val conjuncts = of(filter)
    assert(conjuncts.pushed === Nil)
    assert(conjuncts.declined.size === 1)
    conjuncts.declined.head
  }

  /** Evaluates the condition for values of the columns, followed by those of the extractions. */
  private def eval(conjunct: Conjunct, values: Any*): Any =
    conjunct.predicate.eval(InternalRow.fromSeq(values))

  test("an extraction becomes a column of the condition") {
    val conjunct = pushed(GreaterThan(a, Literal(3L)))
    assert(conjunct.columns === new StructType())
    assert(conjunct.extractions === Seq(pathOfA))
    assert(eval(conjunct, 4L) === true)
    assert(eval(conjunct, 3L) === false)
    assert(eval(conjunct, null) === null)
  }

  test("the same extraction twice is one column") {
    val conjunct =
      pushed(Or(LessThan(a, Literal(1L)), EqualTo(get(v, "$.a", LongType), Literal(9L))))
    assert(conjunct.extractions === Seq(pathOfA))
    assert(Seq(0L, 5L, 9L).map(eval(conjunct, _)) === Seq(true, false, true))
  }

  test("columns come first, then extractions") {
    val conjunct = pushed(LessThan(a, id))
    assert(conjunct.columns.fieldNames === Array("id"))
    assert(eval(conjunct, 5L, 4L) === true)
    assert(eval(conjunct, 4L, 5L) === false)
  }

  test("predicates with the same columns and extractions are one, in their order") {
    val conjuncts =
      of(GreaterThan(a, Literal(1L)), GreaterThan(id, Literal(0L)), LessThan(a, Literal(5L)))
    assert(conjuncts.pushed.map(_.texts.size) === Seq(2, 1))
    assert(Seq(1L, 2L, 5L).map(eval(conjuncts.pushed.head, _)) === Seq(false, true, false))
    assert(conjuncts.pushed.head.skipping.isInstanceOf[SkippingPredicate.And])
  }

  test("IS NOT NULL of a Variant is redundant beside a predicate that removes its nulls") {
    assert(
      of(IsNotNull(v), GreaterThan(a, Literal(3L))).pushed.map(_.extractions) ===
        Seq(Seq(pathOfA))
    )
  }

  test("IS NOT NULL of a Variant is pushed if no other predicate removes its nulls") {
    Seq(Nil, Seq(GreaterThan(id, Literal(3L))), Seq(IsNull(a))).foreach { others =>
      val conjuncts = of(IsNotNull(v) +: others: _*)
      assert(conjuncts.declined === Nil)
      val texts = conjuncts.pushed.flatMap(_.texts)
      assert(texts.exists(_.contains("is_present(v)")), texts)
    }
  }

  test("of a struct, only the fields that the predicate uses are columns") {
    val conjunct = pushed(EqualTo(field("y"), Literal(2)))
    assert(conjunct.columns === new StructType().add("s", new StructType().add("y", IntegerType)))
    assert(eval(conjunct, InternalRow(2)) === true)
  }

  test("a Variant in a struct is found by the names of the fields") {
    val conjunct = pushed(EqualTo(get(field("w"), "$.a", LongType), Literal(2L)))
    assert(conjunct.extractions.map(_.column) === Seq(Seq("s", "w")))
    assert(conjunct.columns === new StructType())
  }

  test("a reason for each predicate that stays behind") {
    assert(declined(LessThan(Rand(Literal(1L)), Literal(0.5))).endsWith("it is not deterministic"))
    assert(declined(EqualTo(partition, Literal(1))).endsWith("p is not a column of the files"))
    assert(declined(EqualTo(get(v, "$.", LongType), Literal(1L))).endsWith("'$.' is not a path"))
    val text = Cast(v, CharType(3))
    assert(
      declined(EqualTo(text, Literal.create(UTF8String.fromString("a"), CharType(3))))
        .contains("the type char(3)")
    )
    val whole = EqualTo(new Murmur3Hash(Seq(v)), Literal(1))
    assert(declined(whole).endsWith("it looks at v as a whole"))
  }

  test("one predicate that stays behind does not hold the others back") {
    val conjuncts = of(EqualTo(partition, Literal(1)), GreaterThan(id, Literal(3L)))
    assert(conjuncts.declined.size === 1)
    assert(conjuncts.pushed.map(_.columns.fieldNames.toSeq) === Seq(Seq("id")))
  }

  test("the texts say what can be skipped") {
    assert(
      of(GreaterThan(id, Literal(3L))).pushed.head.texts ===
        Seq("(id > 3L) by row groups, pages, rows")
    )
    assert(
      of(EqualTo(Remainder(id, Literal(2L)), Literal(0L))).pushed.head.texts.head
        .endsWith(" by rows, nulls also by row groups, pages")
    )
    assert(of(IsNull(id)).pushed.size === 1)
  }

  test("a lambda that is true for no element skips nothing, because the cast may raise an error") {
    val array = get(v, "$.l", ArrayType(IntegerType))
    val x = NamedLambdaVariable("x", IntegerType, nullable = true)
    def exists(body: Expression) = ArrayExists(array, LambdaFunction(body, Seq(x)))
    val never = Seq(
      Literal.FalseLiteral,
      Literal(null, BooleanType),
      And(IsNull(x), Literal(null, BooleanType)),
      Not(Literal.TrueLiteral)
    )
    never.foreach { body =>
      val found = pushed(exists(body)).skipping
      assert(SkippingPredicate.looksForNulls(found), s"$body: $found")
      val either = pushed(Or(exists(body), EqualTo(a, Literal(5L)))).skipping
      assert(either === pushed(Or(exists(EqualTo(x, x)), EqualTo(a, Literal(5L)))).skipping)
    }
    assert(!SkippingPredicate.looksForNulls(pushed(exists(GreaterThan(x, Literal(5)))).skipping))
  }
}

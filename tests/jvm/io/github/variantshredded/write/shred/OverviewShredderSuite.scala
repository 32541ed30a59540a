package io.github.variantshredded.write.shred

import java.math.{BigDecimal, BigInteger}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.read.file.{FileRows, OverviewFiles}
import io.github.variantshredded.shredding.ShreddingGenerators._
import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.testing.{Clue, VariantTree}
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.example.data.Group
import org.apache.parquet.schema.Type.Repetition.OPTIONAL
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** What is written in the earlier layout, column by column, by the document "Shredding Overview". */
class OverviewShredderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private val settings = ShredderSettings(layout = Layout.Overview)

  /** The columns of one group as text: what is null is left out; `untyped_value` is decoded. */
  private def show(group: Group): String = group.getType.getFields.asScala.zipWithIndex
    .flatMap { case (field, i) =>
      val values = (0 until group.getFieldRepetitionCount(i)).map { n =>
        if (field.getName == "untyped_value" && field.isPrimitive) {
          val binary = group.getBinary(i, n).getBytes
          // All metadata here have offsets of one byte.
          val length = 3 + binary(1) + binary(2 + binary(1))
          VariantTree.decode(binary.take(length), binary.drop(length)).toString
        } else if (field.isPrimitive) group.getValueToString(i, n)
        else show(group.getGroup(i, n))
      }
      Option.when(values.nonEmpty)(s"${field.getName}=${values.mkString("+")}")
    }
    .mkString("{", " ", "}")

  private def shredded(ddl: String, trees: VariantTree*): Seq[String] =
    ShreddedGroups
      .shred(ShreddingText.parse(ddl), settings, trees.map(VariantTree.encode))
      .map(show)

  test("Parquet Example: the table") {
    val trees = OverviewFiles.exampleRows.map(_._1)
    assert(
      shredded("a bigint, b struct<c string>", trees: _*) === Seq(
        "{object={a={typed_value=123} b={object={c={typed_value=hello}}}}}",
        "{object={a={untyped_value=Decimal4(123,2)} b={object={c={typed_value=123}}}}}",
        "{object={a={untyped_value=Arr(Vector(Int8(1), Int8(2), Int8(3)))} " +
          "b={object={c={untyped_value=Null}}}}}",
        "{untyped_value=Obj(Vector((c,Int16(456)))) object={a={typed_value=123}}}",
        "{object={a={typed_value=123} " +
          "b={untyped_value=Obj(Vector((d,Int16(456)))) object={c={typed_value=hello}}}}}",
        s"{untyped_value=${trees.last}}"
      )
    )
  }

  test("Nested Parquet Example: the values") {
    assert(
      shredded(
        "array<struct<a array<bigint>, b bigint>>",
        OverviewFiles.nestedRows.map(_._1).take(2): _*
      ) === Seq(
        "{array={list={element={object={a={array={list={element={typed_value=1}}+" +
          "{element={typed_value=2}}+{element={typed_value=3}}}} b={typed_value=100}}}}+" +
          "{element={object={a={array={list={element={typed_value=4}}+{element={typed_value=5}}+" +
          "{element={typed_value=6}}}} b={typed_value=200}}}}}}",
        "{array={list={element={untyped_value=Obj(Vector((c,Str(unexpected)))) " +
          "object={a={array={list={element={typed_value=1}}+{element={typed_value=2}}+" +
          "{element={typed_value=3}}}} b={typed_value=100}}}}+" +
          "{element={object={a={array={list={element={typed_value=4}}+{element={typed_value=5}}+" +
          "{element={typed_value=6}}}} b={typed_value=200}}}}+" +
          "{element={untyped_value=Str(not an object)}}}}"
      )
    )
  }

  test("the schemas of the document's examples") {
    def drawn(ddl: String) =
      Layout.Overview.group("variant_col", ShreddingText.parse(ddl), OPTIONAL).toString
    assert(
      drawn("a bigint, b struct<c string>") ===
        """optional group variant_col {
          |  optional binary untyped_value;
          |  optional group object {
          |    optional group a {
          |      optional binary untyped_value;
          |      optional int64 typed_value;
          |    }
          |    optional group b {
          |      optional binary untyped_value;
          |      optional group object {
          |        optional group c {
          |          optional binary untyped_value;
          |          optional binary typed_value (STRING);
          |        }
          |      }
          |    }
          |  }
          |}""".stripMargin
    )
    assert(
      drawn("array<struct<a array<bigint>>>") ===
        """optional group variant_col {
          |  optional binary untyped_value;
          |  optional group array (LIST) {
          |    repeated group list {
          |      optional group element {
          |        optional binary untyped_value;
          |        optional group object {
          |          optional group a {
          |            optional binary untyped_value;
          |            optional group array (LIST) {
          |              repeated group list {
          |                optional group element {
          |                  optional binary untyped_value;
          |                  optional int64 typed_value;
          |                }
          |              }
          |            }
          |          }
          |        }
          |      }
          |    }
          |  }
          |}""".stripMargin
    )
  }

  test("missing, empty, Variant null and other types are kept apart") {
    assert(
      shredded(
        "a bigint, l array<string>",
        obj(),
        obj("a" -> Null),
        obj("l" -> arr()),
        obj("l" -> arr(Null, arr(), Str("s"))),
        obj("l" -> obj("l" -> Null)),
        Null,
        arr()
      ) === Seq(
        "{object={}}",
        "{object={a={untyped_value=Null}}}",
        "{object={l={array={}}}}",
        "{object={l={array={list={element={untyped_value=Null}}+" +
          "{element={untyped_value=Arr(Vector())}}+{element={typed_value=s}}}}}}",
        "{object={l={untyped_value=Obj(Vector((l,Null)))}}}",
        "{untyped_value=Null}",
        "{untyped_value=Arr(Vector())}"
      )
    )
  }

  test("Shredding Semantics: numbers go to any column of numbers that holds their value") {
    def stored(ddl: String, trees: VariantTree*) =
      shredded(ddl, trees: _*).map(_.stripPrefix("{").stripSuffix("}"))
    assert(
      stored(
        "decimal(9,2)",
        Int8(123),
        Int64(-9999999),
        Int32(10000000),
        Decimal4(15, 1),
        Decimal16(BigInteger.valueOf(1500), 3),
        Decimal4(1234, 3),
        Dbl(1),
        Str("1")
      ) === Seq(
        "typed_value=12300",
        "typed_value=-999999900",
        "untyped_value=Int32(10000000)",
        "typed_value=150",
        "typed_value=150",
        "untyped_value=Decimal4(1234,3)",
        "untyped_value=Dbl(1.0)",
        "untyped_value=Str(1)"
      )
    )
    assert(
      stored(
        "bigint",
        Decimal4(12300, 2),
        Decimal4(123, 2),
        Decimal16(BigInteger.ONE.shiftLeft(63), 0)
      ) ===
        Seq(
          "typed_value=123",
          "untyped_value=Decimal4(123,2)",
          s"untyped_value=Decimal16(${BigInteger.ONE.shiftLeft(63)},0)"
        )
    )
    assert(
      stored("tinyint", Decimal8(1270, 1), Decimal8(1280, 1), Int64(-128), Decimal4(-1280, 1)) ===
        Seq(
          "typed_value=127",
          "untyped_value=Decimal8(1280,1)",
          "typed_value=-128",
          "typed_value=-128"
        )
    )
    assert(stored("double", Int8(1), Dbl(1)) === Seq("untyped_value=Int8(1)", "typed_value=1.0"))
    assert(stored("float", Dbl(1), Flt(1)) === Seq("untyped_value=Dbl(1.0)", "typed_value=1.0"))
    assert(stored("string", Int8(1)) === Seq("untyped_value=Int8(1)"))
  }

  test("Shredding Semantics: no number changes its value") {
    val numbers = for {
      digits <- Gen.choose(1, 38)
      unscaled <- Gen.listOfN(digits, Gen.numChar).map(d => new BigInteger(d.mkString))
      negative <- Gen.oneOf(true, false)
      scale <- Gen.choose(0, 38)
      zeros <- Gen.choose(0, 5)
    } yield {
      val padded = unscaled.multiply(BigInteger.TEN.pow(zeros))
      val bounded = if (padded.bitLength > 120) unscaled else padded
      val signed = if (negative) bounded.negate else bounded
      if (scale % 3 == 0 && signed.bitLength < 64) Int64(signed.longValue)
      else Decimal16(signed, scale)
    }
    val schemas = Gen.oneOf(
      Gen.oneOf("tinyint", "smallint", "int", "bigint"),
      for {
        precision <- Gen.choose(1, 38)
        scale <- Gen.choose(0, precision)
      } yield s"decimal($precision,$scale)"
    )
    var typed = 0
    forAll(Gen.listOfN(8, numbers), schemas, minSuccessful(300)) { (trees, ddl) =>
      val groups =
        ShreddedGroups.shred(ShreddingText.parse(ddl), settings, trees.map(VariantTree.encode))
      trees.zip(groups).foreach { case (tree, group) =>
        val back = OverviewUnshredding.variant(group)
        assert(
          OverviewShredderSuite.number(back).get.compareTo(OverviewShredderSuite.number(tree).get)
            === 0,
          s"$tree by $ddl"
        )
        typed += group.getFieldRepetitionCount("typed_value")
      }
    }
    assert(typed > 200)
  }

  test("whatever is shredded by whatever schema can be put together again, by us too") {
    forAll(genShredding, minSuccessful(250)) { case (trees, schema, seed) =>
      val encoded = trees.zipWithIndex.map { case (tree, i) => VariantTree.encode(tree, seed + i) }
      val groups = ShreddedGroups.shred(schema, settings, encoded, ShredderSuite.props(seed))
      val file = ShreddedGroups.write(schema, settings, encoded)
      val read = FileRows.variants(file, "v")
      trees.zip(groups).zip(read).foreach { case ((tree, group), ours) =>
        val back = OverviewUnshredding.variant(group)
        assert(
          OverviewShredderSuite.same(back, tree),
          Clue(s"\n  schema   ${ShreddingText.render(schema)}\n  expected $tree\n  found    $back")
        )
        assert(ours.exists(OverviewShredderSuite.same(_, tree)), Clue(s"$ours, not $tree"))
      }
    }
  }

  test("nesting is bounded") {
    def nested(depth: Int) = (1 to depth).foldLeft[VariantTree](obj("x" -> Int8(1))) { (inner, i) =>
      if (i % 2 == 0) arr(inner) else obj("y" -> inner)
    }
    val file = ShreddedGroups.write(
      ShreddingText.parse("y array<struct<y variant>>"),
      settings,
      Seq(VariantTree.encode(nested(511)))
    )
    assert(FileRows.variants(file, "v") === Seq(Some(nested(511))))
  }
}

object OverviewShredderSuite {

  /** The value of an integer or a decimal. */
  def number(tree: VariantTree): Option[BigDecimal] = tree match {
    case Int8(n)         => Some(BigDecimal.valueOf(n.toLong))
    case Int16(n)        => Some(BigDecimal.valueOf(n.toLong))
    case Int32(n)        => Some(BigDecimal.valueOf(n.toLong))
    case Int64(n)        => Some(BigDecimal.valueOf(n))
    case Decimal4(u, s)  => Some(BigDecimal.valueOf(u.toLong, s))
    case Decimal8(u, s)  => Some(BigDecimal.valueOf(u, s))
    case Decimal16(u, s) => Some(new BigDecimal(u, s))
    case _               => None
  }

  /** Whether the trees are the same if integers and decimals are one kind of number. */
  def same(a: VariantTree, b: VariantTree): Boolean = (a, b) match {
    case (Obj(as), Obj(bs)) =>
      val byName = bs.toMap
      as.size == bs.size &&
      as.forall { case (name, child) => byName.get(name).exists(same(child, _)) }
    case (Arr(as), Arr(bs)) =>
      as.size == bs.size && as.zip(bs).forall { case (x, y) => same(x, y) }
    case _ =>
      (number(a), number(b)) match {
        case (Some(x), Some(y)) => x.compareTo(y) == 0
        case _                  => VariantTree.sameAs(a, b)
      }
  }
}

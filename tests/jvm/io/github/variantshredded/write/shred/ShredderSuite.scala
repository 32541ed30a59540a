package io.github.variantshredded.write.shred

import java.math.BigInteger

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.ShreddingGenerators._
import io.github.variantshredded.testing.{Clue, VariantTree}
import io.github.variantshredded.testing.VariantGenerators._
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.column.ParquetProperties
import org.apache.parquet.column.ParquetProperties.WriterVersion
import org.apache.parquet.example.data.Group
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ShredderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 600)

  private val settings = ShredderSettings()

  /** The columns of one group as text: what is null is left out; `value` is decoded. */
  private def show(group: Group): String = {
    val metadata = group.getBinary("metadata", 0).getBytes
    def shown(at: Group): String = at.getType.getFields.asScala.zipWithIndex
      .flatMap { case (field, i) =>
        val values = (0 until at.getFieldRepetitionCount(i)).map { n =>
          if (field.getName == "value" && field.isPrimitive)
            VariantTree.decode(metadata, at.getBinary(i, n).getBytes).toString
          else if (field.isPrimitive) at.getValueToString(i, n)
          else shown(at.getGroup(i, n))
        }
        if (values.isEmpty || field.getName == "metadata") None
        else Some(s"${field.getName}=${values.mkString("+")}")
      }
      .mkString("{", " ", "}")
    shown(group)
  }

  private def shredded(ddl: String, trees: VariantTree*): Seq[String] =
    ShreddedGroups.shred(ShreddingText.parse(ddl), trees: _*).map(show)

  private def one(ddl: String, tree: VariantTree): String = shredded(ddl, tree).head

  test("the spec's series of measurements") {
    assert(
      shredded("bigint", Int8(34), Null, Str("n/a"), Int8(100)) === Seq(
        "{typed_value=34}",
        "{value=Null}",
        "{value=Str(n/a)}",
        "{typed_value=100}"
      )
    )
  }

  test("the spec's series of tags") {
    assert(
      shredded(
        "array<string>",
        arr(Str("comedy"), Str("drama")),
        arr(Str("horror"), Null),
        Null,
        arr()
      ) === Seq(
        "{typed_value={list={element={typed_value=comedy}}+{element={typed_value=drama}}}}",
        "{typed_value={list={element={typed_value=horror}}+{element={value=Null}}}}",
        "{value=Null}",
        "{typed_value={}}"
      )
    )
  }

  test("the spec's series of events") {
    val rows = Seq(
      obj("event_type" -> Str("noop"), "event_ts" -> TimestampMicros(1729794114937L)) ->
        "{typed_value={event_type={typed_value=noop} event_ts={typed_value=1729794114937}}}",
      obj(
        "event_type" -> Str("login"),
        "event_ts" -> TimestampMicros(1729794146402L),
        "email" -> Str("user@example.com")
      ) ->
        ("{value=Obj(Vector((email,Str(user@example.com)))) " +
          "typed_value={event_type={typed_value=login} event_ts={typed_value=1729794146402}}}"),
      obj("error_msg" -> Str("malformed: ...")) ->
        "{value=Obj(Vector((error_msg,Str(malformed: ...)))) typed_value={event_type={} event_ts={}}}",
      Str("malformed: not an object") -> "{value=Str(malformed: not an object)}",
      obj("event_ts" -> TimestampMicros(1729794240241L), "click" -> Str("_button")) ->
        ("{value=Obj(Vector((click,Str(_button)))) " +
          "typed_value={event_type={} event_ts={typed_value=1729794240241}}}"),
      obj("event_type" -> Null, "event_ts" -> TimestampMicros(1729794954163L)) ->
        "{typed_value={event_type={value=Null} event_ts={typed_value=1729794954163}}}",
      obj("event_type" -> Str("noop"), "event_ts" -> Str("2024-10-24")) ->
        "{typed_value={event_type={typed_value=noop} event_ts={value=Str(2024-10-24)}}}",
      obj() -> "{typed_value={event_type={} event_ts={}}}",
      Null -> "{value=Null}"
    )
    assert(shredded("event_type string, event_ts timestamp", rows.map(_._1): _*) === rows.map(_._2))
  }

  test("nested objects keep their own rest beside them") {
    val tree = obj(
      "location" -> obj("latitude" -> Dbl(1), "name" -> Str("x"), "longitude" -> Int8(2)),
      "rest" -> arr(Int8(1))
    )
    assert(
      one("location struct<latitude double, longitude double>, tags array<string>", tree) ===
        "{value=Obj(Vector((rest,Arr(Vector(Int8(1)))))) typed_value={location=" +
        "{value=Obj(Vector((name,Str(x)))) typed_value={latitude={typed_value=1.0} " +
        "longitude={value=Int8(2)}}} tags={}}}"
    )
  }

  test("a field without a type is a column of its own") {
    assert(
      one("a variant, b int", obj("a" -> arr(Null), "b" -> Str("x"))) ===
        "{typed_value={a={value=Arr(Vector(Null))} b={value=Str(x)}}}"
    )
    assert(one("variant", obj("a" -> Null)) === "{value=Obj(Vector((a,Null)))}")
    assert(
      one("array<variant>", arr(Int8(1), obj())) ===
        "{typed_value={list={element={value=Int8(1)}}+{element={value=Obj(Vector())}}}}"
    )
  }

  test("integers of any width that fit, and no others") {
    val numbers = Seq[VariantTree](
      Int8(-128),
      Int16(127),
      Int16(128),
      Int32(-32768),
      Int32(32768),
      Int64(7),
      Int64(Int.MinValue.toLong),
      Int64(Int.MaxValue + 1L)
    )
    def typed(ddl: String) = shredded(ddl, numbers: _*).map(_.startsWith("{typed_value"))
    assert(typed("tinyint") === Seq(true, true, false, false, false, true, false, false))
    assert(typed("smallint") === Seq(true, true, true, true, false, true, false, false))
    assert(typed("int") === Seq(true, true, true, true, true, true, true, false))
    assert(typed("bigint") === Seq.fill(8)(true))
    assert(one("bigint", Decimal4(7, 0)) === "{value=Decimal4(7,0)}")
    assert(one("bigint", Date(7)) === "{value=Date(7)}")
  }

  test("decimals of the same scale that fit, and no others") {
    assert(one("decimal(5,2)", Decimal4(99999, 2)) === "{typed_value=99999}")
    assert(one("decimal(5,2)", Decimal4(100000, 2)) === "{value=Decimal4(100000,2)}")
    assert(one("decimal(5,2)", Decimal4(-99999, 2)) === "{typed_value=-99999}")
    assert(one("decimal(5,2)", Decimal8(1, 2)) === "{typed_value=1}")
    assert(one("decimal(5,2)", Decimal16(BigInteger.TEN, 2)) === "{typed_value=10}")
    assert(one("decimal(5,2)", Decimal4(10, 1)) === "{value=Decimal4(10,1)}")
    assert(one("decimal(5,0)", Int8(10)) === "{value=Int8(10)}")
    assert(one("decimal(5,0)", Dbl(10)) === "{value=Dbl(10.0)}")
    val tooLong = BigInteger.ONE.shiftLeft(64)
    assert(one("decimal(18,2)", Decimal16(tooLong, 2)) === s"{value=Decimal16($tooLong,2)}")
    assert(one("decimal(18,2)", Decimal8(-1, 2)) === "{typed_value=-1}")
    for (precision <- 19 to 38; sign <- Seq(1, -1)) {
      val most = BigInteger.TEN
        .pow(precision)
        .subtract(BigInteger.ONE)
        .multiply(BigInteger.valueOf(sign.toLong))
      val schema = ShreddingText.parse(s"decimal($precision,3)")
      val group = ShreddedGroups.shred(schema, Decimal16(most, 3)).head
      assert(group.getFieldRepetitionCount("value") === 0)
      assert(Unshredding.variant(group) === Decimal16(most, 3))
      if (precision < 38) {
        val more =
          Decimal16(BigInteger.TEN.pow(precision).multiply(BigInteger.valueOf(sign.toLong)), 3)
        assert(ShreddedGroups.shred(schema, more).head.getFieldRepetitionCount("typed_value") === 0)
      }
    }
  }

  test("types that look alike are not exchanged") {
    val pairs = Seq(
      "float" -> Dbl(1),
      "double" -> Flt(1),
      "double" -> Int8(1),
      "timestamp" -> TimestampNanos(1),
      "timestamp" -> TimestampNtzMicros(1),
      "timestamp_ns" -> TimestampMicros(1),
      "timestamp_ntz" -> TimestampMicros(1),
      "timestamp_ntz_ns" -> TimestampNtzMicros(1),
      "date" -> TimestampMicros(0),
      "date" -> Int32(0),
      "time" -> Int64(0),
      "string" -> Binary(Vector(65)),
      "binary" -> Str("A"),
      "uuid" -> Binary(Vector.fill(16)(1.toByte)),
      "boolean" -> Int8(1),
      "int" -> Bool(true)
    )
    pairs.foreach { case (ddl, tree) => assert(one(ddl, tree) === s"{value=$tree}") }
  }

  test("a NaN that Parquet would write with other bits stays as it is") {
    val quiet = Array[Byte](14 << 2, 0, 0, -64, 127)
    val odd = Array[Byte](14 << 2, 1, 0, -64, 127)
    val metadata = Array[Byte](1, 0, 0)
    val groups = ShreddedGroups.shred(
      ShreddingText.parse("float"),
      settings,
      Seq(metadata -> quiet, metadata -> odd)
    )
    assert(groups.map(_.getFieldRepetitionCount("typed_value")) === Seq(1, 0))
    assert(groups(1).getBinary("value", 0).getBytes === odd)
    assert(one("double", Dbl(-0.0)) === "{typed_value=-0.0}")
  }

  test("in files with Julian dates old dates stay in value") {
    val legacy = ShredderSettings(legacyCalendar = true)
    def typed(ddl: String, trees: VariantTree*) =
      ShreddedGroups
        .shred(ShreddingText.parse(ddl), legacy, trees.map(VariantTree.encode))
        .map(_.getFieldRepetitionCount("typed_value") == 1)
    assert(typed("date", Date(-141428), Date(-141427)) === Seq(false, true))
    val first = -2208988800000000L
    assert(
      typed("timestamp", TimestampMicros(first - 1), TimestampMicros(first)) === Seq(false, true)
    )
    assert(typed("timestamp_ntz", TimestampNtzMicros(first - 1)) === Seq(true))
  }

  test("whatever is shredded by whatever schema can be put together again") {
    forAll(genShredding, minSuccessful(250)) { case (trees, schema, seed) =>
      val encoded = trees.zipWithIndex.map { case (tree, i) => VariantTree.encode(tree, seed + i) }
      val groups = ShreddedGroups.shred(schema, settings, encoded)
      trees.zip(groups).foreach { case (tree, group) =>
        val back = Unshredding.variant(group)
        assert(
          VariantTree.sameAs(back, tree, exact = false),
          Clue(s"\n  schema   ${ShreddingText.render(schema)}\n  expected $tree\n  found    $back")
        )
      }
      // Where pages end makes no difference, nor does their version.
      val short = ShreddedGroups.shred(schema, settings, encoded, ShredderSuite.props(seed))
      short.zip(groups).foreach { case (a, b) =>
        assert(VariantTree.sameAs(Unshredding.variant(a), Unshredding.variant(b)))
      }
      // Metadata is written as it is.
      assert(groups.map(_.getBinary("metadata", 0).getBytes.toSeq) === encoded.map(_._1.toSeq))
    }
  }

  test("a schema that fits leaves nothing in value") {
    forAll(genVariantTree(3, 4)) { tree =>
      ShredderSuite.exactSchema(tree).foreach { schema =>
        val shown = show(ShreddedGroups.shred(schema, tree).head)
        assert(!shown.contains("value=Obj") && !shown.startsWith("{value"), shown)
      }
    }
  }

  test("malformed Variants are refused before anything is written") {
    def refused(metadata: Seq[Int], value: Seq[Int], ddl: String = "a int"): String = {
      val e = intercept[VariantShreddedException](
        ShreddedGroups.shred(
          ShreddingText.parse(ddl),
          settings,
          Seq(metadata.map(_.toByte).toArray -> value.map(_.toByte).toArray)
        )
      )
      assert(e.getCondition === "MALFORMED_VARIANT")
      e.getMessage
    }
    val names = Seq(1, 2, 0, 1, 2, 'a'.toInt, 'b'.toInt)
    val double = Seq(1, 2, 0, 1, 2, 'a'.toInt, 'a'.toInt)
    // {a: 1, a: 2}: by one id, and by two ids of one name.
    assert(refused(names, Seq(2, 2, 0, 0, 0, 2, 4, 12, 1, 12, 2)).contains("has the same name"))
    assert(refused(double, Seq(2, 2, 0, 1, 0, 2, 4, 12, 1, 12, 2)).contains("has the same name"))
    refused(names, Seq(2, 2, 1, 0, 0, 2, 4, 12, 1, 12, 2))
    refused(names, Seq(2, 1, 7, 0, 2, 12, 1))
    refused(names, Seq(2, 1, 0, 0, 9, 12, 1))
    refused(names, Seq(21 << 2))
    refused(names, Seq(12))
    refused(names, Seq(12, 1, 1))
    refused(names, Seq())
    refused(Seq(), Seq(0))
    refused(Seq(2, 0, 0), Seq(0))
    refused(Seq(1, 255, 0), Seq(0))
    refused(names, Seq(0x42, 255, 255, 255, 127, 0, 0))
  }

  test("every beginning of a Variant is refused, or is one itself") {
    forAll(genVariantTree(3, 4), Gen.long, minSuccessful(150)) { (tree, seed) =>
      val (metadata, value) = VariantTree.encode(tree, seed)
      val schema = ShreddingText.parse("a int, b struct<a string>, tags array<int>")
      def attempt(metadata: Array[Byte], value: Array[Byte]): Unit =
        try {
          val _ = ShreddedGroups.shred(schema, settings, Seq(metadata -> value))
        } catch {
          case e: VariantShreddedException => assert(e.getCondition === "MALFORMED_VARIANT")
        }
      value.indices.foreach(n => attempt(metadata, value.take(n)))
      metadata.indices.foreach(n => attempt(metadata.take(n), value))
    }
  }

  test("nesting is bounded") {
    def nested(depth: Int) = (1 to depth).foldLeft[VariantTree](Int8(1))((inner, _) => arr(inner))
    val deep = ShreddingText.parse("array<" * 200 + "tinyint" + ">" * 200)
    // Parquet-java's readers take minutes for such a schema.
    val file = ShreddedGroups.write(deep, settings, Seq(VariantTree.encode(nested(1000))))
    assert(FileRows.variants(file, "v") === Seq(Some(nested(1000))))
    val e = intercept[VariantShreddedException](ShreddedGroups.shred(deep, nested(1001)))
    assert(e.getMessage.contains("1000"))
  }

  test("more dictionaries than are kept, some of them large") {
    val schema = ShreddingText.parse("a int")
    val trees = (0 until 2000).map { i =>
      val wide = if (i % 400 == 0) (0 until 3000).map(j => s"name$j" -> Int8(1)) else Nil
      obj(Seq("a" -> Int32(i), s"n${i % 700}" -> Int8(1)) ++ wide: _*)
    }
    val groups = ShreddedGroups.shred(schema, trees: _*)
    trees.zip(groups).foreach { case (tree, group) =>
      assert(VariantTree.sameAs(Unshredding.variant(group), tree, exact = false))
      assert(
        group.getGroup("typed_value", 0).getGroup("a", 0).getFieldRepetitionCount("value") === 0
      )
    }
  }
}

private object ShredderSuite {

  /** Properties by which pages are small, in one of the two versions, with or without dictionaries. */
  def props(seed: Long): ParquetProperties = ParquetProperties
    .builder()
    .withPageRowCountLimit(1 + (seed & 1).toInt)
    .withWriterVersion(WriterVersion.values()(((seed >> 1) & 1).toInt))
    .withDictionaryEncoding((seed & 4) == 0)
    .build()

  import io.github.variantshredded.shredding.ShreddedType
  import io.github.variantshredded.shredding.ShreddingSchema._

  /** The schema that takes all of `tree`, if there is one. */
  def exactSchema(tree: VariantTree): Option[ShreddingSchema] = tree match {
    case Obj(fields) =>
      val typed = fields.flatMap { case (name, child) => exactSchema(child).map(name -> _) }
      if (typed.isEmpty || typed.size < fields.size) None else Some(ObjectOf(typed))
    case Arr(elements) =>
      val schemas = elements.map(exactSchema).distinct
      if (schemas.size == 1) schemas.head.map(ArrayOf(_)) else None
    case Bool(_)               => Some(Primitive(ShreddedType.BooleanType))
    case Int8(_)               => Some(Primitive(ShreddedType.Int8))
    case Int16(_)              => Some(Primitive(ShreddedType.Int16))
    case Int32(_)              => Some(Primitive(ShreddedType.Int32))
    case Int64(_)              => Some(Primitive(ShreddedType.Int64))
    case Flt(_)                => Some(Primitive(ShreddedType.FloatType))
    case Dbl(_)                => Some(Primitive(ShreddedType.DoubleType))
    case Decimal4(_, scale)    => Some(Primitive(ShreddedType.DecimalOf(38, scale)))
    case Decimal8(_, scale)    => Some(Primitive(ShreddedType.DecimalOf(38, scale)))
    case Decimal16(_, scale)   => Some(Primitive(ShreddedType.DecimalOf(38, scale)))
    case Date(_)               => Some(Primitive(ShreddedType.Date))
    case Time(_)               => Some(Primitive(ShreddedType.Time))
    case TimestampMicros(_)    => Some(Primitive(ShreddedType.TimestampMicros))
    case TimestampNtzMicros(_) => Some(Primitive(ShreddedType.TimestampNtzMicros))
    case TimestampNanos(_)     => Some(Primitive(ShreddedType.TimestampNanos))
    case TimestampNtzNanos(_)  => Some(Primitive(ShreddedType.TimestampNtzNanos))
    case Binary(_)             => Some(Primitive(ShreddedType.Binary))
    case Str(_)                => Some(Primitive(ShreddedType.StringType))
    case Uuid(_)               => Some(Primitive(ShreddedType.Uuid))
    case Null                  => None
  }
}

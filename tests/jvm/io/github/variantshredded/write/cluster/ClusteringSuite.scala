package io.github.variantshredded.write.cluster

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.shredding.{ShreddingSpec, ShreddingText}
import io.github.variantshredded.testing.{Clue, VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import io.github.variantshredded.write.WriteSuite
import io.github.variantshredded.write.column.RowGroupMemory
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.functions._
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** The order of rows in files. */
class ClusteringSuite extends WriteSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 6)

  private val byShape = "clustering" -> "shape"

  /** The numbers of the rows, as they lie in the only file. */
  private def order(path: Path): Seq[Int] = groups(onlyFile(path)).map(_.getInteger("n", 0))

  private def order(df: DataFrame, options: (String, String)*): Seq[Int] =
    order(written(df, options: _*))

  test("rows stay in their order unless something else is asked for") {
    val df = json("""{"b": 1}""", """{"a": 1}""", """{"b": 0}""", """{"a": 0}""")
    assert(order(df) === Seq(0, 1, 2, 3))
    assert(order(df, "clustering" -> "none") === Seq(0, 1, 2, 3))
  }

  test("rows of one shape lie together, the frequent one first, otherwise in their order") {
    val push = """{"kind": "p", "push": {"ref": "r", "size": 1}}"""
    val star = """{"kind": "s", "star": {"n": 1}}"""
    val df = json(star, push, push, star, push, "1", push)
    assert(order(df, byShape) === Seq(1, 2, 4, 6, 0, 3, 5))
  }

  test("what is left for `value` is part of the shape, and so are nulls and strays") {
    val df = json("""{"a": 1}""", """{"a": null}""", """{"a": 1, "z": 0}""", """{"a": 1}""")
    val ddl = "shredding" -> """{"v": "a int"}"""
    val found = order(df, byShape, ddl)
    assert(found.sorted === Seq(0, 1, 2, 3))
    assert(found.indexOf(3) === found.indexOf(0) + 1)
    assert(order(df, byShape, "shredding" -> "none") === Seq(0, 1, 2, 3))
  }

  test(
    "rows with the same rare fields lie together, if there are some; keys of one row do not matter"
  ) {
    // Of every ten rows one has `x`, one has `y`, and the others have a key of their own.
    def row(i: Int) = i % 10 match {
      case 3 => s"""{"id": $i, "x": 0}"""
      case 7 => s"""{"id": $i, "y": 0}"""
      case _ => s"""{"id": $i, "k$i": 0}"""
    }
    val rows = 0 until 100
    val found = order(json(rows.map(row): _*), byShape, "shredding" -> """{"v": "id int"}""")
    val (rare, own) = rows.partition(i => i % 10 == 3 || i % 10 == 7)
    assert(found.drop(20) === own)
    assert(Seq(3, 7).exists(kind => found.take(10) === rare.filter(_ % 10 == kind)))
    assert(found.take(20).sorted === rare)
  }

  test("the columns of an object that a half of the rows lacks are one run of nulls") {
    def row(i: Int) =
      if (i % 2 == 0) s"""{"id": $i, "issue": {"title": "t$i", "n": $i}}""" else s"""{"id": $i}"""
    val df = json((0 until 200).map(row): _*)
    assert(order(df, byShape) === (0 until 200 by 2) ++ (1 until 200 by 2))
  }

  test("sorted by values of all types") {
    val trees = Seq(
      None,
      Some(obj("k" -> Null)),
      Some(obj("k" -> Bool(false))),
      Some(obj("k" -> Bool(true))),
      Some(obj("k" -> Dbl(Double.NegativeInfinity))),
      Some(obj("k" -> Int64(Long.MinValue))),
      Some(obj("k" -> Int64(Long.MinValue + 1))),
      Some(obj("k" -> Int8(-1))),
      Some(obj("k" -> Decimal4(-5, 1))),
      Some(obj("k" -> Int8(0))),
      Some(obj("k" -> Flt(0.5f))),
      Some(obj("k" -> Int32(70000))),
      Some(obj("k" -> Int64(Long.MaxValue - 1))),
      Some(obj("k" -> Int64(Long.MaxValue))),
      Some(obj("k" -> Dbl(9.3e18))),
      Some(obj("k" -> Dbl(Double.NaN))),
      Some(obj("k" -> Date(3))),
      Some(obj("k" -> TimestampMicros(-1))),
      Some(obj("k" -> TimestampMicros(7))),
      Some(obj("k" -> TimestampNtzMicros(1))),
      Some(obj("k" -> Str(""))),
      Some(obj("k" -> Str("a"))),
      Some(obj("k" -> Str("a\u0000"))),
      Some(obj("k" -> Str("a\u0000b"))),
      Some(obj("k" -> Str("ab"))),
      Some(obj("k" -> Str("\uffff"))),
      Some(obj("k" -> Str("\ud83d\ude00"))),
      Some(obj("k" -> Binary(Vector(1)))),
      Some(obj("k" -> obj("z" -> Null))),
      Some(obj("k" -> arr()))
    )
    // Number of a row: its index in the order.
    def shuffled(seed: Long) = {
      val indexes = new scala.util.Random(seed).shuffle(trees.indices.toList)
      variants(indexes.map(trees): _*)
        .withColumn("index", element_at(typedLit(indexes), col("n") + 1))
        .select(col("index").as("n"), col("v"))
    }
    Seq(1L, 2L, 3L).foreach { seed =>
      assert(order(shuffled(seed), "clusterBy" -> "$.k") === trees.indices)
    }
  }

  test("missing values, and zeros of both signs, are alike and stay in their order") {
    val trees =
      Seq(obj("k" -> Dbl(0.0)), obj("k" -> Dbl(-0.0)), obj(), Int8(1), obj("k" -> Int8(0)))
    assert(order(variants(trees.map(Some(_)): _*), "clusterBy" -> "$.k") === Seq(2, 3, 0, 1, 4))
  }

  test("several paths, quoted and nested; alike rows by their shape") {
    val df = json(
      """{"a b": 1, "c": {"d": "y"}}""",
      """{"a b": 0, "c": {"d": "y"}, "x": 1}""",
      """{"a b": 1, "c": {"d": "x"}}""",
      """{"a b": 0, "c": {"d": "y"}}""",
      """{"a b": 0, "c": {"d": "y"}, "x": 1}"""
    )
    val paths = "clusterBy" -> "$['a b'], $.c.d"
    assert(order(df, paths) === Seq(1, 3, 4, 2, 0))
    // `x` is in two of five rows, so rows without it are the usual ones.
    assert(order(df, paths, byShape) === Seq(3, 1, 4, 2, 0))
  }

  test("by column, one within a struct; several Variants a row are refused") {
    val df = json("""{"k": 2, "l": 1}""", """{"k": 1, "l": 2}""", """{"k": 2, "l": 0}""")
      .select(col("n"), col("v"), struct(col("n").as("m"), col("v").as("w")).as("s"))
    val paths = """{"v": "$.k", "S.w": "$.l"}"""
    assert(order(df, "clusterBy" -> paths) === Seq(1, 2, 0))
    assert(order(df, "clusterBy" -> paths, byShape) === Seq(1, 2, 0))
    def refused(df: DataFrame, text: String) =
      intercept[VariantShreddedException](written(df, "clusterBy" -> text)).getMessage
    assert(refused(df, "$.k").contains("there are 2 Variant columns"))
    assert(refused(df.select("v"), "k").contains("expected '$', found 'k'"))
    assert(
      refused(df.select("v"), "$.k, $.l[*]")
        .contains("expected paths with one value per row, which '$.l[*]' is not.")
    )
    assert(
      refused(df.select(array(col("v")).as("list")), "$.k") ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'clusterBy' is '$.k', expected columns with one " +
        "Variant per row, which 'list.element' is not."
    )
    assert(
      intercept[VariantShreddedException](written(df, "clustering" -> "size")).getMessage
        .contains("expected one of none, shape")
    )
  }

  test("rows are sorted within what memory holds, and none is lost") {
    val rows = 1000
    val df = json((0 until rows).map(i => s"""{"k": ${(i * 7919) % rows}}"""): _*)
    val all = order(df, "clusterBy" -> "$.k", "inferRows" -> "10")
    assert(all === (0 until rows).sortBy(i => (i * 7919) % rows))
    val few = order(df, "clusterBy" -> "$.k", "clusterBytes" -> "20k", "inferRows" -> "10")
    assert(few.sorted === (0 until rows))
    val keys = few.map(i => (i * 7919) % rows)
    val runs = 1 + keys.zip(keys.tail).count { case (a, b) => b < a }
    assert(runs > 5 && runs < 50)
    // Within 20 kB of rows.
    assert(few.take(20).forall(_ < 200))
  }

  test("the heap bounds what is held, and gets it back") {
    val df = json((0 until 500).map(i => s"""{"k": ${500 - i}}"""): _*)
    val toUnsafe = UnsafeProjection.create(df.schema)
    val rows = df.queryExecution.toRdd.map(_.copy()).collect().toSeq.map(toUnsafe(_).copy())
    val spec =
      ShreddingSpec.parse(
        "k int",
        df.schema,
        caseSensitive = false,
        (_, _) => fail("no such files")
      )
    val conf = new Configuration(false)
    conf.setLong("parquet.memory.min.chunk.size", 4000)
    conf.set("parquet.memory.pool.ratio", "1.0")
    val memory = new RowGroupMemory(10000)
    val out = Seq.newBuilder[UnsafeRow]
    val file = new ClusteredFile(
      df.schema,
      spec,
      Seq(ShreddingText.parse("k int")),
      Clustering(Vector(0 -> Vector("k")), byShape = true, None),
      conf,
      out += _,
      memory
    )
    rows.foreach(file.add)
    file.flush()
    file.close()
    val ns = out.result().map(_.getInt(0))
    assert(ns.sorted === (0 until 500))
    assert(ns.head > 5 && ns.head < 100)
    assert(
      memory
        .acquire(io.github.variantshredded.write.column.ParquetSettings(conf), 10000)
        .bytes === 10000
    )
  }

  test("the same rows give the same bytes") {
    val df = json((0 until 300).map(i => s"""{"k": ${i % 7}, "f${i % 5}": {"x": "$i"}}"""): _*)
    Seq(Seq(byShape), Seq("clusterBy" -> "$.k"), Seq(byShape, "clusterBy" -> "$.k")).foreach {
      options =>
        def bytes() = Files.readAllBytes(onlyFile(written(df, options: _*))).toSeq
        assert(bytes() === bytes())
    }
  }

  test("whatever the Variants are, both readers give back every row") {
    val trees = Gen.listOfN(40, Gen.option(VariantGenerators.genSparkTree(3, 4)))
    forAll(trees) { list =>
      val keyed = list.zipWithIndex.map { case (tree, i) =>
        tree.map(value => if (i % 3 == 0) value else obj("k" -> value, "id" -> Str(s"d$i")))
      }
      val path = written(
        variants(keyed: _*),
        byShape,
        "clusterBy" -> "$.k",
        "clusterBytes" -> "4k",
        "bloomFilter" -> "$.id"
      )
      val numbers = order(path)
      assert(numbers.sorted === keyed.indices)
      val expected = keyed
      def same(found: Seq[Option[VariantTree]], expected: Seq[Option[VariantTree]]) = {
        assert(found.size === expected.size)
        found.zip(expected).foreach {
          case (Some(a), Some(b)) =>
            assert(VariantTree.sameAs(a, b, exact = false), Clue(s"$a, not $b"))
          case (a, b) => assert(a === b)
        }
      }
      same(bySpark(path), expected)
      same(FileRows.variants(onlyFile(path), "v"), numbers.map(expected))
    }
  }

  test("a malformed Variant says so, and leaves no file") {
    val bad =
      new org.apache.spark.unsafe.types.VariantVal(Array[Byte](2, 1, 0, 0), Array[Byte](1, 0, 0))
    val df = spark.createDataFrame(
      spark.sparkContext.parallelize(Seq(org.apache.spark.sql.Row(1, bad)), 1),
      org.apache.spark.sql.types.StructType.fromDDL("n int, v variant")
    )
    Seq(byShape, "clusterBy" -> "$.k").foreach { option =>
      val path = newPath()
      val error = intercept[Exception] {
        writer(df, path, option, "shredding" -> """{"v": "k int"}""").save()
      }
      val causes = Causes.of(error).toSeq
      assert(
        causes.exists(cause => Option(cause.getMessage).exists(_.contains("MALFORMED_VARIANT")))
      )
      assert(!Files.exists(path) || files(path).isEmpty)
    }
  }

  test("a Variant that claims a field many times costs no time") {
    def le(number: Int, size: Int) = Array.tabulate(size)(i => (number >>> (8 * i)).toByte)
    // All fields are the same bytes: ids of one byte, offsets of three.
    def many(inner: Array[Byte]) = {
      val count = 20000
      Array(74.toByte) ++ le(count, 4) ++ new Array[Byte](count) ++ new Array[Byte](3 * count) ++
        le(inner.length, 3) ++ inner
    }
    val bad = new org.apache.spark.unsafe.types.VariantVal(
      many(many(many(Array[Byte](0x0c, 1)))),
      Array[Byte](1, 1, 0, 1, 'a')
    )
    val df = spark.createDataFrame(
      spark.sparkContext.parallelize(Seq(org.apache.spark.sql.Row(1, bad)), 1),
      org.apache.spark.sql.types.StructType.fromDDL("n int, v variant")
    )
    val ddl = "shredding" -> """{"v": "a struct<a struct<a int>>"}"""
    val error = intercept[Exception](writer(df, newPath(), byShape, ddl).save())
    val causes = Causes.of(error).toSeq
    assert(causes.exists(cause => Option(cause.getMessage).exists(_.contains("MALFORMED_VARIANT"))))
  }
}

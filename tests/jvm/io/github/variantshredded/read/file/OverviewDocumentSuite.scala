package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.OverviewFiles._
import io.github.variantshredded.read.file.ParquetFixture.{bytes, Row}
import io.github.variantshredded.testing.{TemporaryFolder, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.scalatest.funsuite.AnyFunSuite

/** Every rule and every example of the document "Shredding Overview", each with a file of its own. */
class OverviewDocumentSuite extends AnyFunSuite with TemporaryFolder {

  private val modes = for {
    batchSize <- Vector(1, 4096)
    offHeap <- Vector(false, true)
    strict <- Vector(true, false)
  } yield FileRows.readSettings(strict, offHeap, batchSize)

  private def file(columns: String, rows: Option[Row]*): Path = {
    val path = Files.createTempFile(folder, "overview", ".parquet")
    Files.delete(path)
    write(path, columns, rows: _*)
    path
  }

  private def check(columns: String, rows: (Option[VariantTree], Option[Row])*): Unit = {
    val path = file(columns, rows.map(_._2): _*)
    modes.foreach { options =>
      val read = FileRows.variants(path, "v", options)
      assert(read.size == rows.size)
      read.zip(rows.map(_._1)).foreach { case (is, should) =>
        assert(
          is.isDefined == should.isDefined && is.zip(should).forall { case (a, b) =>
            VariantTree.sameAs(a, b)
          },
          s"$is, not $should, with $options"
        )
      }
    }
  }

  private def reads(columns: String, row: Row, tree: VariantTree): Unit =
    check(columns, Some(tree) -> Some(row))

  /** The text of the error in strict mode. */
  private def refused(columns: String, row: Row): String =
    intercept[VariantShreddedException](FileRows.variants(file(columns, Some(row)), "v")).getMessage
      .replaceFirst("file=[^,)]*(, )?", "")
      .replaceFirst("rowGroup=0, ", "")

  private def permissive(columns: String, row: Row): Option[VariantTree] =
    FileRows.variants(file(columns, Some(row)), "v", FileRows.readSettings(strict = false)).head

  exampleRows.zipWithIndex.foreach { case ((tree, row), i) =>
    test(s"Parquet Example: row ${i + 1} of the table")(reads(example, row, tree))
  }

  test("Parquet Example: all rows of the table in one file, and SQL NULL") {
    val rows = exampleRows.map { case (tree, row) => Option(tree) -> Option(row) }
    check(example, (rows :+ (None -> None)) ++ rows.reverse: _*)
  }

  nestedRows.zipWithIndex.foreach { case ((tree, row), i) =>
    test(s"Nested Parquet Example: value ${i + 1}")(reads(nested, row, tree))
  }

  test("Nested Parquet Example: all values in one file") {
    check(nested, nestedRows.map { case (tree, row) => Option(tree) -> Option(row) }: _*)
  }

  test("Parquet Layout: the table of typed_value and untyped_value") {
    val columns = "optional group object { optional group f { optional int64 typed_value; " +
      "optional binary untyped_value; } }"
    def in(field: Row): Option[Row] = Some(Map("object" -> Map("f" -> field)))
    check(
      columns,
      Some(obj()) -> in(Map()),
      Some(obj("f" -> Str("any"))) -> in(Map("untyped_value" -> untyped(Str("any")))),
      Some(obj("f" -> Int64(7))) -> in(Map("typed_value" -> 7L))
    )
    val both: Row = Map("typed_value" -> 7L, "untyped_value" -> untyped(Str("x")))
    assert(
      refused(columns, in(both).get) ==
        "[INVALID_SHREDDED_VARIANT] Both 'untyped_value' and 'typed_value' (a primitive) are " +
        "non-null. (column=v, path=$.f)"
    )
    assert(permissive(columns, in(both).get).contains(obj("f" -> Int64(7))))
  }

  test("Parquet Layout: a Variant null and a field that is missing differ") {
    val columns = "optional group object { optional group f { optional binary untyped_value; } }"
    check(
      columns,
      Some(obj("f" -> Null)) ->
        Some(Map("object" -> Map("f" -> Map("untyped_value" -> untyped(Null))))),
      Some(obj()) -> Some(Map("object" -> Map("f" -> Map()))),
      Some(obj()) -> Some(Map("object" -> Map()))
    )
  }

  test("Parquet Layout: typed_value or untyped_value may be left out") {
    reads(
      "optional group object { optional group f { optional int64 typed_value; } }",
      Map("object" -> Map("f" -> Map("typed_value" -> 1L))),
      obj("f" -> Int64(1))
    )
    reads(
      "optional group object { optional group f { optional binary untyped_value; } }",
      Map("object" -> Map("f" -> Map("untyped_value" -> untyped(obj("x" -> Int8(1)))))),
      obj("f" -> obj("x" -> Int8(1)))
    )
    reads("optional int64 typed_value;", Map("typed_value" -> 5L), Int64(5))
    reads(
      "optional binary untyped_value;",
      Map("untyped_value" -> untyped(obj("x" -> arr(obj("y" -> Null))))),
      obj("x" -> arr(obj("y" -> Null)))
    )
  }

  test("Parquet Layout: a Variant is all in repeated columns") {
    val columns = "optional group array (LIST) { repeated group list { optional group element { " +
      "optional int64 typed_value; } } }"
    check(
      columns,
      Some(arr(Int64(1), Int64(2))) ->
        Some(Map("array" -> list(Some(Map("typed_value" -> 1L)), Some(Map("typed_value" -> 2L))))),
      Some(arr()) -> Some(Map("array" -> list())),
      None -> None
    )
  }

  test("Parquet Layout: a dictionary of one name, byte by byte") {
    // The document's metadata, and behind it {"hi": 1}.
    val binary = bytes("01 01 00 02 68 69") ++ bytes("02 01 00 00 02 0c 01")
    reads("optional binary untyped_value;", Map("untyped_value" -> binary), obj("hi" -> Int8(1)))
  }

  test("Parquet Layout: dictionaries of wider offsets") {
    val name = "n" * 300
    reads(
      "optional binary untyped_value;",
      Map("untyped_value" -> untyped(obj(name -> Int8(1)))),
      obj(name -> Int8(1))
    )
  }

  test("Parquet Layout: elements have nothing: Variant nulls") {
    val columns = "optional group array (LIST) { repeated group list { optional group element { " +
      "optional int64 typed_value; optional binary untyped_value; } } }"
    reads(columns, Map("array" -> list(None, Some(Map()))), arr(Null, Null))
  }

  test("Unshredded values: an object beside its shredded fields, at every level") {
    val rest = obj("z" -> arr(obj("a" -> Int8(1), "q" -> Str("r"))), "aa" -> Null)
    reads(
      example,
      Map(
        "untyped_value" -> untyped(rest),
        "object" -> Map(
          "a" -> Map("typed_value" -> 1L),
          "b" -> Map[String, Any](
            "untyped_value" -> untyped(obj("e" -> obj("c" -> Int8(3)), "B" -> Bool(true))),
            "object" -> Map("c" -> Map("typed_value" -> "s"))
          )
        )
      ),
      obj(
        "a" -> Int64(1),
        "b" -> obj("c" -> Str("s"), "e" -> obj("c" -> Int8(3)), "B" -> Bool(true)),
        "z" -> arr(obj("a" -> Int8(1), "q" -> Str("r"))),
        "aa" -> Null
      )
    )
  }

  test("Unshredded values: an object may stand whole where it has no shredded field") {
    reads(example, Map("untyped_value" -> untyped(obj("x" -> Int8(1)))), obj("x" -> Int8(1)))
    val shredded = Map("untyped_value" -> untyped(obj("x" -> Int8(1), "a" -> Int8(2))))
    assert(
      refused(example, shredded) ==
        "[INVALID_SHREDDED_VARIANT] 'untyped_value' holds the field 'a', which is shredded. " +
        "(column=v, path=$)"
    )
    assert(
      permissive(example, shredded).exists(sameAs(_, obj("x" -> Int8(1), "a" -> Int8(2))))
    )
  }

  test("Unshredded values: arrays are fully shredded") {
    val row = Map("untyped_value" -> untyped(arr(Int8(1))))
    assert(
      refused(nested, row) ==
        "[INVALID_SHREDDED_VARIANT] 'untyped_value' holds an array, but 'array' (an array) is " +
        "null. (column=v, path=$)"
    )
    assert(permissive(nested, row).contains(arr(Int8(1))))
    assert(
      refused(nested, Map("untyped_value" -> untyped(Int8(1)), "array" -> list())) ==
        "[INVALID_SHREDDED_VARIANT] Both 'untyped_value' and 'array' (an array) are non-null. " +
        "(column=v, path=$)"
    )
  }

  test("Reconstructing a Variant: the rest of an object is an object") {
    val row: Row = Map(
      "untyped_value" -> untyped(Int8(1)),
      "object" -> Map("a" -> Map("typed_value" -> 1L))
    )
    assert(
      refused(example, row) ==
        "[INVALID_SHREDDED_VARIANT] 'untyped_value' is not an object, but 'object' (an object) " +
        "is non-null. (column=v, path=$)"
    )
    assert(permissive(example, row).contains(obj("a" -> Int64(1))))
  }

  test("Reconstructing a Variant: what permissive mode takes from the rest") {
    // ConstructObject: the field's own columns, and if they are null, the rest.
    def row(a: Row): Row = Map(
      "untyped_value" -> untyped(obj("a" -> Str("rest"), "x" -> Null)),
      "object" -> Map("a" -> a)
    )
    assert(
      permissive(example, row(Map())).exists(sameAs(_, obj("a" -> Str("rest"), "x" -> Null)))
    )
    assert(
      permissive(example, row(Map("typed_value" -> 1L)))
        .exists(sameAs(_, obj("a" -> Int64(1), "x" -> Null)))
    )
    assert(refused(example, row(Map())).contains("holds the field 'a', which is shredded"))
  }

  test("Backward and forward compatibility: columns that begin with _ are ignored") {
    reads(
      "optional binary _metadata_key_paths; optional int32 _spark_1; " +
        "optional group object { optional group a { optional int64 typed_value; " +
        "optional group _spark_x { repeated int32 y; } } " +
        "optional group _b { optional binary untyped_value; } }",
      Map(
        "_metadata_key_paths" -> bytes("00 01"),
        "_spark_1" -> 3,
        "object" -> Map(
          "a" -> Map[String, Any]("typed_value" -> 1L, "_spark_x" -> Map("y" -> Seq(1, 2))),
          // A field of the object, whatever its name.
          "_b" -> Map("untyped_value" -> untyped(Str("kept")))
        )
      ),
      obj("a" -> Int64(1), "_b" -> Str("kept"))
    )
  }

  test("Backward and forward compatibility: any other column is an error") {
    val known = "'untyped_value', 'object', 'array' and 'typed_value'"
    def unknown(name: String, path: String) =
      s"[INVALID_VARIANT_SHREDDING_SCHEMA] Unknown column '$name' beside $known: only names that " +
        s"begin with '_' are reserved for extensions. (column=v, path=$path)"
    assert(
      refused("optional binary untyped_value; optional int32 more;", Map()) == unknown("more", "$")
    )
    assert(
      refused(
        "optional group object { optional group a { optional int64 typed_value; " +
          "optional binary value; } }",
        Map()
      ) == unknown("value", "$.a")
    )
    assert(
      refused(
        "optional group array (LIST) { repeated group list { optional group element { " +
          "optional binary untyped_value; optional binary x; } } }",
        Map()
      ) == unknown("x", "$[*]")
    )
  }

  test("Backward and forward compatibility: unshredded groups of value and metadata") {
    val tree = obj("a" -> Int8(1), "b" -> arr(Str("x")))
    val (metadata, value) = VariantTree.encode(tree)
    reads(
      "required binary value; required binary metadata;",
      Map("metadata" -> metadata, "value" -> value),
      tree
    )
  }

  test("groups that are not of this layout") {
    def schema(reason: String, path: String) =
      s"[INVALID_VARIANT_SHREDDING_SCHEMA] $reason (column=v, path=$path)"
    assert(
      refused("optional group object { optional int64 a; }", Map()) ==
        schema("The shredded field 'a' must be a group, found 'optional int64 a'.", "$.a")
    )
    assert(
      refused("optional group object { optional group a { optional int32 _x; } }", Map()) ==
        schema(
          "At least one of the columns 'untyped_value', 'object', 'array' and 'typed_value' must " +
            "be present.",
          "$.a"
        )
    )
    assert(
      refused("optional int64 untyped_value;", Map()) ==
        schema(
          "'untyped_value' must be a binary column, found 'optional int64 untyped_value'.",
          "$"
        )
    )
    assert(
      refused("optional binary object;", Map()) ==
        schema("'object' must be a group without annotation, found 'optional binary object'.", "$")
    )
    assert(
      refused("optional int32 array;", Map()) ==
        schema("'array' must be a LIST, found 'optional int32 array'.", "$")
    )
    assert(
      refused("optional group typed_value { optional int64 x; }", Map()) ==
        schema(
          "'typed_value' must be a primitive column; objects and arrays are in 'object' and " +
            "'array'.",
          "$"
        )
    )
    assert(
      refused("repeated int64 typed_value;", Map()) ==
        schema("'typed_value' must be optional, found repeated.", "$")
    )
    assert(
      refused(
        "optional group array (LIST) { repeated group element { optional int64 typed_value; } }",
        Map()
      ) == schema(
        "A shredded array must be a three-level list of a group 'element': 'element' does not " +
          "hold one group.",
        "$"
      )
    )
    assert(
      refused("optional int32 typed_value (INTEGER(32,false));", Map()).startsWith(
        "[INVALID_VARIANT_SHREDDING_SCHEMA] Unsupported shredded value type:"
      )
    )
  }

  // "The fields of each object field must be one or more of object, array, typed_value or
  // untyped_value."
  private val several =
    """optional binary untyped_value;
      |optional int64 typed_value;
      |optional group array (LIST) { repeated group list { optional group element {
      |  optional binary untyped_value; optional int64 typed_value; } } }
      |optional group object { optional group a {
      |  optional binary untyped_value;
      |  optional binary typed_value (STRING);
      |  optional group object { optional group b { optional int32 typed_value; } }
      |} }""".stripMargin

  test("Parquet Layout: object, array and typed_value at one position") {
    check(
      several,
      Some(Int64(7)) -> Some(Map("typed_value" -> 7L)),
      Some(Str("x")) -> Some(Map("untyped_value" -> untyped(Str("x")))),
      Some(arr(Int64(1), Str("two"))) ->
        Some(
          Map(
            "array" -> list(
              Some(Map("typed_value" -> 1L)),
              Some(Map("untyped_value" -> untyped(Str("two"))))
            )
          )
        ),
      Some(obj("a" -> Str("text"))) ->
        Some(Map("object" -> Map("a" -> Map("typed_value" -> "text")))),
      Some(obj("a" -> obj("b" -> Int32(5)), "c" -> Null)) ->
        Some(
          Map[String, Any](
            "object" -> Map("a" -> Map("object" -> Map("b" -> Map("typed_value" -> 5)))),
            "untyped_value" -> untyped(obj("c" -> Null))
          )
        ),
      Some(obj()) -> Some(Map("object" -> Map())),
      None -> None,
      Some(arr()) -> Some(Map("array" -> list()))
    )
  }

  test("Reconstructing a Variant: only one of object, array and typed_value is non-null") {
    val both = Map[String, Any]("typed_value" -> 7L, "array" -> list())
    assert(
      refused(several, both) ==
        "[INVALID_SHREDDED_VARIANT] More than one of 'object', 'array' and 'typed_value' are " +
        "non-null. (column=v, path=$)"
    )
    assert(permissive(several, both).contains(arr()))
    val array = Map[String, Any]("untyped_value" -> untyped(arr()))
    assert(refused(several, array).contains("'untyped_value' holds an array"))
    val obj = Map[String, Any]("untyped_value" -> untyped(VariantTree.obj("a" -> Null)))
    assert(refused(several, obj).contains("'untyped_value' holds the field 'a'"))
  }

  private val malformed: Seq[(String, Array[Byte], String)] = {
    def metadata(reason: String) = s"Malformed Variant metadata: $reason"
    Seq(
      ("nothing at all", bytes(""), metadata("It has no bytes.")),
      ("another version", bytes("02 00 00 00"), metadata("Its version is 2, not 1.")),
      (
        "an end in the size",
        bytes("c1 01 00"),
        metadata("Its 3 bytes end within the dictionary size.")
      ),
      (
        "more names than bytes",
        bytes("01 ff 00"),
        metadata("It claims 255 names; their offsets do not fit into 3 bytes.")
      ),
      (
        "names that are cut off",
        bytes("01 01 00 09 61"),
        metadata("Its names take 9 bytes, of which 1 are there.")
      ),
      (
        "offsets that descend",
        bytes("01 02 00 03 01 61 0c 01"),
        metadata("Offset 1 of its names is 3, beyond their 1 bytes.")
      )
    )
  }

  malformed.foreach { case (what, binary, reason) =>
    test(s"an untyped_value of $what") {
      assert(
        refused("optional binary untyped_value;", Map("untyped_value" -> binary)) ==
          s"[MALFORMED_VARIANT] $reason (column=v.untyped_value, path=$$)"
      )
      val row = Map(
        "array" -> list(
          None,
          Some(Map("object" -> Map("b" -> Map("untyped_value" -> binary))))
        )
      )
      assert(
        refused(nested, row) ==
          s"[MALFORMED_VARIANT] $reason " +
          "(column=v.array.list.element.object.b.untyped_value, path=$[1].b)"
      )
    }
  }

  test("an untyped_value that has a metadata and no value, or a wrong one") {
    Seq("01 00 00", "01 00 00 0c", "01 00 00 00 00", "01 01 00 01 61 02 01 05 00 01 00").foreach {
      hex =>
        assert(
          refused("optional binary untyped_value;", Map("untyped_value" -> bytes(hex)))
            .startsWith("[MALFORMED_VARIANT]"),
          hex
        )
        assert(
          refused(
            example,
            Map("object" -> Map("b" -> Map("untyped_value" -> bytes(hex))))
          ).endsWith("(column=v.object.b.untyped_value, path=$.b)"),
          hex
        )
    }
  }

  test("every prefix of an untyped_value is refused") {
    val whole = untyped(obj("a" -> arr(Int32(1), Str("text")), "b" -> obj("c" -> Null)))
    (0 until whole.length).foreach { length =>
      val cut = Map("untyped_value" -> whole.take(length))
      assert(
        refused("optional binary untyped_value;", cut).startsWith("[MALFORMED_VARIANT]"),
        s"$length bytes"
      )
    }
  }
}

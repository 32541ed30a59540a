package io.github.variantshredded.read.file

import java.nio.file.Path

import io.github.variantshredded.read.file.ParquetFixture.Row
import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree._

/** Files in the earlier layout, with the tables of the document "Shredding Overview". */
object OverviewFiles {

  /** An `untyped_value`: metadata and value in one binary. */
  def untyped(tree: VariantTree): Array[Byte] = {
    val (metadata, value) = VariantTree.encode(tree)
    metadata ++ value
  }

  /** A file with the Variant group `v` of the given columns. */
  def write(path: Path, columns: String, rows: Option[Row]*): Unit = ParquetFixture.write(
    path,
    s"message m { required int64 id; optional group v { $columns } }",
    rows.zipWithIndex.map { case (row, id) => Map("id" -> id.toLong) ++ row.map("v" -> _) }
  )

  /** The schema of the section "Parquet Example". */
  val example: String =
    """optional binary untyped_value;
      |optional group object {
      |  optional group a {
      |    optional binary untyped_value;
      |    optional int64 typed_value;
      |  }
      |  optional group b {
      |    optional binary untyped_value;
      |    optional group object {
      |      optional group c {
      |        optional binary untyped_value;
      |        optional binary typed_value (STRING);
      |      }
      |    }
      |  }
      |}""".stripMargin

  private def b(c: Row): Row = Map("object" -> Map("c" -> c))

  /** The table of that section: each Variant with the columns that it says to be non-null. */
  val exampleRows: Seq[(VariantTree, Row)] = {
    val wrongShape = arr(
      obj("a" -> Int8(1), "b" -> obj("c" -> Int8(2))),
      obj("a" -> Int8(3), "b" -> obj("c" -> Int8(4)))
    )
    val numbers = arr(Int8(1), Int8(2), Int8(3))
    Seq(
      obj("a" -> Int64(123), "b" -> obj("c" -> Str("hello"))) ->
        Map(
          "object" -> Map(
            "a" -> Map("typed_value" -> 123L),
            "b" -> b(Map("typed_value" -> "hello"))
          )
        ),
      obj("a" -> Decimal4(123, 2), "b" -> obj("c" -> Str("123"))) ->
        Map(
          "object" -> Map(
            "a" -> Map("untyped_value" -> untyped(Decimal4(123, 2))),
            "b" -> b(Map("typed_value" -> "123"))
          )
        ),
      obj("a" -> numbers, "b" -> obj("c" -> Null)) ->
        Map(
          "object" -> Map(
            "a" -> Map("untyped_value" -> untyped(numbers)),
            "b" -> b(Map("untyped_value" -> untyped(Null)))
          )
        ),
      obj("a" -> Int64(123), "c" -> Int16(456)) ->
        Map(
          "untyped_value" -> untyped(obj("c" -> Int16(456))),
          "object" -> Map("a" -> Map("typed_value" -> 123L))
        ),
      obj("a" -> Int64(123), "b" -> obj("c" -> Str("hello"), "d" -> Int16(456))) ->
        Map(
          "object" -> Map(
            "a" -> Map("typed_value" -> 123L),
            "b" -> (b(Map("typed_value" -> "hello")) ++
              Map("untyped_value" -> untyped(obj("d" -> Int16(456)))))
          )
        ),
      wrongShape -> Map("untyped_value" -> untyped(wrongShape))
    )
  }

  /** The schema of the section "Nested Parquet Example". */
  val nested: String =
    """optional binary untyped_value;
      |optional group array (LIST) {
      |  repeated group list {
      |    optional group element {
      |      optional binary untyped_value;
      |      optional group object {
      |        optional group a {
      |          optional binary untyped_value;
      |          optional group array (LIST) {
      |            repeated group list {
      |              optional group element {
      |                optional int64 typed_value;
      |                optional binary untyped_value;
      |              }
      |            }
      |          }
      |        }
      |        optional group b {
      |          optional int64 typed_value;
      |          optional binary untyped_value;
      |        }
      |      }
      |    }
      |  }
      |}""".stripMargin

  /** A list of so many elements; one that is None has no group. */
  def list(elements: Option[Row]*): Row =
    Map("list" -> elements.map(_.fold[Row](Map())(element => Map("element" -> element))))

  private def ab(a: Seq[Long], b: Long): Row = Map(
    "a" -> Map("array" -> list(a.map(n => Some(Map("typed_value" -> n))): _*)),
    "b" -> Map("typed_value" -> b)
  )

  private def abTree(a: Seq[Long], b: Long, more: (String, VariantTree)*): VariantTree =
    Obj(Vector("a" -> Arr(a.map(Int64(_)).toVector), "b" -> Int64(b)) ++ more)

  /** The values of that section, and those that its text describes. */
  val nestedRows: Seq[(VariantTree, Row)] = Seq(
    arr(abTree(Seq(1, 2, 3), 100), abTree(Seq(4, 5, 6), 200)) ->
      Map(
        "array" -> list(
          Some(Map("object" -> ab(Seq(1, 2, 3), 100))),
          Some(Map("object" -> ab(Seq(4, 5, 6), 200)))
        )
      ),
    arr(
      abTree(Seq(1, 2, 3), 100, "c" -> Str("unexpected")),
      abTree(Seq(4, 5, 6), 200),
      Str("not an object")
    ) ->
      Map(
        "array" -> list(
          Some(
            Map(
              "untyped_value" -> untyped(obj("c" -> Str("unexpected"))),
              "object" -> ab(Seq(1, 2, 3), 100)
            )
          ),
          Some(Map("object" -> ab(Seq(4, 5, 6), 200))),
          Some(Map("untyped_value" -> untyped(Str("not an object"))))
        )
      ),
    // A mix of integers and others: element by element.
    arr(obj("a" -> arr(Int64(1), Str("two"), Int64(3)))) ->
      Map(
        "array" -> list(
          Some(
            Map(
              "object" -> Map(
                "a" -> Map(
                  "array" -> list(
                    Some(Map("typed_value" -> 1L)),
                    Some(Map("untyped_value" -> untyped(Str("two")))),
                    Some(Map("typed_value" -> 3L))
                  )
                )
              )
            )
          )
        )
      ),
    // No array at the top, and no array in a.
    obj("a" -> arr(Int8(1))) -> Map("untyped_value" -> untyped(obj("a" -> arr(Int8(1))))),
    arr(obj("a" -> obj("x" -> Int8(1)), "b" -> Int64(7))) ->
      Map(
        "array" -> list(
          Some(
            Map(
              "object" -> Map(
                "a" -> Map("untyped_value" -> untyped(obj("x" -> Int8(1)))),
                "b" -> Map("typed_value" -> 7L)
              )
            )
          )
        )
      )
  )
}

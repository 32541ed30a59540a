package io.github.variantshredded.sql

import scala.util.Try

import io.github.variantshredded.sql.kernel.{
  ArrayAppend,
  ArrayCat,
  ArrayCompact,
  ArrayConstruct,
  ArrayInsert,
  ArrayPrepend,
  ArrayRemoveAt,
  ArraySize,
  ArraySlice,
  Flatten,
  GetIgnoreCase,
  ObjectConstruct,
  ObjectInsert,
  ObjectKeys,
  SelectFields,
  ToSparkPath,
  TypeTest,
  VariantKernel
}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, If, Literal}
import org.apache.spark.sql.catalyst.expressions.variant.{
  IsVariantNull,
  ToVariantObject,
  VariantGet
}
import org.apache.spark.sql.types._

/** Lists all functions; see docs/sql.md. */
private[variantshredded] object VariantFunctionList {

  /** All functions, each once, by subject. */
  lazy val all: Seq[VariantFunction] =
    paths ++ TypeFunctions.all ++ conversions ++ objects ++ arrays ++ rows

  private def paths = Seq(
    VariantFunction(
      "get_path",
      "v, path",
      "The value at a path such as a.b[0], as v:a.b[0].",
      { case Seq(v, path) => getPath(v, path) }
    ),
    VariantFunction(
      "get_ignore_case",
      "v, name",
      "The field with that name, or else the first whose name differs only in case.",
      { case args @ Seq(_, name) =>
        call("get_ignore_case", GetIgnoreCase.apply, VariantType, args)(
          VariantType,
          nameType(name)
        )
      }
    ),
    VariantFunction(
      "strip_null_value",
      "v",
      "SQL NULL for a Variant null, else the value.",
      {
        case Seq(v) if TypeFunctions.isPath(v) =>
          If(IsVariantNull(v), Literal(null, VariantType), v)
        case Seq(v) => TypeFunctions.only("strip_null_value", TypeTest.NotNull, v)
      }
    )
  )

  private def conversions = Seq(
    VariantFunction(
      "to_variant",
      "x",
      "Any value as a Variant; a struct or map becomes an object.",
      { case Seq(x) => toVariant(x) }
    )
  )

  private def objects = Seq(
    VariantFunction(
      "object_keys",
      "v",
      "The names of an object's fields, as ARRAY<STRING>.",
      { case args @ Seq(_) =>
        val names = ArrayType(StringType, containsNull = false)
        call("object_keys", ObjectKeys.apply, names, args)(VariantType)
      }
    ),
    construct("object_construct", keepNull = false),
    construct("object_construct_keep_null", keepNull = true),
    VariantFunction(
      "object_insert",
      "v, name, x [, update]",
      "The object with one more field.",
      {
        case Seq(v, name, x)         => insert(v, name, x, Literal(false))
        case Seq(v, name, x, update) => insert(v, name, x, update)
      }
    ),
    select("object_delete", named = false),
    select("object_pick", named = true)
  )

  private def construct(name: String, keepNull: Boolean) = VariantFunction(
    name,
    "name, x, ...",
    "An object of pairs of a name and a value.",
    {
      case args if args.length % 2 == 0 =>
        val children = args.zipWithIndex.map { case (arg, i) =>
          if (i % 2 == 0) arg else toVariant(arg)
        }
        val types = args.zipWithIndex.map { case (arg, i) =>
          if (i % 2 == 0) nameType(arg) else VariantType
        }
        call(name, ObjectConstruct(_, keepNull), VariantType, children)(types: _*)
    }
  )

  private def insert(v: Expression, name: Expression, x: Expression, update: Expression) =
    call("object_insert", ObjectInsert.apply, VariantType, Seq(v, name, toVariant(x), update))(
      VariantType,
      nameType(name),
      VariantType,
      BooleanType
    )

  private def select(name: String, named: Boolean) = VariantFunction(
    name,
    "v, name, ...",
    s"The object with ${if (named) "just" else "all but"} the fields named.",
    {
      case Seq(v, keys @ _*) if keys.nonEmpty =>
        val names = keys.map(listed)
        val types = names.map { key =>
          if (key.dataType.isInstanceOf[ArrayType]) ArrayType(StringType) else nameType(key)
        }
        call(name, SelectFields(_, named), VariantType, v +: names)(VariantType +: types: _*)
    }
  )

  // Spark would cast a Variant to its JSON text, so that ["a"] would be one name.
  private def nameType(name: Expression): DataType =
    if (name.dataType == VariantType) VariantType else StringType

  // For the same reason, an array of Variants becomes a Variant.
  private def listed(names: Expression): Expression = names.dataType match {
    case ArrayType(VariantType, _) => toVariant(names)
    case _                         => names
  }

  private def arrays = Seq(
    VariantFunction(
      "array_size",
      "v",
      "The number of an array's elements.",
      { case args @ Seq(_) =>
        call("vs_array_size", _ => ArraySize(), IntegerType, args)(VariantType)
      }
    ),
    constructArray("array_construct", compact = false),
    constructArray("array_construct_compact", compact = true),
    VariantFunction(
      "array_append",
      "v, x",
      "The array with a value at its end.",
      { case Seq(v, x) =>
        array("vs_array_append", ArrayAppend.apply, v, toVariant(x))(VariantType)
      }
    ),
    VariantFunction(
      "array_prepend",
      "v, x",
      "The array with a value at its start.",
      { case Seq(v, x) =>
        array("vs_array_prepend", ArrayPrepend.apply, v, toVariant(x))(VariantType)
      }
    ),
    VariantFunction(
      "array_insert",
      "v, index, x",
      "The array with a value inserted before the element at the index, from 0.",
      { case Seq(v, index, x) =>
        array("vs_array_insert", ArrayInsert.apply, v, index, toVariant(x))(
          IntegerType,
          VariantType
        )
      }
    ),
    VariantFunction(
      "array_cat",
      "v, w, ...",
      "The elements of several arrays, in one.",
      { case Seq(v, others @ _*) =>
        array("array_cat", ArrayCat.apply, v, others: _*)(others.map(_ => VariantType): _*)
      }
    ),
    VariantFunction(
      "array_slice",
      "v, from, until",
      "The elements from one index, from 0, up to another, which is not included.",
      { case Seq(v, from, until) =>
        array("array_slice", ArraySlice.apply, v, from, until)(IntegerType, IntegerType)
      }
    ),
    VariantFunction(
      "array_remove_at",
      "v, index",
      "The array without the element at the index, from 0.",
      { case Seq(v, index) =>
        array("array_remove_at", ArrayRemoveAt.apply, v, index)(IntegerType)
      }
    ),
    VariantFunction(
      "array_compact",
      "v",
      "The array without its Variant nulls.",
      { case Seq(v) => array("vs_array_compact", ArrayCompact.apply, v)() }
    )
  )

  private def array(
      name: String,
      kernel: String => VariantKernel,
      v: Expression,
      args: Expression*
  )(
      types: DataType*
  ): Expression = call(name, kernel, VariantType, v +: args)(VariantType +: types: _*)

  private def constructArray(name: String, compact: Boolean) = VariantFunction(
    name,
    "x, ...",
    if (compact) "An array of the values that are not NULL." else "An array of the values.",
    { case args =>
      val types = args.map(_ => VariantType)
      call(name, ArrayConstruct(_, compact), VariantType, args.map(toVariant))(types: _*)
    }
  )

  private def rows = Seq(
    VariantFunction(
      "flatten",
      "v [, recursive [, mode]]",
      "The fields and elements of a value as an array of rows, for inline.",
      {
        case Seq(v)                  => flatten(v, Literal(false), Literal("BOTH"))
        case Seq(v, recursive)       => flatten(v, recursive, Literal("BOTH"))
        case Seq(v, recursive, mode) => flatten(v, recursive, mode)
      }
    )
  )

  private def flatten(v: Expression, recursive: Expression, mode: Expression) =
    call("vs_flatten", Flatten.apply, Flatten.Rows, Seq(v, recursive, mode))(
      VariantType,
      BooleanType,
      StringType
    )

  private def call(
      name: String,
      kernel: String => VariantKernel,
      dataType: DataType,
      args: Seq[Expression]
  )(types: DataType*): Expression = VariantCall.of(name, kernel(name), types, dataType, args)

  // Spark's own extraction, which scans can deliver if the path is a constant.
  private def getPath(v: Expression, path: Expression): Expression =
    // Spark 4.3 fails with an internal error if the path is a constant NULL. A constant path that
    // fails has to do so only where it is evaluated.
    if (path.foldable && Try(path.eval()).toOption.contains(null)) Literal(null, VariantType)
    else dynamicPath(v, path)

  private def dynamicPath(v: Expression, path: Expression): Expression = {
    val spark = call("get_path", ToSparkPath.apply, StringType, Seq(path))(StringType)
    VariantGet(v, spark, VariantType, failOnError = true)
  }

  private def toVariant(x: Expression): Expression = x.dataType match {
    case VariantType                               => x
    case _: StructType | _: MapType | _: ArrayType => ToVariantObject(x)
    case _                                         => Cast(x, VariantType)
  }
}

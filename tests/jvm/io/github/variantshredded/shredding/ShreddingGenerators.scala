package io.github.variantshredded.shredding

import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.testing.{VariantGenerators, VariantTree}
import io.github.variantshredded.testing.VariantTree._
import org.scalacheck.{Gen, Shrink}

/** Random shredding schemas. */
object ShreddingGenerators {

  val genDecimal: Gen[ShreddedType] = for {
    precision <- Gen.oneOf(Gen.choose(1, 38), Gen.oneOf(9, 10, 18, 19, 38))
    scale <- Gen.choose(0, precision)
  } yield ShreddedType.DecimalOf(precision, scale)

  val genShreddedType: Gen[ShreddedType] = Gen.frequency(
    16 -> Gen.oneOf(
      ShreddedType.BooleanType,
      ShreddedType.Int8,
      ShreddedType.Int16,
      ShreddedType.Int32,
      ShreddedType.Int64,
      ShreddedType.FloatType,
      ShreddedType.DoubleType,
      ShreddedType.Date,
      ShreddedType.Time,
      ShreddedType.TimestampMicros,
      ShreddedType.TimestampNanos,
      ShreddedType.TimestampNtzMicros,
      ShreddedType.TimestampNtzNanos,
      ShreddedType.Binary,
      ShreddedType.StringType,
      ShreddedType.Uuid
    ),
    4 -> genDecimal
  )

  /** A schema with at most `maxDepth` objects and arrays in each other. */
  def genSchema(maxDepth: Int, maxWidth: Int): Gen[ShreddingSchema] = {
    val leaf =
      Gen.frequency(1 -> Gen.const(Unshredded), 5 -> genShreddedType.map(Primitive(_)))
    if (maxDepth <= 0) leaf
    else {
      val child = Gen.lzy(genSchema(maxDepth - 1, maxWidth))
      val fields = for {
        width <- Gen.choose(1, maxWidth)
        fields <- Gen.listOfN(width, Gen.zip(VariantGenerators.genName, child))
      } yield ObjectOf(fields.distinctBy(_._1).toVector)
      Gen.frequency(2 -> leaf, 3 -> fields, 1 -> child.map(ArrayOf(_)))
    }
  }

  /** Values, a schema that may fit the first of them, and a seed for how they are encoded. */
  val genShredding: Gen[(Seq[VariantTree], ShreddingSchema, Long)] = for {
    trees <- Gen.listOfN(3, VariantGenerators.genVariantTree(4, 5))
    schema <- Gen.oneOf(genSchemaLike(trees.head), genSchema(3, 4))
    seed <- Gen.long
  } yield (trees, schema, seed)

  /** A schema that holds much of `tree`: its types at most positions, others at the rest. */
  def genSchemaLike(tree: VariantTree): Gen[ShreddingSchema] = {
    val like: Gen[ShreddingSchema] = tree match {
      case Null        => genShreddedType.map(Primitive(_))
      case Obj(fields) =>
        for {
          kept <- Gen.someOf(fields)
          typed <- kept.foldLeft(Gen.const(Vector.empty[(String, ShreddingSchema)])) {
            case (all, (name, child)) =>
              all.flatMap(done => genSchemaLike(child).map(schema => done :+ (name -> schema)))
          }
          extra <- Gen.listOf(Gen.zip(VariantGenerators.genName, genSchema(1, 2))).map(_.take(2))
        } yield {
          val all = (typed ++ extra).distinctBy(_._1)
          if (all.isEmpty) Unshredded else ObjectOf(all)
        }
      case Arr(elements) =>
        if (elements.isEmpty) genSchema(1, 2).map(ArrayOf(_))
        else Gen.oneOf(elements).flatMap(genSchemaLike).map(ArrayOf(_))
      case Bool(_) => Gen.const(Primitive(ShreddedType.BooleanType))
      case Int8(_) | Int16(_) | Int32(_) | Int64(_) =>
        Gen
          .oneOf(ShreddedType.Int8, ShreddedType.Int16, ShreddedType.Int32, ShreddedType.Int64)
          .map(Primitive(_))
      case Flt(_)                => Gen.const(Primitive(ShreddedType.FloatType))
      case Dbl(_)                => Gen.const(Primitive(ShreddedType.DoubleType))
      case Decimal4(_, scale)    => decimal(scale)
      case Decimal8(_, scale)    => decimal(scale)
      case Decimal16(_, scale)   => decimal(scale)
      case Date(_)               => Gen.const(Primitive(ShreddedType.Date))
      case Time(_)               => Gen.const(Primitive(ShreddedType.Time))
      case TimestampMicros(_)    => Gen.const(Primitive(ShreddedType.TimestampMicros))
      case TimestampNtzMicros(_) => Gen.const(Primitive(ShreddedType.TimestampNtzMicros))
      case TimestampNanos(_)     => Gen.const(Primitive(ShreddedType.TimestampNanos))
      case TimestampNtzNanos(_)  => Gen.const(Primitive(ShreddedType.TimestampNtzNanos))
      case Binary(_)             => Gen.const(Primitive(ShreddedType.Binary))
      case Str(_)                => Gen.const(Primitive(ShreddedType.StringType))
      case Uuid(_)               => Gen.const(Primitive(ShreddedType.Uuid))
    }
    Gen.frequency(8 -> like, 1 -> genSchema(2, 3))
  }

  private def decimal(scale: Int): Gen[ShreddingSchema] =
    Gen.choose(math.max(scale, 1), 38).map(p => Primitive(ShreddedType.DecimalOf(p, scale)))

  implicit val shrinkSchema: Shrink[ShreddingSchema] = Shrink.withLazyList {
    case ObjectOf(fields) =>
      fields.map(_._2).to(LazyList) ++ (
        if (fields.size == 1) LazyList.empty
        else fields.indices.to(LazyList).map(i => ObjectOf(fields.patch(i, Nil, 1)))
      ) ++ fields.indices.to(LazyList).flatMap { i =>
        shrunk(fields(i)._2).map(child => ObjectOf(fields.updated(i, fields(i)._1 -> child)))
      }
    case ArrayOf(element) => element #:: shrunk(element).map(ArrayOf(_))
    case _                => LazyList.empty
  }

  private def shrunk(schema: ShreddingSchema): LazyList[ShreddingSchema] =
    Shrink.shrink(schema)(shrinkSchema).to(LazyList)
}

package io.github.variantshredded.read.skip

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.footer.{FileSchema, LeafIndex, NullCounts}
import io.github.variantshredded.read.options.VariantRules
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{TypedValue, VariantGroup, VariantPosition}
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types._

/**
 * Decides whether a comparison of the values at one path can skip row groups by statistics. It uses
 * the predicate that a scan would use for such a comparison.
 */
private[read] final class PathSkipping private (predicate: LeafPredicate, schema: FileSchema) {

  private val leaves = new LeafIndex(schema, predicate.tests.map(_.leaf).toSet)

  /** Returns why a comparison with any constant cannot skip this row group; None if it can. */
  def whyNot(block: BlockMetaData): Option[String] = {
    def of(predicate: LeafPredicate): Option[String] = predicate match {
      case LeafPredicate.Never            => None
      case LeafPredicate.Always           => Some(PathSkipping.NoRule)
      case LeafPredicate.And(left, right) => of(left).flatMap(_ => of(right))
      case LeafPredicate.Or(left, right)  => of(left).orElse(of(right))
      case LeafPredicate.Of(test)         => ofTest(test, block)
    }
    of(predicate)
  }

  private def ofTest(test: LeafTest, block: BlockMetaData): Option[String] = {
    val chunk = leaves.chunk(block, test.leaf)
    val range = chunk.fold(LeafRange.Unknown)(LeafRange.of)
    val name = test.leaf.mkString(".")
    test match {
      case passes: LeafTest.Passes =>
        passes.values match {
          case None => Option.unless(range.allNull)(s"values in $name are not ordered as the cast")
          case Some(values) =>
            values.values(range) match {
              case PossibleValues.Within(false, _, _)   => None
              case PossibleValues.Within(_, _, Some(_)) => None
              case _                                    => Some(s"no minimum and maximum of $name")
            }
        }
      case _ if !test.mayBeTrue(range) => None
      case _                           =>
        val counts = for {
          found <- chunk
          nulls <- NullCounts.of(found)
        } yield (found.getValueCount - nulls, found.getValueCount)
        Some(counts match {
          case Some((some, all)) => s"$some of $all values are in $name"
          case None              => s"no null count of $name"
        })
    }
  }
}

private[read] object PathSkipping {
  private val NoRule = "no rule for this path or type"

  /**
   * Creates predicates on the values at positions of a Variant.
   *
   * @param rebaseMode
   *   how dates in Variants are rebased, as `DecoderSettings.variantRebaseMode` returns it
   */
  final class OfVariant(
      group: VariantGroup,
      schema: FileSchema,
      rules: VariantRules,
      rebaseMode: LegacyBehaviorPolicy.Value
  ) {
    private val predicates =
      new VariantPredicates(group, rules, new CalendarRebase(rebaseMode))

    /**
     * Returns the decision for a position.
     *
     * @param path
     *   the fields from the root to the position, or to the first array around it
     * @param inElements
     *   the fields from an element of that array to the position; None outside of arrays
     */
    def at(
        position: VariantPosition,
        path: Seq[String],
        inElements: Option[Seq[String]]
    ): PathSkipping = {
      val steps = path.map(PathStep.Field(_))
      val (target, strictCast) = cast(position)
      def extraction(dataType: DataType) = ScanExtraction(
        group.parquetPath,
        steps,
        ExtractionResult.Value(dataType, strictCast, Some("UTC"))
      )
      val predicate = inElements match {
        case None         => predicates.ofValue(extraction(target), ValueTest.IsNotNull)
        case Some(fields) =>
          val element = fields.foldRight(target)((name, inner) => new StructType().add(name, inner))
          predicates.ofElements(
            extraction(ArrayType(element)),
            fields.map(_ => 0),
            ValueTest.IsNotNull
          )
      }
      new PathSkipping(predicate, schema)
    }

    /** Returns the decision for a path for which the scan has no predicates. */
    def nowhere: PathSkipping = new PathSkipping(LeafPredicate.Always, schema)
  }

  /**
   * Returns the cast that a query would use for the typed values at a position, and whether it
   * raises errors.
   */
  private def cast(position: VariantPosition): (DataType, Boolean) = position.typedValue match {
    case Some(TypedValue.Primitive(_, shreddedType)) => (sparkType(shreddedType), true)
    // Any type will do: this only asks whether there are residual values.
    case _ => (LongType, false)
  }

  private def sparkType(shreddedType: ShreddedType): DataType = shreddedType match {
    case ShreddedType.BooleanType                 => BooleanType
    case ShreddedType.Int8                        => ByteType
    case ShreddedType.Int16                       => ShortType
    case ShreddedType.Int32                       => IntegerType
    case ShreddedType.Int64                       => LongType
    case ShreddedType.FloatType                   => FloatType
    case ShreddedType.DoubleType                  => DoubleType
    case ShreddedType.DecimalOf(precision, scale) => DecimalType(precision, scale)
    case ShreddedType.Date                        => DateType
    case ShreddedType.TimestampMicros             => TimestampType
    case ShreddedType.TimestampNtzMicros          => TimestampNTZType
    case ShreddedType.Binary                      => BinaryType
    // In Spark, strings are the only type for these.
    case ShreddedType.StringType | ShreddedType.Time | ShreddedType.Uuid |
        ShreddedType.TimestampNanos | ShreddedType.TimestampNtzNanos =>
      StringType
  }

  /** Creates predicates on ordinary columns. */
  final class OfColumns(
      wanted: StructType,
      columns: FileColumns,
      schema: FileSchema,
      rebaseMode: LegacyBehaviorPolicy.Value
  ) {
    private val predicates =
      new ColumnPredicates(wanted, columns, schema.message, new CalendarRebase(rebaseMode))

    /** Returns the decision for a column, or for a field in structs. */
    def at(path: Seq[String], dataType: DataType): PathSkipping =
      new PathSkipping(predicates.ofValue(path, dataType, ValueTest.IsNotNull), schema)

    /**
     * Returns the decision for the elements of an array, or for the field in them to which the
     * ordinals `fields` lead.
     */
    def elements(path: Seq[String], array: ArrayType, fields: Seq[Int]): PathSkipping =
      new PathSkipping(predicates.ofElements(path, array, fields, ValueTest.IsNotNull), schema)

    def nowhere: PathSkipping = new PathSkipping(LeafPredicate.Always, schema)
  }
}

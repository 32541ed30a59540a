package io.github.variantshredded.read.skip

import io.github.variantshredded.extraction.{Extracted, PathExtraction, PathStep}
import io.github.variantshredded.predicate.ValueTest
import io.github.variantshredded.read.columns.FileColumns
import io.github.variantshredded.read.footer.{FileSchema, LeafIndex}
import io.github.variantshredded.shredding.ShreddedType
import io.github.variantshredded.shredding.layout.{TypedValue, VariantGroup, VariantPosition}
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types._

/**
 * Whether a comparison of what is at one place can leave out row groups by their statistics: by the
 * very condition that a scan would make of it.
 */
private[read] final class Skippable private (condition: Condition, schema: FileSchema) {

  private val leaves = new LeafIndex(schema, condition.tests.map(_.leaf).toSet)

  /** Why no literal could leave out this row group; None if one could. */
  def whyNot(block: BlockMetaData): Option[String] = {
    def of(condition: Condition): Option[String] = condition match {
      case Condition.Never            => None
      case Condition.Always           => Some(Skippable.NoRule)
      case Condition.And(left, right) => of(left).flatMap(_ => of(right))
      case Condition.Or(left, right)  => of(left).orElse(of(right))
      case Condition.Of(test)         => ofTest(test, block)
    }
    of(condition)
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
              case Values.Within(false, _, _)   => None
              case Values.Within(_, _, Some(_)) => None
              case _                            => Some(s"no minimum and maximum of $name")
            }
        }
      case _ if !test.mayBeTrue(range) => None
      case _                           =>
        val counts = for {
          found <- chunk
          statistics <- Option(found.getStatistics) if statistics.isNumNullsSet
        } yield (found.getValueCount - statistics.getNumNulls, found.getValueCount)
        Some(counts match {
          case Some((some, all)) => s"$some of $all values are in $name"
          case None              => s"no null count of $name"
        })
    }
  }
}

private[read] object Skippable {
  private val NoRule = "no rule for this place or type"

  /**
   * Conditions on the values at positions of a Variant.
   *
   * @param rebaseMode
   *   how dates in Variants are rebased, as `DecoderSettings.variantRebaseMode`
   */
  final class OfVariant(
      group: VariantGroup,
      schema: FileSchema,
      strict: Boolean,
      rebaseMode: LegacyBehaviorPolicy.Value
  ) {
    private val conditions = new VariantConditions(group, strict, new CalendarRebase(rebaseMode))

    /**
     * @param path
     *   of the position: fields only, or fields up to the first array
     * @param inElements
     *   the fields from an element of that array on; None outside of arrays
     */
    def at(
        position: VariantPosition,
        path: Seq[String],
        inElements: Option[Seq[String]]
    ): Skippable = {
      val steps = path.map(PathStep.Field(_))
      val (target, strictCast) = cast(position)
      def extraction(dataType: DataType) = PathExtraction(
        group.parquetPath,
        steps,
        Extracted.Value(dataType, strictCast, Some("UTC"))
      )
      val condition = inElements match {
        case None         => conditions.ofValue(extraction(target), ValueTest.IsNotNull)
        case Some(fields) =>
          val element = fields.foldRight(target)((name, inner) => new StructType().add(name, inner))
          conditions.ofElements(
            extraction(ArrayType(element)),
            fields.map(_ => 0),
            ValueTest.IsNotNull
          )
      }
      new Skippable(condition, schema)
    }

    /** For a place that the scan has no conditions for. */
    def nowhere: Skippable = new Skippable(Condition.Always, schema)
  }

  /** The cast that a query would use of what is shredded there, and whether it raises. */
  private def cast(position: VariantPosition): (DataType, Boolean) = position.typedValue match {
    case Some(TypedValue.Primitive(_, shreddedType)) => (sparkType(shreddedType), true)
    // Any: the question is whether something is there that has no column.
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
    // Spark has no other type for the rest.
    case ShreddedType.StringType | ShreddedType.Time | ShreddedType.Uuid |
        ShreddedType.TimestampNanos | ShreddedType.TimestampNtzNanos =>
      StringType
  }

  /** Conditions on ordinary columns. */
  final class OfColumns(
      wanted: StructType,
      columns: FileColumns,
      schema: FileSchema,
      rebaseMode: LegacyBehaviorPolicy.Value
  ) {
    private val conditions =
      new ColumnConditions(wanted, columns, schema.message, new CalendarRebase(rebaseMode))

    /** Of a column, or of a field in structs. */
    def at(path: Seq[String], dataType: DataType): Skippable =
      new Skippable(conditions.ofValue(path, dataType, ValueTest.IsNotNull), schema)

    /** Of the elements of an array, or of a field in them that `fields` lead to. */
    def elements(path: Seq[String], array: ArrayType, fields: Seq[Int]): Skippable =
      new Skippable(conditions.ofElements(path, array, fields, ValueTest.IsNotNull), schema)

    def nowhere: Skippable = new Skippable(Condition.Always, schema)
  }
}

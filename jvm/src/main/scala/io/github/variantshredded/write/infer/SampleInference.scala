package io.github.variantshredded.write.infer

import io.github.variantshredded.errors.{ErrorLocation, VariantShreddedException}
import io.github.variantshredded.shredding.{
  ColumnShredding,
  ColumnStatistics,
  InferenceLimits,
  SchemaInference,
  ShreddingSchema,
  ShreddingSpec,
  VariantColumn
}
import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeRow}
import org.apache.spark.sql.types._

/** Infers shredding schemas from rows: finds the Variants in them, and counts their paths. */
private[write] object SampleInference {

  /** Returns the schemas of all columns of `shredding`; some are inferred from `rows`. */
  def infer(
      schema: StructType,
      shredding: ShreddingSpec,
      rows: collection.Seq[UnsafeRow],
      limits: InferenceLimits
  ): Seq[ShreddingSchema] = {
    val statistics = this.statistics(schema, shredding, rows, limits)
    val inferred = SchemaInference.infer(statistics.flatten, limits).iterator
    shredding.columns.map(_.shredding match {
      case ColumnShredding.Given(schema) => schema
      case ColumnShredding.Infer         => inferred.next()
    })
  }

  /** Returns the statistics of `rows` for each column of `shredding` that is to be inferred. */
  private def statistics(
      schema: StructType,
      shredding: ShreddingSpec,
      rows: collection.Seq[UnsafeRow],
      limits: InferenceLimits
  ): Seq[Option[ColumnStatistics]] = {
    val statistics = shredding.columns.map { column =>
      Option.when(column.shredding == ColumnShredding.Infer)(
        new ColumnStatistics(limits, column.choice)
      )
    }
    add(schema, shredding, rows, statistics)
    val incomplete = statistics.map(_.filter(_.needsRecount))
    if (incomplete.exists(_.nonEmpty)) {
      incomplete.flatten.foreach(_.recount())
      add(schema, shredding, rows, incomplete)
    }
    statistics
  }

  /**
   * Returns the reason why the schemas of a file no longer fit `rows`, by the rules of
   * docs/shredding.md ("Within a job"), or None if they still fit.
   *
   * @param current
   *   the schemas of the file, as [[infer]] returned them
   * @param rows
   *   a sample of later rows
   */
  def drifted(
      schema: StructType,
      shredding: ShreddingSpec,
      rows: collection.Seq[UnsafeRow],
      limits: InferenceLimits,
      current: Seq[ShreddingSchema]
  ): Option[SchemaDrift] = {
    val columns = shredding.columns.zip(current).map { case (column, schema) =>
      column.copy(choice = column.choice.copy(current = Some(schema)))
    }
    val counted = statistics(schema, ShreddingSpec(columns), rows, limits)
    val inferred = columns.zip(current).zip(counted).collect { case ((column, kept), Some(seen)) =>
      (column.name, kept, seen)
    }
    // The schemas of the file beside those that the rows need.
    def next(limits: InferenceLimits): Seq[(String, ShreddingSchema, ShreddingSchema)] =
      inferred.zip(SchemaInference.infer(inferred.map(_._3), limits)).collect {
        case ((name, kept, seen), found) if seen.rows >= LeastDriftRows => (name, kept, found)
      }
    def compared(
        limits: InferenceLimits,
        compare: (String, ShreddingSchema, ShreddingSchema) => Option[SchemaDrift]
    ): Option[SchemaDrift] = next(limits).iterator.flatMap(compare.tupled).nextOption()
    val left = limits.columns - inferred.map { case (_, kept, _) =>
      SchemaInference.columnsOf(kept)
    }.sum
    // What the file has may be the best for the column budget.
    def isBest = next(limits).forall { case (_, kept, found) => found == kept }
    compared(lenient(limits), SchemaDrift.lost(_, _, _))
      .orElse(compared(demanding(limits), SchemaDrift.gained(_, _, _, left)))
      .filterNot(_ => isBest)
  }

  /** Least number of Variants in a drift sample; fewer do not show any drift. */
  final val LeastDriftRows = 100

  // These limits are far from those of inference, so that chance alone ends no file: a path is lost
  // at half the frequency and twice the share of other types; it is new at twice the frequency and
  // half the share of other types. Other limits change which paths take part of the column budget,
  // so both schemas are without it.
  private def lenient(limits: InferenceLimits): InferenceLimits = limits.copy(
    columns = Int.MaxValue,
    mapKeys = Int.MaxValue,
    typeShare = 1 - 2 * (1 - limits.typeShare),
    objectShare = 1 - 2 * (1 - limits.objectShare)
  )

  private def demanding(limits: InferenceLimits): InferenceLimits = limits.copy(
    columns = Int.MaxValue,
    frequency = math.min(2 * limits.frequency, (1 + limits.frequency) / 2),
    typeShare = 1 - (1 - limits.typeShare) / 2,
    objectShare = 1 - (1 - limits.objectShare) / 2
  )

  private def add(
      schema: StructType,
      shredding: ShreddingSpec,
      rows: collection.Seq[UnsafeRow],
      statistics: Seq[Option[ColumnStatistics]]
  ): Unit = {
    val visit = visitor(schema, shredding.columns.zip(statistics).iterator)
    rows.foreach(row => visit.foreach { case (ordinal, field) => field(row, ordinal) })
  }

  private type Visitor = (SpecializedGetters, Int) => Unit

  // Finds the fields with Variants that are inferred. It takes the columns in depth-first order of
  // the schema, which is the order of the specification.
  private def visitor(
      struct: StructType,
      columns: Iterator[(VariantColumn, Option[ColumnStatistics])]
  ): Array[(Int, Visitor)] =
    struct.fields.zipWithIndex.flatMap { case (field, i) =>
      visitor(field.dataType, columns).map(i -> _)
    }

  private def visitor(
      dataType: DataType,
      columns: Iterator[(VariantColumn, Option[ColumnStatistics])]
  ): Option[Visitor] =
    dataType match {
      case _: VariantType =>
        val (column, statistics) = columns.next()
        statistics.map { counting =>
          val adding: StoredVariant.Taker = add(counting, column, _, _, _)
          (data, ordinal) => if (!data.isNullAt(ordinal)) StoredVariant.take(data, ordinal, adding)
        }
      case struct: StructType =>
        val fields = visitor(struct, columns)
        if (fields.isEmpty) None
        else
          Some { (data, ordinal) =>
            if (!data.isNullAt(ordinal)) {
              val row = data.getStruct(ordinal, struct.length)
              fields.foreach { case (i, field) => field(row, i) }
            }
          }
      case ArrayType(element, _) =>
        visitor(element, columns).map { each => (data, ordinal) =>
          if (!data.isNullAt(ordinal)) {
            val array = data.getArray(ordinal)
            (0 until array.numElements()).foreach(each(array, _))
          }
        }
      case MapType(_, value, _) =>
        visitor(value, columns).map { each => (data, ordinal) =>
          if (!data.isNullAt(ordinal)) {
            val values = data.getMap(ordinal).valueArray()
            (0 until values.numElements()).foreach(each(values, _))
          }
        }
      case udt: UserDefinedType[_] => visitor(udt.sqlType, columns)
      case _                       => None
    }

  private def add(
      statistics: ColumnStatistics,
      column: VariantColumn,
      bytes: Array[Byte],
      pos: Int,
      length: Int
  ): Unit =
    try {
      val split = pos + 4 + StoredVariant.valueSize(bytes, pos, length)
      statistics.add(bytes, pos + 4, split, split, pos + length)
    } catch {
      case e: VariantShreddedException => throw e.at(ErrorLocation(column = Some(column.name)))
    }
}

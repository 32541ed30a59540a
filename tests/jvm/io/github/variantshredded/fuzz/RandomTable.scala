package io.github.variantshredded.fuzz

import java.math.BigDecimal
import java.time.{Instant, LocalDate}

import io.github.variantshredded.testing.VariantTree
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/** Makes up the columns and rows of a [[FuzzTable]]. */
final class RandomTable(dice: Dice) {

  /** A column, how a value of it is made, and what of it a query can name. */
  private final class Column(
      val field: StructField,
      val next: () => Any,
      val named: Vector[Any] => (Vector[NamedVariant], Vector[NamedColumn])
  )

  private val negativeZeros = dice.oneIn(8)
  private val mainDocuments = new Documents(dice, negativeZeros)

  // Other Variants often resemble those of the main column, so that joins find partners.
  private def documents(): Documents =
    if (dice.oneIn(2)) mainDocuments else new Documents(dice, negativeZeros)

  def table(name: String, firstId: Long): FuzzTable = {
    val size = dice.weighted(1 -> 0, 2 -> dice.below(6), 12 -> dice.between(10, 120))
    val others = Vector(
      () => variantColumn("w", documents()),
      () => structColumn("s", documents(), documents()),
      () => arrayColumn("av", documents()),
      () => mapColumn("mv", documents())
    )
    // Spark shreds by a given schema only tables of up to three columns.
    val narrow = dice.oneIn(2)
    val variants = variantColumn("v", mainDocuments) +: (
      if (narrow) dice.some(others, 1) else others.filter(_ => dice.oneIn(4))
    ).map(_())
    val scalars = dice.some(ordinaryColumns, if (narrow) 2 - variants.size else 5)
    val partition = Option.when(dice.oneIn(3))(partitionColumn())
    var id = firstId - 1
    val ids = new Column(
      StructField("id", LongType, nullable = false),
      () => { id += 1; id },
      values => (Vector(), Vector(ordinary("@id", LongType, values)))
    )
    val columns = dice.rng.shuffle(ids +: (variants ++ scalars)) ++ partition
    val values = Vector.fill(size)(columns.map(_.next()))
    val named = columns.zipWithIndex.map { case (column, at) => column.named(values.map(_(at))) }
    FuzzTable(
      name,
      StructType(columns.map(_.field)),
      values.map(Row.fromSeq),
      named.flatMap(_._1),
      named.flatMap(_._2),
      partition.map(_.field.name),
      negativeZeros
    )
  }

  private def variantColumn(name: String, documents: Documents): Column = new Column(
    StructField(name, VariantType),
    () => external(documents.next()),
    values => (Vector(NamedVariant(s"@$name", name, trees(values))), Vector())
  )

  private def structColumn(name: String, outer: Documents, inner: Documents): Column = {
    // Writers make such a group required: then only the structs around it can be null.
    val areNullable = dice.rng.nextBoolean()
    val deep = new StructType().add("w", VariantType, areNullable).add("m", LongType)
    val schema =
      new StructType().add("n", IntegerType).add("v", VariantType, areNullable).add("d", deep)
    def variant(documents: Documents): VariantVal =
      external(documents.next().orElse(Option.unless(areNullable)(VariantTree.Null)))
    new Column(
      StructField(name, schema),
      () =>
        if (dice.oneIn(8)) null
        else {
          val inside =
            if (dice.oneIn(8)) null else Row(variant(inner), dice.below(5).toLong)
          Row(if (dice.oneIn(6)) null else dice.below(9), variant(outer), inside)
        },
      values => {
        val rows = values.collect { case row: Row => row }
        val insides = rows.map(_.get(2)).collect { case row: Row => row }
        (
          Vector(
            NamedVariant(s"@$name.v", s"$name.v", trees(rows.map(_.get(1)))),
            NamedVariant(s"@$name.d.w", s"$name.d.w", trees(insides.map(_.get(0))))
          ),
          Vector(
            ordinary(s"@$name.n", IntegerType, rows.map(_.get(0))),
            ordinary(s"@$name.d.m", LongType, insides.map(_.get(1)))
          )
        )
      }
    )
  }

  private def arrayColumn(name: String, documents: Documents): Column = new Column(
    StructField(name, ArrayType(VariantType)),
    () =>
      if (dice.oneIn(6)) null
      else Vector.fill(dice.below(4))(external(documents.next())),
    values => {
      val elements = values.collect { case s: Seq[_] => s.lift(1) }.flatten
      (Vector(NamedVariant(s"get(@$name, 1)", s"$name.element", trees(elements))), Vector())
    }
  )

  private def mapColumn(name: String, documents: Documents): Column = new Column(
    StructField(name, MapType(StringType, VariantType)),
    () =>
      if (dice.oneIn(6)) null
      else dice.some(Vector("k", "l", "m"), 3).map(_ -> external(documents.next())).toMap,
    values => {
      val found = values.collect { case m: Map[_, _] => m.asInstanceOf[Map[String, Any]].get("k") }
      (
        Vector(NamedVariant(s"try_element_at(@$name, 'k')", s"$name.value", trees(found.flatten))),
        Vector()
      )
    }
  )

  private def ordinaryColumns: Vector[Column] = Vector(
    scalarColumn("i", IntegerType)(dice.below(7)),
    scalarColumn("big", LongType)(dice.rng.nextLong() >> dice.below(64)),
    scalarColumn("str", StringType)(dice.pick(Vector("n0", "n1", "n2", "", "\u20ac", "abc"))),
    scalarColumn("dec", DecimalType(10, 2))(BigDecimal.valueOf(dice.below(900).toLong - 100, 2)),
    scalarColumn("dbl", DoubleType)(dice.pick(Vector(0.0, 0.5, 1.0, 1e10, Double.NaN))),
    scalarColumn("dt", DateType)(LocalDate.ofEpochDay(19000L + dice.below(9))),
    scalarColumn("ts", TimestampType)(Instant.ofEpochSecond(1700000000L + dice.below(9) * 3600L)),
    scalarColumn("bl", BooleanType)(dice.rng.nextBoolean()),
    scalarColumn("ai", ArrayType(IntegerType))(Vector.fill(dice.below(4))(dice.below(5)))
  )

  private def scalarColumn(name: String, dataType: DataType)(value: => Any): Column = {
    val nulls = dice.pick(Vector(0.0, 0.1, 0.5))
    new Column(
      StructField(name, dataType),
      () => if (dice.chance(nulls)) null else value,
      values => (Vector(), Vector(ordinary(s"@$name", dataType, values)))
    )
  }

  private def partitionColumn(): Column = dice.below(3) match {
    case 0 => scalarColumn("p", IntegerType)(dice.below(3))
    case 1 => scalarColumn("p", StringType)(dice.pick(Vector("a", "b c", "x=y", "\u20ac")))
    case _ => scalarColumn("p", DateType)(LocalDate.ofEpochDay(19000L + dice.below(3)))
  }

  private def ordinary(sql: String, dataType: DataType, values: Vector[Any]): NamedColumn =
    NamedColumn(
      sql,
      dataType,
      dice.some(values.filter(_ != null), 8).map(Literal.create(_, dataType).sql)
    )

  private def external(tree: Option[VariantTree]): VariantVal = tree.map { value =>
    val (metadata, bytes) =
      if (dice.oneIn(3)) VariantTree.encode(value, dice.rng.nextLong())
      else VariantTree.encode(value)
    new VariantVal(bytes, metadata)
  }.orNull

  private def trees(values: Vector[Any]): Vector[VariantTree] =
    dice.some(values.collect { case v: VariantVal => v }, 24).map { variant =>
      VariantTree.decode(variant.getMetadata, variant.getValue)
    }
}

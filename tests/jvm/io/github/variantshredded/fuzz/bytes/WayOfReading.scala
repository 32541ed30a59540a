package io.github.variantshredded.fuzz.bytes

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.predicate.{Conjunct, Conjuncts}
import io.github.variantshredded.read.extract.SparkExtraction
import io.github.variantshredded.read.file.MemoryRows
import io.github.variantshredded.read.inspect.MemoryInspection
import io.github.variantshredded.read.options.ReadSettings
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.types._

/** A way of reading a file of the schema of [[SeedFiles]]. */
abstract class WayOfReading(val name: String) {

  /** Whether it tells of the file, not of its rows. */
  def isOfFile: Boolean = false

  /** Whether values that are wrong may not be met, as no condition keeps their rows. */
  def mayNotReadAllRows: Boolean = false

  /** What is read of the file in memory, in a form that can be compared. */
  def read(options: ReadSettings): Vector[Any]
}

object WayOfReading {
  private val schema = SeedFiles.schema

  private def scan(
      name: String,
      columns: StructType,
      extractions: Seq[ScanExtraction] = Nil,
      conjuncts: Seq[Conjunct] = Nil,
      limit: Option[Int] = None,
      lateMaterializationMinBytes: Int = 0
  ): WayOfReading = new WayOfReading(name) {
    override def mayNotReadAllRows: Boolean = conjuncts.nonEmpty && lateMaterializationMinBytes > 0

    // Behind what is asked for stands what the conditions look at: a scan gives rows that may meet
    // them, and Spark evaluates them again.
    private val read = StructType((columns ++ conjuncts.flatMap(_.columns)).distinct)
    private val extracted = extractions ++ conjuncts.flatMap(_.extractions)
    private val types = read.map(_.dataType) ++ extracted.map(_.what.dataType)

    private val ordinals = columns.indices ++ extractions.indices.map(read.size + _)

    private val conditions: Seq[InternalRow => Boolean] = {
      val first = conjuncts.scanLeft(read.size + extractions.size)(_ + _.extractions.size)
      conjuncts.zip(first).map { case (conjunct, at) =>
        val inputs =
          conjunct.columns.map(read.indexOf(_)) ++ conjunct.extractions.indices.map(at + _)
        row => {
          val values = inputs.map(i => if (row.isNullAt(i)) null else row.get(i, types(i)))
          conjunct.predicate.eval(InternalRow.fromSeq(values)) == true
        }
      }
    }

    override def read(options: ReadSettings): Vector[Any] = {
      val own = options.copy(lateMaterializationMinBytes = lateMaterializationMinBytes)
      MemoryRows
        .read(read, schema, extracted, conjuncts, limit, own) { row =>
          Option.when(conditions.forall(_(row))) {
            ordinals.toVector.map(i => SparkExtraction.column(row, i, types(i)))
          }
        }
        .flatten
    }
  }

  private val input = schema.map(f => AttributeReference(f.name, f.dataType)())
  private def column(name: String) = input.find(_.name == name).get
  private def get(path: String, target: DataType) =
    VariantGet(column("v"), Literal(path), target, failOnError = false, Some("UTC"))

  private def extracted(target: String, failOnError: Boolean, path: PathStep*) = ScanExtraction(
    Seq("v"),
    path,
    ExtractionResult.Value(DataType.fromDDL(target), failOnError, Some("UTC"))
  )
  private def field(name: String): PathStep = PathStep.Field(name)

  private val scalars = Seq(
    extracted("bigint", false, field("id")),
    extracted("string", false, field("id")),
    extracted("string", true, field("name")),
    extracted("decimal(12,3)", false, field("price")),
    extracted("double", false, field("big")),
    extracted("timestamp", false, field("at")),
    extracted("boolean", false, field("flag")),
    extracted("float", false, field("d")),
    extracted("int", true, field("inner"), field("x")),
    ScanExtraction(Seq("v"), Seq(field("rest")), ExtractionResult.IsPresent),
    ScanExtraction(Seq("v"), Seq(field("inner")), ExtractionResult.IsVariantNull)
  )
  private val nested = Seq(
    extracted("array<string>", false, field("tags")),
    extracted("string", false, field("tags"), PathStep.Element(1)),
    extracted("struct<x: int, z: double, y: string>", false, field("inner")),
    extracted("map<string, string>", false, field("rest")),
    extracted("variant", false, field("inner")),
    extracted("struct<id: string, tags: array<variant>>", false)
  )

  private val conditions: Seq[Seq[Expression]] = {
    val id = get("$.id", LongType)
    val text = get("$.name", StringType)
    Seq(
      Seq(EqualTo(id, Literal(20L))),
      Seq(In(text, Seq(Literal("name 1"), Literal("name 7")))),
      Seq(
        GreaterThan(get("$.price", DecimalType(9, 2)), Literal(Decimal(10), DecimalType(9, 2))),
        LessThan(column("n"), Literal(30L))
      ),
      Seq(Or(IsNull(get("$.inner.x", IntegerType)), EqualTo(column("s"), Literal("row 3")))),
      Seq(
        IsNotNull(get("$.tags[1]", StringType)),
        GreaterThan(get("$.d", DoubleType), Literal(3.0))
      )
    )
  }

  private def only(names: String*) = StructType(names.map(schema(_)))

  private val filtered = conditions.zipWithIndex.flatMap { case (filters, i) =>
    val pushed = Conjuncts.of(filters, schema).pushed
    Seq(
      scan(s"condition $i", only("n", "v"), conjuncts = pushed),
      scan(s"condition $i first", only("n", "s"), scalars.take(3), pushed, None, 1)
    )
  }

  private val inspection: WayOfReading = new WayOfReading("inspection") {
    override def isOfFile: Boolean = true

    override def read(options: ReadSettings): Vector[Any] =
      MemoryInspection.read(options) { row =>
        MemoryInspection.schema.indices.toVector.map { i =>
          value(row, i, MemoryInspection.schema(i).dataType)
        }
      }

    private def value(row: InternalRow, i: Int, dataType: DataType): Any =
      if (row.isNullAt(i)) null else row.get(i, dataType).toString
  }

  val all: Vector[WayOfReading] = Vector(
    scan("all columns", schema),
    scan("the Variant", only("v")),
    scan("other columns", only("s", "n", "l")),
    scan("scalars", new StructType, scalars),
    scan("nested values", new StructType, nested),
    scan("extractions and the Variant", only("v", "n"), scalars ++ nested),
    scan("a limit", only("n", "v"), limit = Some(5)),
    inspection
  ) ++ filtered
}

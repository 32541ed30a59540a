package io.github.variantshredded.fuzz.bytes

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.shredding.{
  PathsText,
  ShreddingChoices,
  ShreddingSchema,
  ShreddingSpec,
  ShreddingText
}
import io.github.variantshredded.sql.DocumentPaths
import io.github.variantshredded.write.WriteTexts
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.variant.VariantPathParser
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Texts that users give: shredding schemas, lists of paths, and the values of options.
 *
 * An input is a byte that chooses what the rest, in UTF-8, is taken for. Each text is read or refused
 * with a documented error; what is read and written again is the same.
 */
object TextsTarget extends FuzzTarget {
  override val name: String = "texts"

  override val isTaken: Boolean = true

  override val maxLength: Int = 3000

  /** A parser keeps some objects for each character; the errors quote the text a few times. */
  private def justified(data: Array[Byte]): Long = (8L << 20) + 20000L * data.length

  private val oneVariant = StructType.fromDDL("n int, v variant")
  private val manyVariants =
    StructType.fromDDL(
      "v variant, s struct<v: variant, `o.d`: array<variant>>, m map<string,variant>"
    )

  /** What a text can be taken for. */
  private val kinds: Vector[String => Unit] = Vector(
    shreddingSchema,
    spec(oneVariant, _),
    spec(manyVariants, _),
    paths,
    choice("shredding.include", _),
    choice("shredding.pin", _),
    choice("shredding.s.v.exclude", _),
    WriteTexts.bloomFilters(_, specOf("id bigint", oneVariant)),
    WriteTexts.clusterBy(_, specOf("infer", manyVariants)),
    options(WriteOptions.All, _),
    options(ReadOptions.reading ++ ReadOptions.settings, _),
    documentPath
  )

  override def run(data: Array[Byte]): Unit = if (data.nonEmpty) {
    val text = new String(data, 1, data.length - 1, UTF_8)
    val kind = (data(0) & 0xff) % kinds.size
    Allocation.within(justified(data), s"A text of ${data.length} bytes, kind $kind") {
      try kinds(kind)(text)
      catch {
        case e: VariantShreddedException if conditions(e.condition) => ()
      }
    }
  }

  private val conditions = Set(
    "INVALID_SHREDDING_SPECIFICATION",
    "INVALID_VARIANT_SHREDDED_OPTION",
    "INVALID_VARIANT_FUNCTION_ARGUMENT"
  )

  private def shreddingSchema(text: String): Unit = {
    val schema = ShreddingText.parse(text)
    val again = ShreddingText.parse(ShreddingText.render(schema))
    if (again != schema) throw new AssertionError(s"$schema is written as $again")
  }

  private def specOf(text: String, schema: StructType): ShreddingSpec =
    ShreddingSpec.parse(text, schema, caseSensitive = false, (_, _) => ShreddingSchema.Unshredded)

  private def spec(schema: StructType, text: String): Unit = {
    val found = specOf(text, schema)
    if (found.columns.isEmpty) throw new AssertionError("no column")
  }

  private def paths(text: String): Unit = {
    val _ = PathsText.parse(text, typed = false)
    val _ = PathsText.parse(text, typed = true)
  }

  private def choice(option: String, text: String): Unit = {
    val options = new CaseInsensitiveStringMap(Map(option -> text).asJava)
    val schema = if (option.contains(".s.")) manyVariants else oneVariant
    val _ = ShreddingChoices(options, specOf("infer", schema), schema, caseSensitive = true)
  }

  private def options(entries: Seq[OptionEntry[_]], text: String): Unit = entries.foreach { entry =>
    val options = new CaseInsensitiveStringMap(Map(entry.name -> text).asJava)
    try entry.get(options): Unit
    catch {
      case e: VariantShreddedException if conditions(e.condition) => ()
      // Spark's parser refuses a schema in DDL, and types that do not exist.
      case _: SparkThrowable if entry == ReadOptions.Schema => ()
    }
  }

  /** What is a path for Spark has to be one by Spark's own parser. */
  private def documentPath(text: String): Unit = {
    val path = DocumentPaths.toSpark(text)
    if (Try(VariantPathParser.parse(path)).toOption.flatten.isEmpty)
      throw new AssertionError(s"'$text' became '$path', which is no path")
  }

  override lazy val seeds: Seq[Array[Byte]] = for {
    kind <- kinds.indices
    text <- Seq(
      "id bigint, name string, tags array<string>, at struct<n decimal(9,2), `odd name` variant>",
      """{"v": "id bigint", "s.v": "infer", "m.value": "none"}""",
      "$.a.b, $['odd name'], $.list[*].c",
      "$.ts timestamp, $.user struct<id bigint>",
      "a.b[0]['c d'].\"e.f\"",
      "like:/data",
      "64m",
      "7d",
      "true",
      "0.5",
      "spec"
    )
  } yield kind.toByte +: text.getBytes(UTF_8)
}

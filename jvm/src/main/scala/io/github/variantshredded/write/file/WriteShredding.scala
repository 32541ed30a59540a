package io.github.variantshredded.write.file

import java.io.IOException

import scala.util.control.NonFatal

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.{
  ColumnShredding,
  ShreddingChoices,
  ShreddingSchema,
  ShreddingSpec,
  VariantColumn
}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Decides how the Variants of a write are shredded, by its options and by the existing files. */
private[write] object WriteShredding extends Logging {

  /**
   * Returns the shredding of all Variant columns.
   *
   * @param data
   *   the columns that are written to files (partition columns are not)
   * @param existing
   *   the layout of the files that rows are added to; None if there are none, or if rows replace
   *   them
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_SHREDDING_SPECIFICATION` or `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def apply(
      options: CaseInsensitiveStringMap,
      data: StructType,
      caseSensitive: Boolean,
      existing: Option[ExistingLayout],
      conf: Configuration
  ): ShreddingSpec = {
    val option = WriteOptions.Shredding.of(options)
    val likes = new Likes(option, caseSensitive, conf)
    val spec = ShreddingSpec.parse(option, data, caseSensitive, likes.of)
    val chosen = ShreddingChoices(options, spec, data, caseSensitive)
    val reuses = WriteOptions.ReuseShredding.of(options)
    if (reuses && chosen.infers)
      existing.fold(chosen)(withCurrent(chosen, _, caseSensitive))
    else chosen
  }

  /** Returns the existing layout, or None if it cannot be read: this does not prevent the write. */
  def readable(existing: => Option[ExistingLayout]): Option[ExistingLayout] =
    try existing
    catch {
      case e @ (NonFatal(_) | _: OutOfMemoryError | _: StackOverflowError) =>
        logWarning("Cannot read how the existing files are shredded; the schema is inferred", e)
        None
    }

  private def withCurrent(
      spec: ShreddingSpec,
      layout: ExistingLayout,
      caseSensitive: Boolean
  ): ShreddingSpec = spec.copy(columns = spec.columns.map { column =>
    if (column.shredding != ColumnShredding.Infer) column
    else {
      val current =
        try layout.of(column, caseSensitive).toOption
        catch { case _: VariantShreddedException => None }
      column.copy(choice = column.choice.copy(current = current))
    }
  })

  /** Resolves `like:PATH`, and reads each path once. */
  private final class Likes(option: String, caseSensitive: Boolean, conf: Configuration) {
    private val layouts = scala.collection.mutable.HashMap.empty[String, ExistingLayout]

    def of(path: String, column: VariantColumn): ShreddingSchema =
      try
        layouts.getOrElseUpdate(path, load(path)).of(column, caseSensitive) match {
          case Right(schema) => schema
          case Left(reason)  => throw invalid(s"$reason.")
        }
      catch {
        case e: VariantShreddedException if e.condition == "INVALID_VARIANT_SHREDDING_SCHEMA" =>
          throw invalid(e.reason)
      }

    private def load(path: String): ExistingLayout = {
      if (path.isEmpty) throw invalid("there is no path after 'like:'.")
      val found =
        try ExistingLayout.newest(new Path(path), conf)
        catch {
          case e @ (_: IOException | _: RuntimeException) =>
            throw invalid(s"the files in '$path' cannot be read: ${e.getMessage}")
        }
      found.getOrElse(throw invalid(s"there is no file in '$path'."))
    }

    private def invalid(reason: String): VariantShreddedException =
      VariantShreddedErrors.invalidShreddingText(option, reason)
  }
}

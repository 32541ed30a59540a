package io.github.variantshredded.read.options

import java.util.Locale

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/**
 * Refuses options that do not exist and read like an option of this source, such as `bloomFilters`
 * or `bloom_filter`. Other unknown options are ignored, as Spark's own sources ignore them: some
 * are for Hadoop's file systems.
 */
private[variantshredded] object MisspeltOptions {

  private val entries: Seq[OptionEntry[_]] =
    VariantShreddedOptions.reading ++ WriteOptions.All ++ VariantShreddedOptions.inspecting

  /**
   * Checks the names of `options`.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` with the name that was probably meant
   */
  def check(options: CaseInsensitiveStringMap): Unit =
    options.asCaseSensitiveMap.keySet.asScala.foreach { key =>
      if (!entries.exists(_.isNamed(key)) && !isOfColumn(key))
        entries.find(entry => isAlike(key, entry.name)).foreach { entry =>
          throw VariantShreddedErrors.misspeltOption(key, entry.name)
        }
    }

  /** `shredding.<column>.include` and the other two, which are checked with the columns. */
  private def isOfColumn(key: String): Boolean =
    key.toLowerCase(Locale.ROOT).startsWith("shredding.") && key.count(_ == '.') > 1

  /** Up to one letter in six may be wrong; case and `_` do not count. */
  private def isAlike(key: String, name: String): Boolean = {
    val (given, known) = (letters(key), letters(name))
    UTF8String
      .fromString(given)
      .levenshteinDistance(UTF8String.fromString(known), known.length / 6) >= 0
  }

  private def letters(name: String): String =
    name.toLowerCase(Locale.ROOT).filter(c => c != '_' && c != '-')
}

package io.github.variantshredded.options

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Merges options, whose names are not case-sensitive. */
private[variantshredded] object MergedOptions {

  /** The options that have two names. */
  private val SameOption =
    Seq(Set("validation", "mode"), Set("compression", ParquetOutputFormat.COMPRESSION))

  /** Returns the names of the option with this name, in lower case. */
  def namesOf(name: String): Set[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    SameOption.find(_(lower)).getOrElse(Set(lower))
  }

  /**
   * Returns all options that have a value; those of `later` take precedence, whatever letters their
   * names have, and whichever name of an option with two names is given. PySpark passes an option
   * that is `None` as one without a value.
   */
  def apply(
      earlier: CaseInsensitiveStringMap,
      later: CaseInsensitiveStringMap
  ): CaseInsensitiveStringMap = {
    val added = withValues(later)
    val replaced = added.keys.flatMap(namesOf).toSet
    val kept = withValues(earlier).filterNot { case (name, _) =>
      replaced(name.toLowerCase(Locale.ROOT))
    }
    new CaseInsensitiveStringMap((kept ++ added).asJava)
  }

  private def withValues(options: CaseInsensitiveStringMap) =
    options.asCaseSensitiveMap.asScala.filter { case (_, value) => value != null }
}

package io.github.variantshredded.read.options

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.spark.SparkOptionNames
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/**
 * Refuses names of options that nobody knows, such as `shreding` or `bloom_filter`.
 *
 * A name is known if it is an option of this source or of one of Spark's file sources. A name with
 * a dot may be an option of Hadoop or of Parquet, so it is refused only if it begins with
 * `shredding.` or is very close to an option of this source.
 */
private[variantshredded] object OptionNames {

  private val shared: Seq[OptionEntry[_]] = ReadOptions.reading ++ WriteOptions.All

  private final val Shredding = "shredding."

  /** The prefixes of names with a dot that are no settings of Hadoop. */
  private val NotOfHadoop = Seq(Shredding, "parquet.", "spark.")
  private val OfEncryption = Seq("parquet.crypto.", "parquet.encryption.")

  /**
   * Checks the options of a read or a write.
   *
   * @param more
   *   entries that the format has beside those of reading and writing
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` with the name that was probably meant
   */
  def check(options: CaseInsensitiveStringMap, more: Seq[OptionEntry[_]] = Nil): Unit =
    options.asCaseSensitiveMap.keySet.asScala.foreach(check(_, shared ++ more))

  /**
   * Checks the options of a format that does not take all options of Spark's file sources.
   *
   * @param known
   *   all entries of the format
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` with the name that was probably meant, or with all names
   */
  def checkOnly(options: CaseInsensitiveStringMap, known: Seq[OptionEntry[_]]): Unit =
    options.asCaseSensitiveMap.keySet.asScala
      .filterNot(name => isOneOf(known, name) || isOfOthers(name))
      .foreach { name =>
        throw VariantShreddedErrors.unknownOption(name, nearest(name, known), known.map(_.name))
      }

  /**
   * Checks what a statement declares of a table. Names in its `OPTIONS` are checked like those of a
   * read. Its properties belong to the user, so one is refused only if it is very close to an
   * option.
   *
   * @param properties
   *   properties, and options both under their own names and with the prefix `option.`, as Spark
   *   passes them to a catalog
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   as of `check`
   */
  def checkTable(properties: JMap[String, String]): Unit = {
    val (prefixed, plain) =
      properties.keySet.asScala.toSeq.partition(_.startsWith(TableCatalog.OPTION_PREFIX))
    val options = prefixed.map(_.stripPrefix(TableCatalog.OPTION_PREFIX))
    options.foreach(check(_, shared))
    plain.filterNot(options.contains).filterNot(isKnown(_, shared)).foreach { name =>
      shared.find(entry => isAlike(name, entry.name, oneIn = 8)).foreach { meant =>
        throw VariantShreddedErrors.unknownOption(name, Some(meant.name))
      }
    }
  }

  /**
   * Returns whether an option is a setting of Hadoop, such as one of a file system or of Parquet's
   * encryption.
   */
  def isOfHadoop(name: String): Boolean = {
    def begins(prefixes: Seq[String]) = prefixes.exists(name.toLowerCase(Locale.ROOT).startsWith)
    name.contains('.') && (begins(OfEncryption) || !begins(NotOfHadoop))
  }

  private def check(name: String, entries: Seq[OptionEntry[_]]): Unit =
    if (!isKnown(name, entries)) {
      if (!isOfOthers(name)) throw VariantShreddedErrors.unknownOption(name, nearest(name, entries))
      entries.find(entry => isAlike(name, entry.name, oneIn = 6)).foreach { meant =>
        throw VariantShreddedErrors.unknownOption(name, Some(meant.name))
      }
    }

  private def isKnown(name: String, entries: Seq[OptionEntry[_]]): Boolean =
    isOneOf(entries, name) || SparkOptionNames.contains(name) || isOfColumn(name)

  /** Returns whether Hadoop or Parquet may have an option of this name. */
  private def isOfOthers(name: String): Boolean =
    name.contains('.') && !name.toLowerCase(Locale.ROOT).startsWith(Shredding)

  private def isOneOf(entries: Seq[OptionEntry[_]], name: String): Boolean =
    entries.exists(_.isNamed(name))

  /**
   * Returns whether `name` is `shredding.<column>.include` or one of the other two such options,
   * which are checked with the columns.
   */
  private def isOfColumn(name: String): Boolean =
    name.toLowerCase(Locale.ROOT).startsWith(Shredding) && name.count(_ == '.') > 1

  /** Returns the closest name, of which at most one letter in three differs. */
  private def nearest(name: String, entries: Seq[OptionEntry[_]]): Option[String] = entries
    .flatMap { entry =>
      val names = Seq(entry.name, entry.name.stripPrefix(Shredding)).distinct
      names.map(known => (distance(name, known, known.length / 3), entry.name))
    }
    .filter { case (distance, _) => distance >= 0 }
    .minByOption { case (distance, _) => distance }
    .map { case (_, known) => known }

  /** Returns whether at most one in so many letters is wrong; case, `_` and `-` do not count. */
  private def isAlike(name: String, known: String, oneIn: Int): Boolean =
    distance(name, known, known.length / oneIn) >= 0

  /** Returns how many letters differ; -1 if more than `most`. */
  private def distance(name: String, known: String, most: Int): Int =
    UTF8String
      .fromString(letters(name))
      .levenshteinDistance(UTF8String.fromString(letters(known)), most)

  private def letters(name: String): String =
    name.toLowerCase(Locale.ROOT).filter(c => c != '_' && c != '-')
}

package io.github.variantshredded.table

import java.util.Locale

import io.github.variantshredded.options.MergedOptions
import org.apache.spark.sql.connector.catalog.{TableCatalog, TableChange}
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}

/**
 * Completes the changes of properties that are options. The names of options are not case-sensitive,
 * but those of properties are. An option of the clause `OPTIONS` is stored by two names: its own, and
 * the name with the prefix `option.`, which `SHOW CREATE TABLE` prints.
 */
private[table] object OptionChanges {

  /**
   * Returns the changes, with which a set option replaces the same option in other letters or by its
   * other name, and the prefixed name has the same value as the other one.
   *
   * @param properties
   *   the properties of the table before
   */
  def apply(properties: Map[String, String], changes: Seq[TableChange]): Seq[TableChange] = {
    def stored(option: String) = {
      val names = MergedOptions.namesOf(option)
      properties.keys.filter(name => names(unprefixed(name).toLowerCase(Locale.ROOT))).toSeq
    }
    def isPrefixed(name: String) = name.startsWith(TableCatalog.OPTION_PREFIX)
    def isOption(name: String) = DeclaredTable.isOption(name) || stored(name).exists(isPrefixed)
    val removed = changes.collect {
      case set: SetProperty if isOption(set.property)          => stored(set.property)
      case remove: RemoveProperty if isOption(remove.property) => stored(remove.property)
    }.flatten
    val prefixed = changes.collect {
      case set: SetProperty if stored(set.property).exists(isPrefixed) =>
        TableChange.setProperty(TableCatalog.OPTION_PREFIX + set.property, set.value)
    }
    removed.map(TableChange.removeProperty) ++ changes ++ prefixed
  }

  /** Returns the properties after the changes. */
  def changed(properties: Map[String, String], changes: Seq[TableChange]): Map[String, String] =
    changes.foldLeft(properties) {
      case (all, set: SetProperty)       => all + (set.property -> set.value)
      case (all, remove: RemoveProperty) => all - remove.property
      case (all, _)                      => all
    }

  private def unprefixed(name: String): String = name.stripPrefix(TableCatalog.OPTION_PREFIX)
}

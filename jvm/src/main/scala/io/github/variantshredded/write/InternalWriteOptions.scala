package io.github.variantshredded.write

import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Names the options that are not for users: by them, a save to a path passes requirements to the
 * write that it starts, and the Python package passes some to a save.
 */
private[variantshredded] object InternalWriteOptions {

  /** Marks a directory that must not have data when the job commits (`errorifexists`, `ignore`). */
  val MustBeNew = "__variant_shredded_new"

  /** The columns with the names that other options use, if files have other names (JSON). */
  val ColumnNames = "__variant_shredded_names"

  /** Marks a save that checks its target, columns and options, and writes nothing. */
  val ChecksOnly = "__variantShreddedChecksOnly"

  def mustBeNew(options: CaseInsensitiveStringMap): Boolean = options.containsKey(MustBeNew)

  def namesOf(options: CaseInsensitiveStringMap): Option[StructType] =
    Option(options.get(ColumnNames)).map(DataType.fromJson(_).asInstanceOf[StructType])
}

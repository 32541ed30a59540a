package io.github.variantshredded.write

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Names the options by which a save to a path passes requirements to the write that it starts. */
private[variantshredded] object SaveTarget {

  /** Marks a directory that must not have data when the job commits (`errorifexists`, `ignore`). */
  val NewOption = "__variant_shredded_new"

  def mustBeNew(options: CaseInsensitiveStringMap): Boolean = options.containsKey(NewOption)
}

package io.github.variantshredded.write

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** What a save to a path tells the write that it starts, in the options of that write. */
private[variantshredded] object SaveTarget {

  /** Marks a directory that must not have data when the job commits: `errorifexists`, `ignore`. */
  val NewOption = "__variant_shredded_new"

  def mustBeNew(options: CaseInsensitiveStringMap): Boolean = options.containsKey(NewOption)
}

package io.github.variantshredded.options

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Merges options, whose names are not case-sensitive. */
private[variantshredded] object MergedOptions {

  /** Returns all options; those of `later` take precedence, whatever letters their names have. */
  def apply(
      earlier: CaseInsensitiveStringMap,
      later: CaseInsensitiveStringMap
  ): CaseInsensitiveStringMap = {
    val kept = earlier.asCaseSensitiveMap.asScala.filterNot { case (name, _) =>
      later.containsKey(name)
    }
    new CaseInsensitiveStringMap((kept ++ later.asCaseSensitiveMap.asScala).asJava)
  }
}

package io.github.variantshredded.takeover

import scala.jdk.CollectionConverters._

import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.ReadOptions
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Makes the options by which this source reads the files of another source. */
private[takeover] object TakenOverOptions {

  /**
   * Returns the options of the other relation, with `validation=permissive`: what Spark reads
   * without an error, this source does too. Options that only this source has are left out, because
   * Spark ignores them.
   */
  def of(options: CaseInsensitiveStringMap, source: OtherSource): CaseInsensitiveStringMap = {
    val kept = options.asCaseSensitiveMap.asScala.filterNot { case (name, _) =>
      ReadOptions.own.exists(_.isNamed(name))
    }
    val added = Map(
      ReadOptions.Validation.name -> "permissive",
      Format.TakenOverFrom -> source.name,
      Format.AsSpark -> source.asSpark.toString,
      Format.AsDataSourceV2 -> source.isV2.toString
    )
    new CaseInsensitiveStringMap((kept ++ added).asJava)
  }
}

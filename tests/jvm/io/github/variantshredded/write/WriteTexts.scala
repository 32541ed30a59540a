package io.github.variantshredded.write

import scala.jdk.CollectionConverters._

import io.github.variantshredded.shredding.ShreddingSpec
import io.github.variantshredded.write.cluster.Clustering
import io.github.variantshredded.write.file.BloomFilterPaths
import io.github.variantshredded.write.options.WriteOptions
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Reads texts of options for writing, for tests of other packages. */
object WriteTexts {

  def bloomFilters(text: String, spec: ShreddingSpec): Unit = {
    val _ = BloomFilterPaths.parse(Some(text), spec, caseSensitive = false)
  }

  def clusterBy(text: String, spec: ShreddingSpec): Unit = {
    val options = new CaseInsensitiveStringMap(Map(WriteOptions.ClusterBy.name -> text).asJava)
    val _ = Clustering(options, spec, caseSensitive = false)
  }
}

package io.github.variantshredded.write.file

import io.github.variantshredded.shredding.{InferenceLimits, ShreddingSpec}
import io.github.variantshredded.shredding.layout.Layout
import io.github.variantshredded.write.cluster.Clustering
import io.github.variantshredded.write.infer.{DriftLimits, SampleLimits}
import io.github.variantshredded.write.options.WriteOptions
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Describes how the Variants of a write are stored. The driver resolves it from the options and
 * from the existing files, and passes it to the tasks.
 *
 * @param shredding
 *   the shredding of each Variant column: a given schema, or inference
 * @param layout
 *   the layout of shredded Variants
 * @param sample
 *   the limits of the sample
 * @param limits
 *   the limits of schema inference
 * @param bloomFilters
 *   the paths with bloom filters
 * @param clustering
 *   the order of rows within a file
 * @param drift
 *   the limits of the check for schema drift
 */
private[write] final case class WriteSettings(
    shredding: ShreddingSpec,
    layout: Layout,
    sample: SampleLimits,
    limits: InferenceLimits,
    bloomFilters: BloomFilterPaths,
    clustering: Clustering,
    drift: DriftLimits
) {

  /** Returns the paths that the options of the write name. */
  def optionPaths: OptionPaths = OptionPaths(shredding, bloomFilters, clustering)
}

private[write] object WriteSettings {

  /**
   * Resolves the options of a write.
   *
   * @param data
   *   the columns that are written to files (partition columns are not)
   * @param existing
   *   the layout of the files that rows are added to; None if there are none, or if rows replace
   *   them
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_SHREDDING_SPECIFICATION` or `INVALID_VARIANT_SHREDDED_OPTION`
   */
  def apply(
      options: CaseInsensitiveStringMap,
      data: StructType,
      caseSensitive: Boolean,
      existing: Option[ExistingLayout],
      conf: Configuration
  ): WriteSettings = {
    val shredding = WriteShredding(options, data, caseSensitive, existing, conf)
    WriteSettings(
      shredding = shredding,
      layout = WriteOptions.layout(options),
      sample = WriteOptions.sampleLimits(options),
      limits = WriteOptions.inferenceLimits(options),
      bloomFilters =
        BloomFilterPaths.parse(WriteOptions.BloomFilter.get(options), shredding, caseSensitive),
      clustering = Clustering(options, shredding, caseSensitive),
      drift = WriteOptions.driftLimits(options)
    )
  }
}

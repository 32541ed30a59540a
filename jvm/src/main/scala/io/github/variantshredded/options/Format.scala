package io.github.variantshredded.options

/** Holds the names of the format. */
private[variantshredded] object Format {

  /** The name of the format in Spark's readers, writers and `USING`. */
  val Name = "variant-shredded"

  /** The same without a hyphen, for SQL, which would need backticks around the other. */
  val SqlName = "variant_shredded"

  /** The class that Spark makes for that name. */
  val ClassName = "io.github.variantshredded.VariantShreddedSource"

  /** An option that names the source whose files are read in its place; EXPLAIN shows it. */
  val TakenOverFrom = "variantShredded.takenOverFrom"

  /** An option by which the values of another source's files are those that Spark's reader gives. */
  val AsSpark = "variantShredded.asSpark"

  /**
   * An option by which missing files, and the tasks that read the files, are those of Spark's readers
   * of Data Source V2.
   */
  val AsDataSourceV2 = "variantShredded.asDataSourceV2"
}

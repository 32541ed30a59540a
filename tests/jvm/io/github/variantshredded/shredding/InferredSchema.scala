package io.github.variantshredded.shredding

/** Inference as a writer does it: of rows that it has all of, counted again where that is needed. */
object InferredSchema {

  /**
   * @param rows
   *   (metadata, value) each
   */
  def of(
      rows: Seq[(Array[Byte], Array[Byte])],
      limits: InferenceLimits,
      choice: InferenceChoice
  ): ShreddingSchema = {
    val statistics = new ColumnStatistics(limits, choice)
    def add(): Unit = rows.foreach { case (metadata, value) =>
      val bytes = value ++ metadata
      statistics.add(bytes, 0, value.length, value.length, bytes.length)
    }
    add()
    if (statistics.needsRecount) {
      statistics.recount()
      add()
    }
    SchemaInference.infer(Seq(statistics), limits).head
  }
}

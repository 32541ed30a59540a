package io.github.variantshredded.read.options

/**
 * Says how the vectors of a column batch are allocated.
 *
 * @param rows
 *   maximum number of rows in a batch
 * @param offHeap
 *   whether vectors are allocated off the heap
 */
final case class VectorSettings(rows: Int, offHeap: Boolean)

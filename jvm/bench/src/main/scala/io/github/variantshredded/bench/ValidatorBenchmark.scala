package io.github.variantshredded.bench

import java.util.concurrent.TimeUnit

import io.github.variantshredded.variant.{MetadataDictionary, VariantValidator}
import org.apache.spark.types.variant.VariantBuilder
import org.openjdk.jmh.annotations._

/**
 * Measures how long the check of one value takes. Each value read from a `value` column is checked.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class ValidatorBenchmark {

  private val event = {
    val fields = (0 until 20).map(i => s""""field$i": {"id": $i, "name": "name of field $i"}""")
    VariantBuilder.parseJson(fields.mkString("{", ", ", "}"), false)
  }
  private val dictionary =
    MetadataDictionary.parse(event.getMetadata, 0, event.getMetadata.length)
  private val validator = new VariantValidator

  @Benchmark
  def check(): Unit = validator.check(event.getValue, 0, event.getValue.length, dictionary)
}

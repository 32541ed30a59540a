package io.github.variantshredded.bench

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.internal.SQLConf
import org.openjdk.jmh.annotations.{Benchmark, BenchmarkMode, Mode, OutputTimeUnit, Scope, State}

/** How long Spark takes to find the source by its name. */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
class LookupBenchmark {

  private val conf = new SQLConf

  @Benchmark
  def lookup(): Class[_] = DataSource.lookupDataSource("variant-shredded", conf)
}

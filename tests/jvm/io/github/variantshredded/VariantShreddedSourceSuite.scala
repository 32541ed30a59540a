package io.github.variantshredded

import java.nio.file.{Files, Path}

class VariantShreddedSourceSuite extends SparkSuite {

  test("Spark finds the source by its short name") {
    val error = intercept[UnsupportedOperationException] {
      spark.read.format("variant-shredded").load("nowhere")
    }
    assert(error.getMessage === "variant-shredded cannot read or write yet")
  }

  test("tests run in the root of the checkout") {
    assert(Files.exists(Path.of("build.sbt")))
  }
}

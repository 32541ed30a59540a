package io.github.variantshredded

import java.nio.file.{Files, Path}

import io.github.variantshredded.options.Format
import io.github.variantshredded.testing.SparkSuite
import org.apache.spark.sql.AnalysisException

class VariantShreddedSourceSuite extends SparkSuite {

  test("Spark finds the source by its short name; a missing path is refused at once") {
    val error = intercept[AnalysisException] {
      spark.read.format("variant-shredded").load("nowhere")
    }
    assert(error.getCondition === "PATH_NOT_FOUND")
    assert(error.getMessage.contains("nowhere"))
  }

  test("the class of the format is called as it says") {
    assert(Format.ClassName === classOf[VariantShreddedSource].getName)
    assert(new VariantShreddedSource().shortName() === Format.Name)
  }

  test("tests run in the root of the checkout") {
    assert(Files.exists(Path.of("build.sbt")))
  }
}

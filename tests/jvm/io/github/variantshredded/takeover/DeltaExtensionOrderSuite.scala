package io.github.variantshredded.takeover

import io.github.variantshredded.VariantShreddedExtensions

/** A session in which the extension of Delta Lake comes after that of this source. */
class DeltaExtensionOrderSuite extends DeltaTables {

  override protected def sessionSettings: Map[String, String] = super.sessionSettings +
    ("spark.sql.extensions" ->
      s"${classOf[VariantShreddedExtensions].getName},io.delta.sql.DeltaSparkSessionExtension")

  test("EXPLAIN asks for the order of the extensions") {
    withTable() { table =>
      declined(
        spark.sql(s"SELECT sum(v:a::int) FROM $table"),
        "Delta Lake has not chosen the files of the query yet; is its extension named first?)"
      )
    }
  }
}

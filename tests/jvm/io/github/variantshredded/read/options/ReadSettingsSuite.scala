package io.github.variantshredded.read.options

import io.github.variantshredded.errors.VariantShreddedException
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

class ReadSettingsSuite extends AnyFunSuite {

  private def rows(setting: String): Int = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.parquet.columnarReaderBatchSize", setting)
    ReadSettings(CaseInsensitiveStringMap.empty, conf).vectors.rows
  }

  test("batches have at least one row") {
    assert(rows("1") === 1)
    Seq("0", "-1").foreach { setting =>
      val error = intercept[VariantShreddedException](rows(setting))
      assert(error.condition === "INVALID_VARIANT_SHREDDED_OPTION")
      assert(
        error.reason === "Option 'spark.sql.parquet.columnarReaderBatchSize' is " +
          s"'$setting', expected a number of at least 1."
      )
    }
  }
}

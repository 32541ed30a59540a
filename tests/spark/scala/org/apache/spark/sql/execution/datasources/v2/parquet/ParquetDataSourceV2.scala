package org.apache.spark.sql.execution.datasources.v2.parquet

import io.github.variantshredded.VariantShreddedSource

/**
 * Gives this source the name `parquet`, for Spark's own tests.
 *
 * Spark looks up every name of a format in one place, `DataSource.lookupDataSource`: that of
 * `spark.read.parquet`, `format("parquet")`, `USING parquet`, ``parquet.`path` `` and the default
 * format. It takes the class that is registered with this name. This class has the name of the class
 * that Spark registers, and comes before it on the class path, so Spark finds this source in every
 * thread and in every session, and no test has to be changed.
 *
 * Spark's own source keeps the names of its class, such as `org.apache.spark.sql.parquet`, by which
 * a test can write or read files without this source.
 *
 * [[io.github.variantshredded.sparktests.FormatInCatalog]] puts the real name into catalogs.
 */
class ParquetDataSourceV2 extends VariantShreddedSource {

  /**
   * Returns `parquet`, except to the method that decides whether Spark uses the first version of
   * its interfaces for a source (`spark.sql.sources.useV1SourceList`). This source has only the
   * second, and many tests put `parquet` into that list.
   */
  override def shortName(): String =
    if (ParquetDataSourceV2.isAskedForVersion) super.shortName() else "parquet"
}

private object ParquetDataSourceV2 {

  // Frame 0 is this method, frame 1 is shortName.
  private def isAskedForVersion: Boolean =
    StackWalker.getInstance
      .walk[java.lang.Boolean](frames =>
        frames.limit(4).anyMatch(_.getMethodName == "lookupDataSourceV2")
      )
      .booleanValue
}

package io.github.variantshredded.write.shred

import io.github.variantshredded.shredding.layout.Layout

/**
 * Holds what a file requires of the values in its columns.
 *
 * @param legacyCalendar
 *   whether the file declares that its dates are Julian
 *   (`spark.sql.parquet.datetimeRebaseModeInWrite` is `LEGACY`). Spark's reader then shifts old
 *   dates in shredded columns too, so old dates stay in `value`
 * @param layout
 *   layout of the columns
 */
private[write] final case class ShredderSettings(
    legacyCalendar: Boolean = false,
    layout: Layout = Layout.Spec
)

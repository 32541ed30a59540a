package io.github.variantshredded

import io.github.variantshredded.options.Format

/**
 * Provides the format of [[VariantShreddedSource]] by the name `variant_shredded`, which SQL takes
 * without backticks: `CREATE TABLE t (v VARIANT) USING variant_shredded`.
 */
final class VariantShreddedSqlSource extends VariantShreddedSource {
  override def shortName(): String = Format.SqlName
}

package io.github.variantshredded.read.pages

import org.apache.parquet.column.page.{DataPage, DictionaryPage}

/** Converts the pages of a column to pages that Spark's decoder reads correctly. */
private[read] trait PageConversion {

  private[pages] def dictionary(page: DictionaryPage): DictionaryPage

  private[pages] def data(page: PageParts): DataPage
}

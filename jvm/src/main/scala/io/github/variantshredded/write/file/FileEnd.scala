package io.github.variantshredded.write.file

import org.apache.spark.sql.execution.datasources.{OutputWriter, WriteJobDescription}

/** Decides whether the next row of the same directory is written to a new file. */
private object FileEnd {

  def isAfter(writer: OutputWriter, rows: Long, description: WriteJobDescription): Boolean =
    (description.maxRecordsPerFile > 0 && rows >= description.maxRecordsPerFile) ||
      (writer match {
        case variants: VariantOutputWriter => variants.rolls()
        case _                             => false
      })
}

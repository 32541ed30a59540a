package io.github.variantshredded.testing

import java.nio.file.Path

import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.conf.PlainParquetConfiguration
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.io.{InputFile, LocalInputFile}

/**
 * Opens Parquet files with parquet-java. The options are made once: without options, parquet-java
 * reads Hadoop's XML files anew for each Parquet file.
 */
object LocalParquet {
  private val options: ParquetReadOptions =
    ParquetReadOptions.builder(new PlainParquetConfiguration).build()

  def open(file: Path): ParquetFileReader = open(new LocalInputFile(file))

  def open(file: InputFile): ParquetFileReader = ParquetFileReader.open(file, options)
}

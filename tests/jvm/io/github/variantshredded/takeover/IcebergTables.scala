package io.github.variantshredded.takeover

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{DataFiles, PartitionSpec, Schema, SortOrder, Table}
import org.apache.iceberg.hadoop.HadoopTables

/** Makes tables of Iceberg without a catalog and without Spark. */
private[takeover] object IcebergTables {

  def create(location: Path, schema: Schema, properties: Map[String, String] = Map.empty): Table =
    new HadoopTables(new Configuration).create(
      schema,
      PartitionSpec.unpartitioned,
      SortOrder.unsorted,
      (properties + ("format-version" -> "3")).asJava,
      location.toString
    )

  /** Adds a data file `a.parquet` of 10 bytes, which need not exist. */
  def append(table: Table): Unit = {
    val file = DataFiles
      .builder(PartitionSpec.unpartitioned)
      .withPath(s"${table.location}/data/a.parquet")
      .withFileSizeInBytes(10)
      .withRecordCount(1)
      .build()
    table.newAppend.appendFile(file).commit()
  }
}

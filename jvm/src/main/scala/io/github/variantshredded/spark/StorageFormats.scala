package io.github.variantshredded.spark

import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat
import org.apache.spark.sql.catalyst.plans.logical.SerdeInfo
import org.apache.spark.sql.internal.HiveSerDe

/** Describes how the entry of a table in Hive's formats says what its files are. */
private[variantshredded] object StorageFormats {

  /** Adds what `STORED AS` or `ROW FORMAT` names, as Spark does for its own tables. */
  def withSerde(storage: CatalogStorageFormat, named: SerdeInfo): CatalogStorageFormat = {
    val known = named.storedAs.map { format =>
      HiveSerDe.sourceToSerDe(format).getOrElse(throw TableInternals.unknownFormat(named))
    }
    CaseClasses.copy(
      storage,
      "inputFormat" -> known.fold(named.formatClasses.map(_.input))(_.inputFormat),
      "outputFormat" -> known.fold(named.formatClasses.map(_.output))(_.outputFormat),
      "serde" -> named.serde.orElse(known.flatMap(_.serde)),
      "properties" -> named.serdeProperties
    )
  }
}

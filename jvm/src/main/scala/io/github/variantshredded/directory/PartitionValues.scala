package io.github.variantshredded.directory

import java.nio.charset.StandardCharsets.UTF_8

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.execution.datasources.{PartitioningAwareFileIndex, PartitionSpec}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, Decimal, DecimalType, StructField}

/**
 * Corrects the partition values that Spark takes from the names of directories: a binary value as it
 * stands there, where some characters are escaped (`a%2Fb`), and a decimal with the digits that
 * stand there, whatever the scale of its column. Spark itself unescapes and casts the other types.
 */
private[variantshredded] trait PartitionValues extends PartitioningAwareFileIndex {

  // What Spark has found in the names of directories, and the same with corrected values.
  private var corrected = Option.empty[(PartitionSpec, PartitionSpec)]

  /** Returns the partitions, with values as they were written. */
  abstract override def partitionSpec(): PartitionSpec = synchronized {
    val found = super.partitionSpec()
    if (!found.partitionColumns.exists(PartitionValues.isCorrected)) found
    else {
      corrected.collect { case (`found`, known) => known }.getOrElse {
        val spec = PartitionValues.correct(found)
        corrected = Some(found -> spec)
        spec
      }
    }
  }
}

private object PartitionValues {

  private def isCorrected(column: StructField): Boolean = column.dataType match {
    case BinaryType | _: DecimalType => true
    case _                           => false
  }

  private def correct(spec: PartitionSpec): PartitionSpec = {
    val columns = spec.partitionColumns
    val types = columns.map(_.dataType)
    val partitions = spec.partitions.map { partition =>
      val values = partition.values.toSeq(types).zip(columns).map { case (value, column) =>
        (value, column.dataType) match {
          case (bytes: Array[Byte], BinaryType) =>
            ExternalCatalogUtils.unescapePathName(new String(bytes, UTF_8)).getBytes(UTF_8)
          case (decimal: Decimal, target: DecimalType) =>
            rescaled(decimal, target, column.name, partition.path)
          case _ => value
        }
      }
      partition.copy(values = InternalRow.fromSeq(values))
    }
    spec.copy(partitions = partitions)
  }

  /** Returns the decimal with the scale of its column; if it is too large, what Spark makes of it. */
  private def rescaled(value: Decimal, target: DecimalType, column: String, path: Path): Decimal = {
    val copy = value.clone()
    if (copy.changePrecision(target.precision, target.scale)) copy
    else if (!SQLConf.get.validatePartitionColumns) null // As other values of no use.
    else
      throw VariantShreddedErrors.unsupported(
        s"The directory '$path', whose value does not fit ${target.sql}, the type of the partition " +
          s"column '$column',",
        "Declare the column with more digits."
      )
  }
}

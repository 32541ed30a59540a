package io.github.variantshredded.table

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.options.Format
import io.github.variantshredded.read.options.ReadOptions
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Reads the options by which Spark passes the paths of a read. */
private[variantshredded] object PathOptions {
  private val Keys = Set("path", "paths")

  /** Returns the paths of a read: `path`, and the JSON list `paths` that Spark makes of several. */
  def paths(options: CaseInsensitiveStringMap): Seq[String] = {
    val several = Option(options.get("paths")).toSeq.flatMap { json =>
      try {
        new ObjectMapper().readValue(json, classOf[Array[String]]).toSeq
      } catch {
        case _: JsonProcessingException =>
          throw VariantShreddedErrors.invalidOption("paths", json, "a JSON list of paths")
      }
    }
    several ++ Option(options.get("path"))
  }

  /** Returns the paths of a read, of which there must be at least one. */
  def requiredPaths(options: CaseInsensitiveStringMap): Seq[String] = {
    val asked = paths(options)
    if (asked.isEmpty) {
      throw VariantShreddedErrors.invalidOption("path", "", "the path of a file or directory")
    }
    asked
  }

  /** Returns the options of a scan, without paths, that the table does not have with this value. */
  def added(
      table: CaseInsensitiveStringMap,
      scan: CaseInsensitiveStringMap
  ): CaseInsensitiveStringMap = {
    val added = others(scan).asCaseSensitiveMap.asScala.filterNot { case (name, value) =>
      value == table.get(name)
    }
    new CaseInsensitiveStringMap(added.asJava)
  }

  /**
   * Checks the options of one scan of a path in SQL, which has got its columns without them.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` for options that add columns
   */
  def checkScan(table: CaseInsensitiveStringMap, added: CaseInsensitiveStringMap): Unit = {
    val merges = ReadOptions.MergeSchema.get(added).contains(true) &&
      !ReadOptions.MergeSchema.get(table).getOrElse(SQLConf.get.isParquetSchemaMergingEnabled)
    if (merges) throw changesColumns(ReadOptions.MergeSchema.name)
    if (added.containsKey(ReadOptions.Schema.name)) throw changesColumns(ReadOptions.Schema.name)
  }

  /** Checks that the files of such a scan are in directories of the same columns. */
  def checkScan(
      index: PartitioningAwareFileIndex,
      columns: Seq[String],
      added: CaseInsensitiveStringMap
  ): Unit = {
    val found = index.partitionSchema.fieldNames.toSeq
    if (found != columns && index.allFiles().nonEmpty)
      throw changesColumns(added.asCaseSensitiveMap.keySet.asScala.toSeq.sorted.mkString(" or "))
  }

  private def changesColumns(option: String): VariantShreddedException =
    VariantShreddedErrors.unsupported(
      s"The option $option for a path in SQL, whose columns it would change,",
      s"Use spark.read.format(\"${Format.Name}\").option(...).load(path)."
    )

  /** Returns all options that have a value, except the paths. */
  def others(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val others = options.asCaseSensitiveMap.asScala.filterNot { case (key, value) =>
      value == null || Keys(key.toLowerCase(Locale.ROOT))
    }
    new CaseInsensitiveStringMap(others.asJava)
  }
}

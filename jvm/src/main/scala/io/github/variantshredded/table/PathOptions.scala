package io.github.variantshredded.table

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import io.github.variantshredded.errors.VariantShreddedErrors
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

  /** Returns all options except the paths. */
  def others(options: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    val others = options.asCaseSensitiveMap.asScala.filterNot { case (key, _) =>
      Keys(key.toLowerCase(Locale.ROOT))
    }
    new CaseInsensitiveStringMap(others.asJava)
  }
}

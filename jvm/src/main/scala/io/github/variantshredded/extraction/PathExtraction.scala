package io.github.variantshredded.extraction

import io.github.variantshredded.spark.SchemaInternals
import io.github.variantshredded.variant.VariantPath
import org.apache.spark.sql.types._

/** One step of a path within a Variant value. */
sealed trait PathStep

object PathStep {

  /** The field `name` of an object. */
  final case class Field(name: String) extends PathStep

  /** The element `index`, from 0, of an array. */
  final case class Element(index: Int) extends PathStep
}

/** What is asked of the value at a path. */
sealed trait Extracted {

  /** Type of the column that a scan delivers for it. */
  def dataType: DataType
}

object Extracted {

  /**
   * The value as `target`: what `variant_get` or `try_variant_get` gives on the rebuilt Variant.
   *
   * @param target
   *   any type that Spark casts a Variant to, VariantType too
   * @param failOnError
   *   whether a value that cannot be cast is an error, else SQL NULL
   * @param timeZoneId
   *   time zone of casts from and to timestamps
   */
  final case class Value(target: DataType, failOnError: Boolean, timeZoneId: Option[String])
      extends Extracted {
    override def dataType: DataType = SchemaInternals.asNullable(target)
  }

  /** Whether there is a Variant null, as `is_variant_null`: false where nothing is. Never null. */
  case object IsVariantNull extends Extracted {
    override def dataType: DataType = BooleanType
  }

  /**
   * Whether there is anything, a Variant null too: `variant_get(v, path) IS NOT NULL`. At the root:
   * whether the Variant is not SQL NULL. Never null.
   */
  case object IsPresent extends Extracted {
    override def dataType: DataType = BooleanType
  }
}

/**
 * Something that a scan reads out of a Variant column in place of the whole Variant.
 *
 * @param column
 *   name of the column, and of the fields that lead to the Variant where it is inside of structs
 * @param path
 *   steps from the Variant's root
 */
final case class PathExtraction(column: Seq[String], path: Seq[PathStep], what: Extracted) {

  /** As a plan shows it and as the scan's column is called: `v:a.b[0]::bigint`. */
  def name: String = {
    val steps = path.foldLeft(new StringBuilder) {
      case (text, PathStep.Field(name))    => VariantPath.appendField(text, name)
      case (text, PathStep.Element(index)) => VariantPath.appendElement(text, index)
    }
    val at =
      column.mkString(".") + (if (path.isEmpty) "" else s":${steps.toString.stripPrefix(".")}")
    what match {
      case Extracted.Value(target, true, _)  => s"$at::${target.simpleString}"
      case Extracted.Value(target, false, _) => s"try($at::${target.simpleString})"
      case Extracted.IsVariantNull           => s"is_variant_null($at)"
      case Extracted.IsPresent               => s"is_present($at)"
    }
  }
}

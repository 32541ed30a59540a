package io.github.variantshredded.write.infer

import io.github.variantshredded.shredding.{SchemaInference, ShreddingSchema, ShreddingText}
import io.github.variantshredded.shredding.ShreddingSchema._
import io.github.variantshredded.variant.VariantPath

/**
 * Gives the reason why the schemas of a file no longer fit its rows: the first path, in the order
 * of the columns and of the schema's fields, for which a rule of docs/shredding.md holds ("Within a
 * job").
 *
 * @param column
 *   the Variant column
 * @param found
 *   the schema that the rows need at this path
 */
private[write] final case class SchemaDrift(
    column: String,
    path: String,
    rule: SchemaDrift.Rule,
    found: ShreddingSchema
) {
  override def toString: String = {
    val what = rule match {
      case SchemaDrift.Rule.Presence => "has become rare"
      case SchemaDrift.Rule.Type     => s"now has the type ${SchemaDrift.typeName(found)}"
      case SchemaDrift.Rule.NewField => s"has become frequent, type ${SchemaDrift.typeName(found)}"
      case SchemaDrift.Rule.NewType  => s"now has one type, ${SchemaDrift.typeName(found)}"
    }
    s"${rule.name}: $path of the column '$column' $what"
  }
}

private[write] object SchemaDrift {

  sealed abstract class Rule(val name: String)

  object Rule {
    case object Presence extends Rule("drift of presence")
    case object Type extends Rule("drift of type")
    case object NewField extends Rule("new field")
    case object NewType extends Rule("new type")
  }

  /** Returns the first path that no longer fits; `next` is inferred with lenient limits. */
  def lost(
      column: String,
      current: ShreddingSchema,
      next: ShreddingSchema,
      path: String = VariantPath.Root
  ): Option[SchemaDrift] = (current, next) match {
    case (Unshredded, _)                    => None
    case (ObjectOf(fields), ObjectOf(left)) =>
      val byName = left.toMap
      first(fields) { case (name, field) =>
        val at = VariantPath.field(path, name)
        byName.get(name) match {
          case None       => Some(SchemaDrift(column, at, Rule.Presence, Unshredded))
          case Some(kept) => lost(column, field, kept, at)
        }
      }
    case (ArrayOf(element), ArrayOf(kept)) =>
      lost(column, element, kept, VariantPath.elements(path))
    case _ if current == next => None
    case _                    => Some(SchemaDrift(column, path, Rule.Type, next))
  }

  /**
   * Returns the first path that is new in `next`, which is inferred with demanding limits.
   *
   * @param columnsLeft
   *   what the file has left of its column budget; a new path has to fit
   */
  def gained(
      column: String,
      current: ShreddingSchema,
      next: ShreddingSchema,
      columnsLeft: Int,
      path: String = VariantPath.Root
  ): Option[SchemaDrift] = (current, next) match {
    case (Unshredded, Unshredded) => None
    case (Unshredded, _)          =>
      Option.when(SchemaInference.leastColumnsOf(next) <= columnsLeft) {
        SchemaDrift(column, path, Rule.NewType, next)
      }
    case (ObjectOf(fields), ObjectOf(found)) =>
      val byName = fields.toMap
      first(found) { case (name, field) =>
        val at = VariantPath.field(path, name)
        byName.get(name) match {
          case None =>
            Option.when(1 + SchemaInference.leastColumnsOf(field) <= columnsLeft) {
              SchemaDrift(column, at, Rule.NewField, field)
            }
          case Some(present) => gained(column, present, field, columnsLeft, at)
        }
      }
    case (ArrayOf(element), ArrayOf(found)) =>
      gained(column, element, found, columnsLeft, VariantPath.elements(path))
    case _ => None
  }

  private def first(fields: Seq[(String, ShreddingSchema)])(
      drift: ((String, ShreddingSchema)) => Option[SchemaDrift]
  ): Option[SchemaDrift] = fields.iterator.map(drift).collectFirst { case Some(found) => found }

  private def typeName(schema: ShreddingSchema): String = schema match {
    case ObjectOf(_) => "object"
    case ArrayOf(_)  => "array"
    case Unshredded  => "variant (several types)"
    case scalar      => ShreddingText.render(ObjectOf(Vector("x" -> scalar))).stripPrefix("x ")
  }
}

package io.github.variantshredded.shredding

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.{VariantShreddedErrors, VariantShreddedException}
import io.github.variantshredded.shredding.PathsText.{Entry, PatternStep}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Parses the options `shredding.include`, `shredding.exclude` and `shredding.pin`, which are the
 * user's requests to schema inference. Options for one column, such as `shredding.<column>.pin`,
 * take precedence over the general ones.
 */
private[variantshredded] object ShreddingChoices {

  private final val Prefix = "shredding."

  /** Represents one of the three options. */
  private sealed abstract class Kind(val name: String, val example: String) {
    def verdict(entry: Entry): PathVerdict
    def typed: Boolean = false
  }

  private object Kind {
    case object Include extends Kind("include", "$.a.b, $['odd name'], $.list[*].c") {
      override def verdict(entry: Entry): PathVerdict = PathVerdict.Include
    }
    case object Exclude extends Kind("exclude", "$.a.b, $['odd name'], $.list[*].c") {
      override def verdict(entry: Entry): PathVerdict = PathVerdict.Exclude
    }
    case object Pin extends Kind("pin", "$.ts timestamp, $.user struct<id bigint>") {
      override def verdict(entry: Entry): PathVerdict =
        PathVerdict.Pin(entry.schema.getOrElse(ShreddingSchema.Unshredded))
      override def typed: Boolean = true
    }
    val All: Seq[Kind] = Seq(Include, Exclude, Pin)
  }

  private final case class Given(option: String, text: String, kind: Kind, entries: Vector[Entry])

  /**
   * Returns the columns with the requests of the options added to those that are inferred.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `INVALID_VARIANT_SHREDDED_OPTION` if an option that begins with `shredding.` cannot be
   *   parsed, does not name an inferred column, or contradicts another one
   */
  def apply(
      options: CaseInsensitiveStringMap,
      spec: ShreddingSpec,
      schema: StructType,
      caseSensitive: Boolean
  ): ShreddingSpec = {
    val requests = options.asCaseSensitiveMap.asScala.toSeq
      .filter { case (option, text) =>
        text != null && option.toLowerCase(java.util.Locale.ROOT).startsWith(Prefix)
      }
      .sortBy(_._1)
      .map { case (option, text) => read(option, text, spec, schema, caseSensitive) }
    requests.groupBy { case (column, entry) => (column, entry.kind) }.values.foreach { several =>
      if (several.size > 1)
        throw invalid(several(1)._2, s"only one of this option and '${several.head._2.option}'")
    }
    requests.collectFirst { case (None, one) => one }.foreach { general =>
      if (!spec.infers)
        throw invalid(general, "a Variant column whose schema is inferred, and there is none")
    }
    spec.copy(columns = spec.columns.map { column =>
      if (column.shredding != ColumnShredding.Infer) column
      else {
        val ofColumn = Kind.All.flatMap { kind =>
          def of(path: Option[Vector[String]]) =
            requests.collectFirst { case (`path`, one) if one.kind == kind => one }
          of(Some(column.path)).orElse(of(None))
        }
        column.copy(choice = column.choice.copy(wanted = combine(ofColumn)))
      }
    })
  }

  /** Returns the column that an option names, or None if it names none, and the entries. */
  private def read(
      option: String,
      text: String,
      spec: ShreddingSpec,
      schema: StructType,
      caseSensitive: Boolean
  ): (Option[Vector[String]], Given) = {
    val rest = option.substring(Prefix.length)
    val lastDot = rest.lastIndexOf('.')
    val word = rest.substring(lastDot + 1)
    val inferred = spec.columns.filter(_.shredding == ColumnShredding.Infer)
    def unknown(): VariantShreddedException = VariantShreddedErrors.invalidOption(
      option,
      text,
      "one of the options " +
        Kind.All
          .map(kind => s"'$Prefix${kind.name}', '$Prefix<column>.${kind.name}'")
          .mkString(", ") +
        s", with a column that is inferred: ${ShreddingSpec.listed(inferred)}"
    )
    val kind = Kind.All.find(_.name.equalsIgnoreCase(word)).getOrElse(throw unknown())
    val column = if (lastDot < 0) None else Some(rest.substring(0, lastDot))
    val path = column.map { name =>
      ShreddingSpec
        .columnPath(name)
        .flatMap(ShreddingSpec.resolve(_, schema, caseSensitive))
        .filter(path => inferred.exists(_.path == path))
        .getOrElse(throw unknown())
    }
    // Names of options are not case-sensitive, so one option would be lost without a word.
    path.foreach { named =>
      val alike = inferred.filter(other => hasSameLetters(other.path, named))
      if (alike.size > 1)
        throw VariantShreddedErrors.invalidOption(
          option,
          text,
          s"a column whose name does not differ only in case from another one: give the schemas of " +
            s"${ShreddingSpec.listed(alike)} by the JSON form of 'shredding'"
        )
    }
    val entries = PathsText.parse(text, kind.typed) match {
      case Right(entries) => entries
      case Left(reason)   =>
        throw VariantShreddedErrors.invalidOption(
          option,
          text,
          s"a comma-separated list of paths, such as ${kind.example}; $reason"
        )
    }
    path -> Given(option, text, kind, entries)
  }

  private def hasSameLetters(one: Vector[String], other: Vector[String]): Boolean =
    one.corresponds(other)(_.equalsIgnoreCase(_))

  private def combine(all: Seq[Given]): PathChoice =
    all.foldLeft(PathChoice.Free) { (choice, one) =>
      one.entries.foldLeft(choice) { (sofar, entry) =>
        add(sofar, entry.steps.toList, one.kind.verdict(entry), 1) match {
          case Right(more)  => more
          case Left(reason) => throw invalid(one, s"paths that agree: ${entry.text} $reason")
        }
      }
    }

  private def add(
      choice: PathChoice,
      steps: List[PatternStep],
      verdict: PathVerdict,
      depth: Int
  ): Either[String, PathChoice] = {
    def deeper(inner: PathChoice, rest: List[PatternStep])(put: PathChoice => PathChoice) =
      choice.verdict match {
        case PathVerdict.Pin(_)                                    => Left("lies in a pinned path")
        case PathVerdict.Exclude if verdict == PathVerdict.Exclude =>
          Left("lies in another excluded path")
        case PathVerdict.Exclude => Left("lies in an excluded path")
        case _                   => add(inner, rest, verdict, depth + 1).map(put)
      }
    val added = steps match {
      case Nil if choice.verdict != PathVerdict.Free => Left("is given twice")
      case Nil                                       =>
        verdict match {
          case PathVerdict.Pin(schema) if depthOf(schema) + depth > ShreddingSchema.MaxDepth =>
            Left(s"is deeper than ${ShreddingSchema.MaxDepth} levels")
          case PathVerdict.Pin(_) if choice != PathChoice.Free =>
            Left("contains other given paths")
          case PathVerdict.Exclude if choice != PathChoice.Free =>
            Left("contains other given paths")
          case _ => Right(choice.copy(verdict = verdict))
        }
      case _ if depth > ShreddingSchema.MaxDepth =>
        Left(s"is deeper than ${ShreddingSchema.MaxDepth} levels")
      case PatternStep.Field(name) :: rest =>
        deeper(choice.field(name), rest)(field =>
          choice.copy(fields = choice.fields.updated(name, field))
        )
      case PatternStep.Element :: rest =>
        deeper(choice.elements, rest)(element => choice.copy(element = Some(element)))
    }
    added.filterOrElse(
      all => !(all.forcesFields && all.forcesElement),
      "lies in a value that would have to be both an object and an array"
    )
  }

  private def depthOf(schema: ShreddingSchema): Int = schema match {
    case ShreddingSchema.ObjectOf(fields) =>
      1 + fields.iterator.map(field => depthOf(field._2)).maxOption.getOrElse(0)
    case ShreddingSchema.ArrayOf(element) => 1 + depthOf(element)
    case _                                => 0
  }

  private def invalid(one: Given, expected: String): VariantShreddedException =
    VariantShreddedErrors.invalidOption(one.option, one.text, expected)
}

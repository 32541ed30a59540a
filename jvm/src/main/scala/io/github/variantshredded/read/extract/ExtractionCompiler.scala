package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.read.cast.{TypedCast, VariantCaster}
import io.github.variantshredded.read.decode.{
  DecoderSettings,
  ListVectors,
  ObjectVectors,
  OneOfVectors,
  PositionVectors,
  PrimitiveVectors
}
import io.github.variantshredded.read.demand.{LeafDemand, LeafView}
import io.github.variantshredded.read.options.FileContext
import io.github.variantshredded.read.position.{
  BinaryVariants,
  ElementGroups,
  LocatedErrors,
  PathFinder,
  PositionReader,
  RequiredValues,
  ResidualReader,
  SlotRows
}
import io.github.variantshredded.read.rebuild.VariantNulls
import io.github.variantshredded.variant.VariantConstants
import org.apache.spark.sql.types._

/**
 * Chooses for an extraction the cheapest evaluation on the columns of one Variant group.
 *
 * @param columns
 *   the decoded columns of the group
 * @param view
 *   the leaf columns that the extraction may see
 */
private[read] final class ExtractionCompiler(
    columns: VariantGroupDecoder,
    view: LeafView,
    settings: DecoderSettings,
    context: FileContext
) {
  private val errors = new LocatedErrors(columns.group.column, context)

  /**
   * Returns the column of an extraction. `columns` must have all leaf columns that the extraction
   * needs.
   */
  def compile(extraction: ScanExtraction): ValueColumn = {
    val steps = extraction.path.toList
    val direct = locate(columns.root, steps, extraction.what, SlotRows.Same, rootNulls)
    val ancestors = if (context.searchesAncestors) ancestorsOf(columns.root, steps) else Nil
    val column =
      if (ancestors.isEmpty) direct
      else new PermissiveColumn(ancestors.toArray, direct, rebuiltPath(steps, extraction.what))
    ExtractionCompiler.orNull(column, extraction.what)
  }

  private def rootNulls: Option[() => VariantNulls] = Some(() => columns.nulls.get)

  private val never: Option[() => VariantNulls] = Some(() => (_: Int) => false)

  /**
   * Follows the path down to its column.
   *
   * @param missingIsNull
   *   set for the root and for elements, where a missing value is a Variant null: returns which
   *   slots are SQL NULL instead
   */
  private def locate(
      node: PositionVectors,
      steps: List[PathStep],
      what: ExtractionResult,
      rows: SlotRows,
      missingIsNull: Option[() => VariantNulls]
  ): ValueColumn = steps match {
    case Nil => value(view.of(node), what, rows, missingIsNull)
    case PathStep.Field(name) :: rest if fieldOf(node, name).isDefined =>
      locate(fieldOf(node, name).get, rest, what, rows, None)
    case PathStep.Element(index) :: rest if node.list != null =>
      val list = node.list
      val elementRows = new SlotRows.OfElements(list, rows)
      val element = locate(list.element, rest, what, elementRows, never)
      val required = if (rest.isEmpty) requiredValues(list, elementRows) else None
      new ElementColumn(
        new ShreddedList(node, list, element, elementRows, required),
        index,
        what.dataType,
        absent(what),
        ElementGroups.of(node, list, errors, context)
      )
    case _ =>
      // An object may have a residual value beside its typed value: the fields that are not
      // shredded. Other types have only one of the two.
      val mayBeBeside = node.obj != null && steps.head.isInstanceOf[PathStep.Field]
      val residual =
        residualOf(node, rows, isAlone = context.searchesAncestors, besideObject = mayBeBeside)
      path(residual, steps, what)
  }

  /**
   * Returns the value of a flag if the path does not exist; None if the extraction is not a flag.
   */
  private def absent(what: ExtractionResult): Option[Boolean] = what match {
    case _: ExtractionResult.Value => None
    case _: ExtractionResult.Flag  => Some(false)
  }

  private def fieldOf(node: PositionVectors, name: String): Option[PositionVectors] =
    LeafDemand.below(node.position, PathStep.Field(name)).map { position =>
      node.obj.fields.find(_.position eq position).get
    }

  /**
   * Returns the residual values of a position.
   *
   * @param isAlone
   *   whether a residual value is ignored where there is a typed value
   * @param besideObject
   *   whether it is used beside a shredded object in spite of that
   */
  private def residualOf(
      node: PositionVectors,
      rows: SlotRows,
      isAlone: Boolean,
      besideObject: Boolean = false
  ): BinaryVariants = {
    val isOnlyObject = besideObject && !node.typed.isInstanceOf[OneOfVectors]
    val isReplaced: Int => Boolean =
      if (!isAlone || context.strict || isOnlyObject) _ => false
      else {
        val reader = positionReader(node, rows, None)
        if (besideObject) slot => reader.hasTypedValue(slot) && !node.obj.isPresent(slot)
        else reader.hasTypedValue
      }
    new BinaryVariants.OfResidual(node, residualReader(node), rows, isReplaced)
  }

  private def residualReader(node: PositionVectors): ResidualReader =
    new ResidualReader(node, columns.metadata, columns.checkedValues(node), context)

  private def path(
      source: BinaryVariants,
      steps: List[PathStep],
      what: ExtractionResult
  ): ValueColumn =
    ExtractionCompiler.path(source, steps, what, settings, context, errors)

  /**
   * Evaluates the path on the Variant that is rebuilt from all leaf columns that the extraction may
   * see.
   */
  private def rebuiltPath(steps: List[PathStep], what: ExtractionResult): ValueColumn = {
    val reader = positionReader(view.of(columns.root), SlotRows.Same, rootNulls)
    path(new BinaryVariants.OfRebuilt(reader), steps, what)
  }

  private def ancestorsOf(node: PositionVectors, steps: List[PathStep]): List[PositionVectors] =
    steps match {
      case PathStep.Field(name) :: rest =>
        fieldOf(node, name).toList.flatMap(field => node :: ancestorsOf(field, rest))
      case PathStep.Element(_) :: rest if node.list != null =>
        node :: ancestorsOf(node.list.element, rest)
      case _ => Nil
    }

  private def positionReader(
      node: PositionVectors,
      rows: SlotRows,
      missingIsNull: Option[() => VariantNulls]
  ) = new PositionReader(node, columns.metadata, rows, missingIsNull.map(_.apply()), context)

  /** Returns the check of the elements of an array, if they are checked. */
  private def requiredValues(list: ListVectors, rows: SlotRows): Option[RequiredValues] =
    Option.when(context.asSpark) {
      new RequiredValues(positionReader(view.of(list.element), rows, None), errors)
    }

  private def value(
      node: PositionVectors,
      what: ExtractionResult,
      rows: SlotRows,
      missingIsNull: Option[() => VariantNulls]
  ): ValueColumn = what match {
    case ExtractionResult.IsPresent =>
      val reader = positionReader(node, rows, missingIsNull)
      new FlagColumn(node, reader.isPresent)
    case ExtractionResult.IsVariantNull =>
      val reader = positionReader(node, rows, missingIsNull)
      val residual = residualReader(node)
      new FlagColumn(
        node,
        slot =>
          if (reader.hasValue(slot)) (context.strict || !reader.hasTypedValue(slot)) && {
            errors.located(residual.read(slot, rows.row(slot)))
            residual.bytes(residual.start) == VariantConstants.Null
          }
          else {
            missingIsNull.isDefined && reader.isPresent(slot) && !reader.hasTypedValue(slot)
          }
      )
    case asked: ExtractionResult.Value => cast(node, asked, asked.dataType, rows, missingIsNull)
  }

  private def cast(
      node: PositionVectors,
      asked: ExtractionResult.Value,
      target: DataType,
      rows: SlotRows,
      missingIsNull: Option[() => VariantNulls]
  ): ValueColumn = {
    val caster = new VariantCaster(asked, target)
    // At the root or in an element, a missing value is a Variant null. Casts return SQL NULL for
    // it, except the cast to Variant.
    def reader = positionReader(node, rows, if (target == VariantType) missingIsNull else None)
    def rebuilt = new RebuiltColumn(reader, caster, settings.newVector(target))
    (target, node.typed) match {
      case (VariantType, _)                       => new SubVariantColumn(reader, errors)
      case (_: MapType, _) | (_, _: OneOfVectors) => rebuilt
      case (array: ArrayType, list: ListVectors)  =>
        val elementRows = new SlotRows.OfElements(list, rows)
        val element = cast(list.element, asked, array.elementType, elementRows, never)
        val required = requiredValues(list, elementRows)
        val shredded = new ShreddedList(node, list, element, elementRows, required)
        new ArrayColumn(shredded, array, rebuilt)
      case (struct: StructType, obj: ObjectVectors) if LeafDemand.isUnique(struct) =>
        val fields = struct.fields.map { field =>
          fieldOf(node, field.name)
            .map(cast(_, asked, field.dataType, rows, None))
            .getOrElse(new NullColumn(field.dataType))
        }
        val byName = struct.fields.indices.sortBy(struct(_).name).toArray
        // Spark reads the residual value only for fields that are not shredded. If the file keeps the
        // rules, it does not hold the others.
        val needsNoOther = context.asSpark || !asked.failOnError && !context.searchesAncestors
        val onlyShredded =
          needsNoOther && struct.forall(field => fieldOf(node, field.name).isDefined)
        new StructColumn(node, obj, fields, byName, onlyShredded, struct, rebuilt)
      case (_: StructType | _: ArrayType, null)                   => rebuilt
      case (_: StructType | _: ArrayType, _) if asked.failOnError => rebuilt
      case (_: StructType, _: ObjectVectors)                      => rebuilt
      case (_: StructType | _: ArrayType, primitive: PrimitiveVectors)
          if !primitive.typed.shreddedType.isOfSpark =>
        rebuilt
      case (_: StructType | _: ArrayType, _) =>
        path(residualOf(node, rows, isAlone = true), Nil, asked.copy(target = target))
      case (_, primitive: PrimitiveVectors) =>
        TypedCast
          .of(primitive, target, asked.timeZoneId)
          .fold[ValueColumn](rebuilt)(scalar(reader, _, caster))
      case (_, null) =>
        scalar(reader, null, caster)
      case (_, _) if asked.failOnError || target.isInstanceOf[StringType] => rebuilt
      case (_, _) => scalar(reader, null, caster)
    }
  }

  private def scalar(
      reader: PositionReader,
      typed: TypedCast,
      caster: VariantCaster
  ): ValueColumn = new ScalarColumn(
    reader,
    typed,
    caster,
    residualReader(reader.position),
    settings.newVector(caster.target),
    context
  )
}

private[read] object ExtractionCompiler {

  /** Returns the column of an extraction from Variants in binary form. */
  def ofBinary(
      extraction: ScanExtraction,
      variants: BinaryVariants,
      settings: DecoderSettings,
      context: FileContext
  ): ValueColumn = orNull(
    path(
      variants,
      extraction.path.toList,
      extraction.what,
      settings,
      context,
      new LocatedErrors(extraction.column.mkString("."), context)
    ),
    extraction.what
  )

  /** Returns the column, without errors if the extraction has SQL NULL instead. */
  private def orNull(column: ValueColumn, what: ExtractionResult): ValueColumn = what match {
    case value: ExtractionResult.Value if value.isTryCast => new TryCastColumn(column)
    case _                                                => column
  }

  /** Evaluates a path on Variants in binary form. */
  private def path(
      source: BinaryVariants,
      steps: List[PathStep],
      what: ExtractionResult,
      settings: DecoderSettings,
      context: FileContext,
      errors: LocatedErrors
  ): ValueColumn = {
    val found = new PathFinder(source, steps.toArray)
    what match {
      case value @ ExtractionResult.Value(target, _, _, _) if target != VariantType =>
        val caster = new VariantCaster(value, what.dataType)
        new FoundColumn(found, caster, settings.newVector(what.dataType))
      case _: ExtractionResult.Value      => new FoundVariantColumn(found, context.asSpark, errors)
      case ExtractionResult.IsVariantNull => new FoundFlagColumn(found, asksForNull = true, errors)
      case ExtractionResult.IsPresent     => new FoundFlagColumn(found, asksForNull = false, errors)
    }
  }
}

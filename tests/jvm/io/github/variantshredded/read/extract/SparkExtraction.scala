package io.github.variantshredded.read.extract

import io.github.variantshredded.extraction.{ExtractionResult, PathStep, ScanExtraction}
import io.github.variantshredded.read.file.FileRows
import io.github.variantshredded.testing.VariantTree
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.expressions.variant.{VariantCastArgs, VariantGet}
import org.apache.spark.sql.catalyst.util.{ArrayData, DateTimeUtils, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** What Spark's own expressions give for an extraction from a whole Variant. */
object SparkExtraction {

  /** Condition and parameters of the error, or the value in a form that can be compared. */
  type Answer = Either[(String, Map[String, String]), Any]

  def apply(variant: Option[VariantVal], extraction: ScanExtraction): Answer = {
    val found = variant.flatMap { v =>
      extraction.path.foldLeft(Option(new Variant(v.getValue, v.getMetadata))) {
        case (Some(at), PathStep.Field(name)) if kindOf(at).contains(VariantUtil.Type.OBJECT) =>
          Option(at.getFieldByKey(name))
        case (Some(at), PathStep.Element(index)) if kindOf(at).contains(VariantUtil.Type.ARRAY) =>
          Option(at.getElementAtIndex(index))
        case _ => None
      }
    }
    extraction.what match {
      case ExtractionResult.IsPresent     => Right(found.isDefined)
      case ExtractionResult.IsVariantNull =>
        Right(found.exists(kindOf(_).contains(VariantUtil.Type.NULL)))
      case value: ExtractionResult.Value =>
        try {
          val zone = DateTimeUtils.getZoneId(value.timeZoneId.get)
          val args = VariantCastArgs(value.failOnError, value.timeZoneId, zone)
          Right(found.map(VariantGet.cast(_, value.dataType, args)).fold[Any](null) { result =>
            comparable(result, value.dataType)
          })
        } catch { case e: RuntimeException with SparkThrowable => Left(error(e)) }
    }
  }

  /** None for the types that Spark does not know: they have nothing inside. */
  private def kindOf(variant: Variant): Option[VariantUtil.Type] =
    try Some(variant.getType)
    catch {
      case e: RuntimeException with SparkThrowable
          if e.getCondition == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT" =>
        None
    }

  def error(e: SparkThrowable): (String, Map[String, String]) = {
    import scala.jdk.CollectionConverters._
    e.getCondition -> e.getMessageParameters.asScala.toMap
  }

  /** The value of a column of a row, in a form that can be compared. */
  def column(row: SpecializedGetters, ordinal: Int, dataType: DataType): Any =
    if (row.isNullAt(ordinal)) null
    else {
      dataType match {
        case BooleanType            => row.getBoolean(ordinal)
        case ByteType               => row.getByte(ordinal)
        case ShortType              => row.getShort(ordinal)
        case IntegerType | DateType => row.getInt(ordinal)
        case FloatType              => comparable(row.getFloat(ordinal), dataType)
        case DoubleType             => comparable(row.getDouble(ordinal), dataType)
        case decimal: DecimalType   =>
          comparable(row.getDecimal(ordinal, decimal.precision, decimal.scale), dataType)
        case _: StringType         => row.getUTF8String(ordinal).toString
        case BinaryType            => row.getBinary(ordinal).toVector
        case VariantType           => comparable(row.getVariant(ordinal), dataType)
        case ArrayType(element, _) => elements(row.getArray(ordinal), element)
        case MapType(_, value, _)  => entries(row.getMap(ordinal), value)
        case struct: StructType    =>
          fields(row.getStruct(ordinal, struct.length), struct)
        case _ => row.getLong(ordinal)
      }
    }

  private def comparable(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (null, _)                                 => null
    case (number: Float, _)                        => java.lang.Float.floatToIntBits(number)
    case (number: Double, _)                       => java.lang.Double.doubleToLongBits(number)
    case (decimal: Decimal, _)                     => decimal.toJavaBigDecimal
    case (text: UTF8String, _)                     => text.toString
    case (bytes: Array[Byte], _)                   => bytes.toVector
    case (variant: VariantVal, _)                  => sorted(FileRows.tree(variant))
    case (array: ArrayData, ArrayType(element, _)) => elements(array, element)
    case (map: MapData, MapType(_, valueType, _))  => entries(map, valueType)
    case (row: SpecializedGetters, s: StructType)  => fields(row, s)
    case (other, _)                                => other
  }

  private def sorted(tree: VariantTree): Any = {
    import VariantTree._
    tree match {
      case Obj(fields)   => fields.map { case (name, child) => name -> sorted(child) }.toMap
      case Arr(elements) => elements.map(sorted)
      case Flt(number)   => "float" -> java.lang.Float.floatToIntBits(number)
      case Dbl(number)   => "double" -> java.lang.Double.doubleToLongBits(number)
      case other         => other
    }
  }

  private def elements(array: ArrayData, dataType: DataType): Any =
    Vector.tabulate(array.numElements())(column(array, _, dataType))

  private def entries(map: MapData, valueType: DataType): Any =
    elements(map.keyArray(), StringType)
      .asInstanceOf[Vector[Any]]
      .zip(elements(map.valueArray(), valueType).asInstanceOf[Vector[Any]])
      .toMap

  private def fields(row: SpecializedGetters, struct: StructType): Any =
    Vector.tabulate(struct.length)(i => column(row, i, struct(i).dataType))
}

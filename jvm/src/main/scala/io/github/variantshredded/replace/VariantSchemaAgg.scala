package io.github.variantshredded.replace

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  ImperativeAggregate,
  TypedImperativeAggregate
}
import org.apache.spark.sql.catalyst.expressions.variant.SchemaOfVariant
import org.apache.spark.sql.types.{DataType, NullType}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** Computes `schema_of_variant_agg` with the same result as Spark, quicker by `MergedSchema`. */
final case class VariantSchemaAgg(
    child: Expression,
    dataType: DataType,
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends TypedImperativeAggregate[MergedSchema] {

  @transient private lazy val cover = new SchemaCover

  override def children: Seq[Expression] = Seq(child)

  override def nullable: Boolean = false

  override def prettyName: String = "schema_of_variant_agg"

  override protected def stringArgs: Iterator[Any] =
    Iterator(child, mutableAggBufferOffset, inputAggBufferOffset)

  override def createAggregationBuffer(): MergedSchema = new MergedSchema(NullType)

  override def update(buffer: MergedSchema, input: InternalRow): MergedSchema = {
    val variant = child.eval(input).asInstanceOf[VariantVal]
    if (variant != null) buffer.add(variant.getValue, variant.getMetadata, cover)
    buffer
  }

  override def merge(buffer: MergedSchema, input: MergedSchema): MergedSchema = {
    buffer.add(input.schema)
    buffer
  }

  override def eval(buffer: MergedSchema): Any =
    UTF8String.fromString(SchemaOfVariant.printSchema(buffer.schema))

  override def serialize(buffer: MergedSchema): Array[Byte] = buffer.schema.json.getBytes(UTF_8)

  override def deserialize(bytes: Array[Byte]): MergedSchema =
    new MergedSchema(DataType.fromJson(new String(bytes, UTF_8)))

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): VariantSchemaAgg = copy(child = newChildren.head)
}

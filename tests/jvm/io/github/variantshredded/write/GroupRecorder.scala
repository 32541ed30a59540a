package io.github.variantshredded.write

import io.github.variantshredded.VariantTree
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.shredding.layout.SpecLayoutWriter
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroup
import org.apache.parquet.io.ValidatingRecordConsumer
import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/** Takes what a writer emits and keeps it as a tree. */
final class GroupRecorder(schema: MessageType) extends RecordConsumer {
  private var groups: List[Group] = Nil
  private var fields: List[Int] = Nil
  private var done: Option[Group] = None

  def result: Group = done.get

  override def startMessage(): Unit = groups = List(new SimpleGroup(schema))

  override def endMessage(): Unit = {
    assert(groups.size == 1 && fields.isEmpty)
    done = Some(groups.head)
  }

  override def startField(field: String, index: Int): Unit = {
    assert(groups.head.getType.getFieldName(index) == field)
    fields = index :: fields
  }

  override def endField(field: String, index: Int): Unit = {
    assert(fields.head == index)
    fields = fields.tail
  }

  override def startGroup(): Unit = groups = groups.head.addGroup(fields.head) :: groups

  override def endGroup(): Unit = groups = groups.tail

  override def addInteger(value: Int): Unit = groups.head.add(fields.head, value)

  override def addLong(value: Long): Unit = groups.head.add(fields.head, value)

  override def addBoolean(value: Boolean): Unit = groups.head.add(fields.head, value)

  // The writer may use its array again.
  override def addBinary(value: Binary): Unit =
    groups.head.add(fields.head, Binary.fromConstantByteArray(value.getBytes))

  override def addFloat(value: Float): Unit = groups.head.add(fields.head, value)

  override def addDouble(value: Double): Unit = groups.head.add(fields.head, value)
}

object GroupRecorder {

  /** What `Shredder` writes for encoded Variants, one group each, checked against the schema. */
  def shred(
      schema: ShreddingSchema,
      settings: ShredderSettings,
      variants: Seq[(Array[Byte], Array[Byte])]
  ): Seq[Group] = {
    val message = messageOf(SpecLayoutWriter.group("v", schema, Type.Repetition.REQUIRED))
    val shredder = new Shredder(schema, settings)
    variants.map { case (metadata, value) =>
      val recorder = new GroupRecorder(message)
      val consumer: RecordConsumer =
        if (settings.writesMissing) new ValidatingRecordConsumer(recorder, message) else recorder
      // Neither part begins at 0 or ends with the array.
      val bytes = Array.fill[Byte](5)(-1) ++ value ++ metadata ++ Array.fill[Byte](3)(-1)
      val split = 5 + value.length
      consumer.startMessage()
      consumer.startField("v", 0)
      consumer.startGroup()
      shredder.write(bytes, 5, split, split, split + metadata.length, consumer)
      consumer.endGroup()
      consumer.endField("v", 0)
      consumer.endMessage()
      recorder.result.getGroup("v", 0)
    }
  }

  def shred(schema: ShreddingSchema, trees: VariantTree*): Seq[Group] =
    shred(schema, ShredderSettings(writesMissing = true), trees.map(VariantTree.encode))

  private def messageOf(group: GroupType): MessageType = new MessageType("m", group)
}

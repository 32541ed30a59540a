package io.github.variantshredded.write

import java.util.Arrays

import io.github.variantshredded.{ErrorLocation, VariantShreddedException}
import org.apache.parquet.io.api.{Binary, RecordConsumer}

/**
 * Stands between Spark's writer and Parquet: binaries at the places of Variants are shredded, all
 * else is passed on.
 */
private[write] final class VariantRecordConsumer(target: RecordConsumer, root: PositionNode)
    extends RecordConsumer {

  private var node = root
  private var outer = new Array[PositionNode](32)
  private var depth = 0

  override def startMessage(): Unit = {
    node = root
    depth = 0
    target.startMessage()
  }

  override def endMessage(): Unit = target.endMessage()

  override def startField(field: String, index: Int): Unit = {
    if (depth == outer.length) outer = Arrays.copyOf(outer, depth * 2)
    outer(depth) = node
    depth += 1
    node = node.child(index)
    target.startField(field, index)
  }

  override def endField(field: String, index: Int): Unit = {
    depth -= 1
    node = outer(depth)
    target.endField(field, index)
  }

  override def startGroup(): Unit = target.startGroup()

  override def endGroup(): Unit = target.endGroup()

  override def addBinary(value: Binary): Unit =
    if (node.shredder == null) target.addBinary(value)
    else {
      target.startGroup()
      shred(value.getBytesUnsafe)
      target.endGroup()
    }

  private def shred(stored: Array[Byte]): Unit = try {
    val size = StoredVariant.valueSize(stored)
    node.shredder.write(stored, 4, 4 + size, 4 + size, stored.length, target)
  } catch {
    case e: VariantShreddedException => throw e.at(ErrorLocation(column = Some(node.column)))
  }

  override def addInteger(value: Int): Unit = target.addInteger(value)

  override def addLong(value: Long): Unit = target.addLong(value)

  override def addBoolean(value: Boolean): Unit = target.addBoolean(value)

  override def addFloat(value: Float): Unit = target.addFloat(value)

  override def addDouble(value: Double): Unit = target.addDouble(value)

  override def flush(): Unit = target.flush()
}

package io.github.variantshredded.read.rebuild.plan

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8

import com.sun.management.ThreadMXBean
import io.github.variantshredded.variant.MetadataDictionary
import org.apache.spark.sql.execution.vectorized.{Dictionary, OnHeapColumnVector}
import org.apache.spark.sql.types.BinaryType
import org.scalatest.funsuite.AnyFunSuite

/** Plans of `metadata` in a column with a dictionary. */
class MetadataPlansSuite extends AnyFunSuite {

  private class Entries(values: Array[Byte]*) extends Dictionary {
    override def decodeToBinary(id: Int): Array[Byte] = values(id)
    override def decodeToInt(id: Int): Int = throw new UnsupportedOperationException
    override def decodeToLong(id: Int): Long = throw new UnsupportedOperationException
    override def decodeToFloat(id: Int): Float = throw new UnsupportedOperationException
    override def decodeToDouble(id: Int): Double = throw new UnsupportedOperationException
  }

  // Version 1, sorted; no name, and the name "a".
  private val empty = Array[Byte](0x11, 0, 0)
  private val one = Array[Byte](0x11, 1, 0, 1, 'a')

  private def column(ids: Int*): OnHeapColumnVector = {
    val vector = new OnHeapColumnVector(ids.size, BinaryType)
    vector.setDictionary(new Entries(empty, one))
    val idVector = vector.reserveDictionaryIds(ids.size)
    ids.zipWithIndex.foreach { case (id, slot) => idVector.putInt(slot, id) }
    vector
  }

  test("one plan for each entry") {
    val plans = new MetadataPlans(Array.empty, strict = true)
    plans.startRowGroup()
    val vector = column(1, 0, 1, 0)
    val found = (0 until 4).map(plans.plan(vector, _))
    assert(found.map(_.bytes.toSeq) === Seq(one, empty, one, empty).map(_.toSeq))
    assert((found(0) eq found(2)) && (found(1) eq found(3)))
  }

  test("an id that is in no dictionary is refused before memory is taken") {
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    val id = Thread.currentThread.getId
    Seq(2, 1 << 26, Int.MaxValue, -1, Int.MinValue).foreach { bad =>
      val plans = new MetadataPlans(Array.empty, strict = true)
      plans.startRowGroup()
      val vector = column(1, bad)
      plans.plan(vector, 0): Unit
      val before = threads.getThreadAllocatedBytes(id)
      intercept[IndexOutOfBoundsException](plans.plan(vector, 1))
      assert(threads.getThreadAllocatedBytes(id) - before < 16 * 1024 * 1024)
    }
  }

  test("a name that the metadata lack and two shredded fields have is added once") {
    val names = Array("b", "a", "b").map(_.getBytes(UTF_8))
    val dictionary = MetadataDictionary.parse(one, 0, one.length)
    val plan = new MetadataPlan(one, dictionary, names, isUnique = true)
    assert(names.indices.map(plan.id) === Seq(-1, 0, -1))
    assert(Seq(plan.addName(0), plan.addName(2)) === Seq(1, 1))
    assert(plan.dictionary.size === 2)
  }
}

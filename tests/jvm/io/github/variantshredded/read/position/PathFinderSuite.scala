package io.github.variantshredded.read.position

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import io.github.variantshredded.extraction.PathStep
import io.github.variantshredded.read.rebuild.plan.MetadataPlan
import io.github.variantshredded.variant.{MetadataDictionary, VariantReader}
import org.apache.spark.types.variant.Variant
import org.scalatest.funsuite.AnyFunSuite

/** Fields of objects are found in every row, whichever way they are searched. */
class PathFinderSuite extends AnyFunSuite {
  import PathFinderSuite._

  /** The values at each of the names in so many rows; None where there is no such field. */
  private def found(variants: Seq[Variant], name: String, rows: Int): Seq[Option[Long]] = {
    val source = new Repeated(variants)
    val finder = new PathFinder(source, Array(PathStep.Field(name)))
    (0 until rows).map { slot =>
      Option.when(finder.find(slot))(
        VariantReader.getLong(source.bytes, finder.start, finder.end)
      )
    }
  }

  private def bySpark(variants: Seq[Variant], name: String, rows: Int): Seq[Option[Long]] =
    (0 until rows).map { slot =>
      Option(variants(slot % variants.size).getFieldByKey(name)).map(_.getLong)
    }

  test("from 1 to 200 fields, and names that an object or the dictionary lacks") {
    val random = new Random(7)
    for (count <- 1 to 200; idWidth <- Seq(1, 2)) {
      val names = random.shuffle((0 to count).map(i => s"f$i"))
      val fields = (0 until count).map(i => s"f$i" -> i % 100)
      val variant = Seq(objectOf(names, fields, idWidth))
      for (name <- Seq("f0", s"f${count / 2}", s"f${count - 1}", s"f$count", "none"))
        assert(found(variant, name, 20) === bySpark(variant, name, 20), s"$name of $count")
    }
  }

  test("rows with different dictionaries") {
    val names = (0 until 40).map(i => s"f$i")
    val variants = Seq(
      objectOf(names, names.zipWithIndex, 1),
      objectOf(names.reverse, names.zipWithIndex.map { case (name, i) => name -> (i + 50) }, 2),
      objectOf(names.take(10), Seq("f3" -> 77), 1),
      objectOf(Nil, Nil, 1)
    )
    for (name <- Seq("f3", "f30", "f39", "none"))
      assert(found(variants, name, 200) === bySpark(variants, name, 200), name)
  }

  test("names that a dictionary has twice, and fields that are not sorted") {
    val metadata = metadataOf(Seq("a", "b", "a", "c"))
    val variants = Seq(Seq(2 -> 5, 1 -> 6), Seq(3 -> 7, 0 -> 8), Seq(3 -> 1)).map { fields =>
      new Variant(objectOfIds(fields, 1), metadata)
    }
    for (name <- Seq("a", "b", "c", "none"))
      assert(found(variants, name, 100) === bySpark(variants, name, 100), name)
  }
}

private object PathFinderSuite {

  /** Gives Variants in turn; each has a dictionary that its rows share. */
  private final class Repeated(variants: Seq[Variant]) extends BinaryVariants {
    private val values = variants.map { variant =>
      val metadata = variant.getMetadata
      val dictionary = MetadataDictionary.parse(metadata, 0, metadata.length, strict = false)
      (variant.getValue, new MetadataPlan(metadata, dictionary, Array.empty, false))
    }.toIndexedSeq

    override def startBatch(slots: Int): Unit = ()

    override def mayHaveVariants: Boolean = true

    override def read(slot: Int): Boolean = {
      bytes = values(slot % values.size)._1
      plan = values(slot % values.size)._2
      start = 0
      end = bytes.length
      true
    }
  }

  /** An object with these fields, in the order of their names, as Spark searches them. */
  private def objectOf(names: Seq[String], fields: Seq[(String, Int)], idWidth: Int): Variant = {
    val ids = fields.sortBy(_._1).map { case (name, value) => names.indexOf(name) -> value }
    new Variant(objectOfIds(ids, idWidth), metadataOf(names))
  }

  private def metadataOf(names: Seq[String]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(1 | 1 << 6)
    names.scanLeft(0)(_ + _.length).prepended(names.size).foreach { number =>
      out.write(number)
      out.write(number >> 8)
    }
    names.foreach(name => out.write(name.getBytes(UTF_8)))
    out.toByteArray
  }

  /** An object with fields of the type int8. */
  private def objectOfIds(fields: Seq[(Int, Int)], idWidth: Int): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(2 | (1 | idWidth - 1 << 2) << 2)
    out.write(fields.size)
    fields.foreach { case (id, _) => (0 until idWidth).foreach(i => out.write(id >> 8 * i)) }
    (0 to fields.size).foreach { i =>
      out.write(2 * i)
      out.write(2 * i >> 8)
    }
    fields.foreach { case (_, value) =>
      out.write(3 << 2)
      out.write(value)
    }
    out.toByteArray
  }
}

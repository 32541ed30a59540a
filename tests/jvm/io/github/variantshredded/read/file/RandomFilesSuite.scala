package io.github.variantshredded.read.file

import java.nio.file.Files

import scala.util.Random

import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.testing.{
  Clue,
  RandomShredding,
  RandomSuite,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.scalacheck.Gen

/**
 * Random Variants in files of random layouts: every row reads as it was written.
 *
 * The files are written by parquet-java and [[TreeShredder]], not by the product.
 */
class RandomFilesSuite extends RandomSuite {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration = cases(60)

  private val modes: Vector[ReadSettings] = for {
    batchSize <- Vector(1, 7, 4096)
    offHeap <- Vector(false, true)
    strict <- Vector(true, false)
  } yield FileRows.readSettings(strict, offHeap, batchSize)

  /** Values alike one another, and others. */
  private val genTrees: Gen[Vector[VariantTree]] = for {
    base <- VariantGenerators.genVariantTree(3, 5)
    others <- Gen.listOfN(4, VariantGenerators.genVariantTree(2, 4))
  } yield base +: others.toVector

  private def randomFile(placement: Placement, trees: Vector[VariantTree], seed: Long) = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    def slot(): Option[VariantTree] = rng.nextInt(12) match {
      case 0     => None
      case 1     => Some(Null)
      case 2 | 3 => Some(trees(rng.nextInt(trees.size)))
      case _     => Some(random.vary(trees.head, trees))
    }
    val noNulls = rng.nextInt(3) == 0
    def someSlot(): Option[VariantTree] = if (noNulls) slot().orElse(Some(Null)) else slot()
    val rows = Vector.fill(rng.nextInt(40)) {
      VariantRow(placement match {
        case Placement.Top      => Some(Vector(someSlot()))
        case Placement.InStruct => Option.when(rng.nextInt(8) > 0)(Vector(someSlot()))
        case _ => Option.when(rng.nextInt(8) > 0)(Vector.fill(rng.nextInt(4))(someSlot()))
      })
    }
    val samples = rows.flatMap(_.slots.toSeq.flatten.flatten)
    new VariantFile(placement, random.schema(samples), rows, rng.nextLong())
  }

  private def check(file: VariantFile): Unit = {
    val path = Files.createTempFile(folder, "random", ".parquet")
    Files.delete(path)
    file.write(path)
    modes.foreach { options =>
      val different = VariantFile.differences(file.read(path, options), file.expected)
      assert(
        different.isEmpty,
        Clue(s"(read, written) with $options: ${different.mkString("\n")}\nof $file")
      )
    }
    Files.delete(path)
  }

  Placement.all.foreach { placement =>
    test(s"every Variant ${placement.toString} reads as written") {
      forAll(genTrees, Gen.long) { (trees, seed) => check(randomFile(placement, trees, seed)) }
    }
  }
}

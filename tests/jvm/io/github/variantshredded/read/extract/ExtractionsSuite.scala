package io.github.variantshredded.read.extract

import java.nio.file.{Files, Path}

import scala.util.Random

import io.github.variantshredded.extraction.{ExtractionErrors, ScanExtraction}
import io.github.variantshredded.read.file.{FileRows, VariantFile, VariantRow}
import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.testing.{
  Clue,
  RandomShredding,
  RandomSuite,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.SparkThrowable
import org.scalacheck.Gen

/**
 * Extractions from random Variants in files of random layouts give what Spark's own expressions give
 * on the whole Variants, errors too.
 */
class ExtractionsSuite extends RandomSuite {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration = cases(120)

  private val modes: Vector[ReadSettings] = Vector(
    FileRows.readSettings(strict = true),
    FileRows.readSettings(strict = true, offHeap = true, batchSize = 3),
    FileRows.readSettings(strict = false, batchSize = 7)
  )

  private def genTrees(tree: (Int, Int) => Gen[VariantTree]): Gen[Vector[VariantTree]] = for {
    base <- tree(3, 5)
    others <- Gen.listOfN(4, tree(2, 4))
  } yield base +: others.toVector

  private val genSome = Gen.oneOf(
    genTrees(VariantGenerators.genSparkTree),
    genTrees(VariantGenerators.genVariantTree)
  )

  private def randomFile(trees: Vector[VariantTree], seed: Long) = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    val (placement, rows) = VariantRow.random(rng, 1 + rng.nextInt(30)) {
      rng.nextInt(12) match {
        case 0     => None
        case 1     => Some(Null)
        case 2 | 3 => Some(trees(rng.nextInt(trees.size)))
        case _     => Some(random.vary(trees.head, trees))
      }
    }
    val samples = rows.flatMap(_.slots.toSeq.flatten.flatten)
    new VariantFile(placement, random.schema(samples), rows, rng.nextLong())
  }

  private def extract(
      path: Path,
      extractions: Seq[ScanExtraction],
      options: ReadSettings
  ): Vector[Seq[SparkExtraction.Answer]] =
    FileRows.extract(path, extractions.head.column.head, extractions, options) { batchRow =>
      // Spark copies rows by the types of their vectors.
      val row = if (options.vectors.rows == 3) batchRow.copy() else batchRow
      extractions.zipWithIndex.map { case (extraction, i) =>
        try {
          if (!row.isNullAt(extractions.size)) {
            ExtractionErrors.raise(row.getArray(extractions.size).toByteArray(), i)
          }
          Right(SparkExtraction.column(row, i, extraction.what.dataType))
        } catch {
          case e: RuntimeException with SparkThrowable => Left(SparkExtraction.error(e))
        }
      }
    }

  /**
   * Spark gives up at types that it does not know wherever it meets one; the source may know better,
   * or not have to look.
   */
  private def agree(
      actual: SparkExtraction.Answer,
      expected: SparkExtraction.Answer
  ): Boolean = actual == expected || expected.left.exists { case (condition, _) =>
    condition == "UNKNOWN_PRIMITIVE_TYPE_IN_VARIANT" || condition == "MALFORMED_VARIANT"
  }

  test("extractions give what Spark gives on the whole Variant") {
    forAll(genSome, Gen.long) { (trees, seed) =>
      val file = randomFile(trees, seed)
      val path = Files.createTempFile(folder, "random", ".parquet")
      Files.delete(path)
      file.write(path)
      val samples = file.expected.flatMap(_.slots.toSeq.flatten.flatten)
      val random = new RandomExtractions(new Random(seed))
      val extractions = Seq.fill(6)(random.extraction(samples).copy(column = file.variantPath))
      val variants = FileRows.binaryVariants(path, file.variantPath)
      val expected = variants.map(v => extractions.map(SparkExtraction(v, _)))
      modes.foreach { options =>
        val actual = extract(path, extractions, options)
        assert(actual.size == expected.size)
        for {
          (row, i) <- actual.zip(expected).zipWithIndex
          ((is, should), extraction) <- row._1.zip(row._2).zip(extractions)
        } {
          assert(
            agree(is, should),
            Clue(
              s"$is, not $should, for ${extraction.name} of row $i, ${file.expected(i)}, with $options, of $file"
            )
          )
        }
        // Each alone, too: fewer leaves are read.
        extractions.zipWithIndex.foreach { case (extraction, e) =>
          val alone = extract(path, Seq(extraction), options)
          assert(alone.size == expected.size, file)
          alone.zip(expected).zipWithIndex.foreach { case ((is, should), i) =>
            assert(
              agree(is.head, should(e)),
              Clue(
                s"${is.head}, not ${should(e)}, for ${extraction.name} alone of row $i, ${file.expected(i)}, with $options, of $file"
              )
            )
          }
        }
      }
      Files.delete(path)
    }
  }
}

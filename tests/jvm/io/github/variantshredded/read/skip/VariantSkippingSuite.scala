package io.github.variantshredded.read.skip

import java.nio.file.Files

import scala.util.Random

import io.github.variantshredded.extraction.ScanExtraction
import io.github.variantshredded.predicate.{Operand, SkippingPredicate}
import io.github.variantshredded.read.extract.RandomExtractions
import io.github.variantshredded.read.file.{FileRows, VariantFile, VariantRow}
import io.github.variantshredded.testing.{
  Clue,
  RandomShredding,
  RandomSuite,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.scalacheck.Gen

/** Of random files, nothing is skipped that Spark's own expressions find true, or that they fail at. */
class VariantSkippingSuite extends RandomSuite {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration = cases(120)

  private val genTrees = for {
    base <- Gen.oneOf(VariantGenerators.genSparkTree(3, 5), VariantGenerators.genVariantTree(3, 5))
    others <- Gen.listOfN(3, VariantGenerators.genSparkTree(2, 4))
  } yield base +: others.toVector

  private def randomFile(trees: Vector[VariantTree], seed: Long): VariantFile = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    // Most files have no values of other types, so that something can be skipped.
    val isPlain = rng.nextInt(3) > 0
    val (placement, rows) = VariantRow.random(rng, 1 + rng.nextInt(100)) {
      rng.nextInt(if (isPlain) 60 else 12) match {
        case 0                 => None
        case 1                 => Some(Null)
        case 2 | 3 if !isPlain => Some(trees(rng.nextInt(trees.size)))
        case _ => Some(random.vary(trees.head, if (isPlain) trees.take(1) else trees))
      }
    }
    val samples = rows.flatMap(_.slots.toSeq.flatten.flatten)
    val sorted =
      if (rng.nextBoolean()) rows else rows.sortBy(_.slots.map(_.map(_.map(scalars))).toString)
    val leftOut = if (isPlain) 1000 else 12
    val schema = random.schema(samples)
    new VariantFile(placement, schema, sorted, rng.nextLong(), leftOut = leftOut)
  }

  /** Texts that bring the same scalars together. */
  private def scalars(tree: VariantTree): String = tree match {
    case Obj(fields)   => fields.sortBy(_._1).map(field => scalars(field._2)).mkString("|")
    case Arr(elements) => elements.map(scalars).mkString("|")
    case scalar        => scalar.toString
  }

  private def predicate(
      rng: Random,
      extractions: Seq[ScanExtraction],
      rows: Vector[Seq[Either[Throwable, Any]]]
  ): SkippingPredicate = {
    val tests = new RandomTests(rng)
    tests.tree(2) {
      val index = rng.nextInt(extractions.size)
      val operand = Operand.OfVariant(index, extractions(index).what.dataType)
      val values = rows.flatMap(_(index).toOption).filter(_ != null)
      operand.dataType match {
        case ArrayType(elementType, _) if rng.nextInt(10) > 0 =>
          val elements = values.map(_.asInstanceOf[ArrayData]).flatMap { array =>
            (0 until array.numElements()).filterNot(array.isNullAt).map(array.get(_, elementType))
          }
          val (fields, tested, found) = tests.descend(elementType, elements)
          SkippingPredicate.AnyElement(operand, fields, tests.test(tested, found))
        case dataType => SkippingPredicate.Test(operand, tests.test(dataType, values))
      }
    }
  }

  private var rowsSeen = 0L
  private var skipped = Map.empty[String, Long].withDefaultValue(0L)

  test("rows that meet a predicate, or fail it, are kept by every level") {
    forAll(genTrees, Gen.long) { (trees, seed) =>
      val file = randomFile(trees, seed)
      val path = Files.createTempFile(folder, "random", ".parquet")
      Files.delete(path)
      file.write(path)
      val rng = new Random(seed)
      val samples = file.expected.flatMap(_.slots.toSeq.flatten.flatten)
      val random = new RandomExtractions(rng)
      val extractions = Seq.fill(2)(random.extraction(samples).copy(column = file.variantPath))
      val variants = FileRows.binaryVariants(path, file.variantPath)
      val values = variants.map(v => extractions.map(ExtractedValues.of(v, _)))
      val open = new SkippedFile(path)
      try
        (1 to 6).foreach { _ =>
          val tested = predicate(rng, extractions, values)
          val needed = values.indices.filter { row =>
            val outcome = PredicateOracle.outcome(
              tested,
              {
                case Operand.OfVariant(index, _) =>
                  // Where Spark cannot say, anything is right.
                  values(row)(index).left
                    .map(e => if (ExtractedValues.isUnknownType(e)) null else e)
                case other => throw new IllegalArgumentException(s"$other")
              }
            )
            val unclear = values(row).exists(_.left.exists(ExtractedValues.isUnknownType))
            outcome != PredicateOracle.NotTrue && !unclear
          }
          for {
            strict <- Seq(true, false)
            filter = open.filter(
              tested,
              variants = FileRows.variantsAt(file.variantPath),
              extractions = extractions,
              strict = strict
            )
            kept = open.kept(filter)
            _ = rowsSeen += values.size
            (level, kept) <- kept.levels
          } {
            skipped += level -> (skipped(level) + values.size - kept.size)
            needed.foreach { row =>
              assert(
                kept(row.toLong),
                Clue(
                  s"row $row, ${file.expected(row)}, is skipped by $level for $tested of " +
                    s"${extractions.map(_.name)}, strict=$strict, $seed, of $file"
                )
              )
            }
          }
        }
      finally open.close()
      Files.delete(path)
    }
    info(s"skipped of $rowsSeen: $skipped")
    Seq("statistics", "dictionaries", "column indexes", "all levels").foreach { level =>
      assert(skipped(level) > 500, s"$level")
    }
  }
}

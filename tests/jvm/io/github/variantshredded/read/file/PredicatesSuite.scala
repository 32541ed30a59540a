package io.github.variantshredded.read.file

import java.nio.file.Files

import scala.util.{Random, Try}

import io.github.variantshredded.predicate.Conjuncts
import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.testing.{
  Clue,
  RandomShredding,
  RandomSuite,
  VariantGenerators,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructType
import org.scalacheck.Gen

/**
 * Whatever a scan leaves out by random conditions on random Variants, in files of random layouts, is
 * in no result; and it does leave rows out.
 */
class PredicatesSuite extends RandomSuite {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration = cases(20)

  private val modes: Vector[ReadSettings] = Vector(
    FileRows.readSettings(strict = true),
    FileRows.readSettings(strict = true, offHeap = true, batchSize = 3),
    FileRows.readSettings(strict = false, batchSize = 7)
  )

  private val genTrees: Gen[Vector[VariantTree]] = for {
    base <- VariantGenerators.genSparkTree(3, 5)
    others <- Gen.listOfN(4, VariantGenerators.genSparkTree(2, 4))
  } yield base +: others.toVector

  private def randomFile(trees: Vector[VariantTree], seed: Long) = {
    val rng = new Random(seed)
    val random = new RandomShredding(rng)
    val (placement, rows) = VariantRow.random(rng, 1 + rng.nextInt(60)) {
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

  /** Whether a query that has this conjunct must see the row: it is true, or may be an error. */
  private def isSeen(condition: Expression, row: InternalRow): Boolean = condition match {
    case And(left, right)      => isSeen(left, row) && isSeen(right, row)
    case Or(left, right)       => isSeen(left, row) || isSeen(right, row)
    case Not(And(left, right)) => isSeen(Not(left), row) || isSeen(Not(right), row)
    case Not(Or(left, right))  => isSeen(Not(left), row) && isSeen(Not(right), row)
    case Not(Not(child))       => isSeen(child, row)
    case other                 => Try(other.eval(row)).fold(_ => true, _ == true)
  }

  test("a scan leaves out only rows that are not in the result") {
    var left = 0
    var droppable = 0
    forAll(genTrees, Gen.long) { (trees, seed) =>
      val file = randomFile(trees, seed)
      val path = Files.createTempFile(folder, "random", ".parquet")
      Files.delete(path)
      file.write(path)
      val schema = StructType(
        FileRows.variantsAt(file.variantPath) ++ StructType.fromDDL("id bigint, tail string")
      )
      val columns = schema.map(f => AttributeReference(f.name, f.dataType)())
      val variant = file.variantPath.tail.foldLeft[Expression](columns.head) { (struct, field) =>
        GetStructField(struct, 0, Some(field))
      }
      val rows = FileRows.read(path, schema)(row => (row.copy(): InternalRow))
      val samples = file.expected.flatMap(_.slots.toSeq.flatten.flatten)
      val random =
        new RandomConditions(new Random(seed), variant, columns, samples, rows)
      (0 until 8).foreach { _ =>
        val conditions = random.conjuncts()
        val bound = conditions.map(BindReferences.bindReference(_, AttributeSeq(columns)))
        val seen = rows.filter(row => bound.forall(isSeen(_, row))).map(_.getLong(1))
        val conjuncts = Conjuncts.of(conditions, schema)
        modes.foreach { options =>
          val ids = FileRows.read(path, schema, options, conjuncts = conjuncts.pushed) { row =>
            row.getLong(1)
          }
          assert(ids == ids.distinct.sorted)
          val lost = seen.diff(ids)
          assert(
            lost.isEmpty,
            Clue(
              s"rows $lost are lost, such as ${lost.headOption.map(i => file.expected(i.toInt))}, " +
                s"of ${conditions.mkString(" AND ")}, with $options, of $file"
            )
          )
          left += rows.size - ids.size
          droppable += rows.size - seen.size
        }
      }
      Files.delete(path)
    }
    info(s"$left of $droppable rows that could be left out were")
    assert(left > droppable / 2)
  }
}

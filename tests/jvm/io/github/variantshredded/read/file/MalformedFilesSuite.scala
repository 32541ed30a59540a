package io.github.variantshredded.read.file

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}

import scala.util.Random

import com.sun.management.ThreadMXBean
import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.read.file.MalformedFile._
import io.github.variantshredded.read.options.ReadSettings
import io.github.variantshredded.shredding.ShreddingSchema
import io.github.variantshredded.testing.{
  Cases,
  Clue,
  RandomShredding,
  TemporaryFolder,
  VariantTree
}
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.scalatest.funsuite.AnyFunSuite

/**
 * Broken files give our error, with the location, or what permissive mode defines: nothing else, in
 * little time and memory.
 */
class MalformedFilesSuite extends AnyFunSuite with TemporaryFolder {
  import MalformedFilesSuite._

  private type Rows = Vector[Option[VariantTree]]

  /** Reads `v` in a thread of its own; fails for everything but rows and our error. */
  private def attempt(
      path: Path,
      options: ReadSettings
  ): Either[VariantShreddedException, Rows] = {
    @volatile var result: Option[Either[Throwable, Rows]] = None
    @volatile var allocated = 0L
    val thread = new Thread(() => {
      result = Some(
        try Right(FileRows.variants(path, "v", options))
        catch { case e: Throwable => Left(e) }
      )
      allocated = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    })
    thread.setDaemon(true)
    thread.start()
    thread.join(Timeout)
    if (thread.isAlive) {
      fail(s"no answer in $Timeout ms: ${thread.getStackTrace.take(25).mkString("\n  ")}")
    }
    assert(allocated < MaxMemory, s"$allocated bytes of memory taken for $path: $result")
    result.get match {
      case Right(rows)                       => Right(rows)
      case Left(e: VariantShreddedException) =>
        assert(e.location.file.contains(path.toUri.toString.replace("file:///", "file:/")))
        Causes.of(e).foreach { cause =>
          assert(!cause.isInstanceOf[VirtualMachineError], s"${e.getMessage} is for $cause")
        }
        Left(e)
      case Left(other) => fail(s"not an error of ours: $other", other)
    }
  }

  private def check(file: MalformedFile): Unit = {
    val path = folder.resolve(s"${Math.floorMod(file.rule.hashCode, 1000000000)}.parquet")
    file.write(path)
    val strict = attempt(path, FileRows.readSettings(strict = true)) match {
      case Left(error)  => error
      case Right(found) => fail(s"strict mode read $found")
    }
    assert(strict.condition === file.condition, strict.getMessage)
    file.reason.foreach { reason =>
      val size = Files.size(path).toString
      val location = file.location.fold("")(", " + _)
      val isOfFooter = isOfSchema(file) || file.location.isEmpty
      val rowGroup = if (location.contains("rowGroup") || isOfFooter) "" else ", rowGroup=0"
      assert(
        strict.getMessage === s"[${file.condition}] ${reason.replace("SIZE", size)} " +
          s"(file=${strict.location.file.get}$rowGroup$location)"
      )
    }
    // Vectors off the heap and small batches take other ways to the same end.
    val offHeap =
      attempt(path, FileRows.readSettings(strict = true, offHeap = true, batchSize = 3))
    assert(offHeap.left.map(_.condition) === Left(file.condition))
    val permissive = attempt(path, FileRows.readSettings(strict = false))
    (file.permissive, permissive) match {
      case (Permissive.Refused, Left(error))   => assert(error.condition === file.condition)
      case (Permissive.Refused, Right(found))  => fail(s"permissive mode read $found")
      case (Permissive.Either, _)              => ()
      case (Permissive.Reads(_*), Left(error)) => fail("permissive mode failed", error)
      case (Permissive.Reads(values @ _*), Right(found)) =>
        assert(found.size === values.size)
        found.zip(values).foreach {
          case (Some(a), Some(b)) => assert(VariantTree.sameAs(a, b), Clue(s"$a is not $b"))
          case (a, b)             => assert(a === b)
        }
    }
    Files.delete(path)
  }

  private def isOfSchema(file: MalformedFile) = file.condition == Schema

  private def aTestEach(what: String, files: Seq[MalformedFile]): Unit =
    files.foreach(file => test(s"$what: ${file.rule}")(check(file)))

  aTestEach("schema", MalformedSchemas.all)
  aTestEach("schema in the footer", MalformedFooterSchemas.all)
  aTestEach("value", MalformedValues.all)
  aTestEach("leaf", MalformedLeaves.all)
  aTestEach("Parquet", MalformedParquet.all)
  aTestEach("binary", MalformedBinaries.rules)

  test("every truncation of small values and of their metadata") {
    MalformedBinaries.truncations.foreach(file => withClue(file.rule)(check(file)))
  }

  test("1000 levels of values are read, 200 of them shredded") {
    val path = folder.resolve("deep.parquet")
    rows("required binary value;", Map("value" -> MalformedBinaries.nestedArrays(1000)))(path)
    assert(VariantTree.depth(read(path).head.get) === 1000)
    val element = (1 to 200).foldLeft("optional binary value;") { (inner, _) =>
      "optional group typed_value (LIST) { repeated group list { " +
        s"required group element { $inner } } }"
    }
    val innermost: ParquetFixture.Row = Map("value" -> MalformedBinaries.nestedArrays(800))
    val cell = (1 to 200).foldLeft(innermost) { (inner, _) =>
      Map("typed_value" -> Map("list" -> Seq(Map("element" -> inner))))
    }
    rows(element, cell)(overwritten(path))
    assert(VariantTree.depth(read(path).head.get) === 1000)
    MalformedFooterSchemas.writeDeep(overwritten(path), 200)
    assert(read(path) === Vector.empty)
  }

  test("5,000 nested objects, which parquet-java cannot read") {
    val path = folder.resolve("deeper.parquet")
    MalformedFooterSchemas.writeDeep(path, 5000)
    val error = intercept[VariantShreddedException](read(path))
    assert(Set(Schema, Corrupt)(error.condition), error.getMessage)
  }

  private def overwritten(path: Path): Path = {
    Files.deleteIfExists(path)
    path
  }

  private def read(path: Path): Rows = FileRows.variants(path, "v")

  test("every prefix of a file") {
    val path = folder.resolve("prefix.parquet")
    MalformedParquet.wellFormed(path)
    val whole = Files.readAllBytes(path)
    whole.indices.by(3).foreach { length =>
      Files.write(path, whole.take(length))
      withClue(s"the first $length of ${whole.length} bytes: ") {
        val result = attempt(path, FileRows.readSettings(strict = true))
        assert(result.left.map(_.condition) === Left(Corrupt))
      }
    }
  }

  for {
    v2 <- Seq(false, true)
    dictionaries <- Seq(false, true)
  } {
    test(s"every byte of the pages, v2 $v2, dictionaries $dictionaries, with checksums") {
      val path = folder.resolve("checksums.parquet")
      MalformedParquet.wellFormed(overwritten(path), crc = true, v2, dictionaries = dictionaries)
      val whole = Files.readAllBytes(path)
      val expected = read(path)
      val bodies =
        PageEdit.pages(whole).flatMap { case (leaf, p) => (p.body until p.end).map(leaf -> _) }
      assert(bodies.size > 500)
      bodies.zipWithIndex.foreach { case ((leaf, at), i) =>
        val changed = whole.clone()
        changed(at) = (changed(at) ^ (1 << (i % 8))).toByte
        Files.write(path, changed)
        withClue(s"byte $at, of $leaf: ") {
          attempt(path, FileRows.readSettings(strict = i % 2 == 0)) match {
            case Left(error) => assert(error.condition === Corrupt)
            // A chunk of nothing but nulls is not fetched.
            case Right(found) => assert(found === expected)
          }
        }
      }
    }
  }

  test("every bit of small values") {
    val path = folder.resolve("bits.parquet")
    for {
      tree <- MalformedBinaries.small
      (metadata, value) = VariantTree.encode(tree)
      at <- value.indices
      bit <- 0 until 8
    } {
      val changed = value.clone()
      changed(at) = (changed(at) ^ (1 << bit)).toByte
      rows("required binary value;", Map("metadata" -> metadata, "value" -> changed))(
        overwritten(path)
      )
      withClue(s"bit $bit of byte $at of $tree: ") {
        attempt(path, FileRows.readSettings(strict = true)).left
          .foreach(error => assert(error.condition === Malformed))
      }
    }
  }

  test("random bytes changed in random files") {
    val rng = new Random(20240607L)
    val path = folder.resolve("fuzz.parquet")
    val files = fuzzed(rng)
    val refused = (0 until FuzzTrials).count { trial =>
      val changed = files(trial % files.size).clone()
      (0 to rng.nextInt(3)).foreach { _ =>
        val at = rng.nextInt(changed.length)
        changed(at) =
          if (rng.nextBoolean()) (changed(at) ^ (1 << rng.nextInt(8))).toByte
          else Edges(rng.nextInt(Edges.size))
      }
      Files.write(path, changed)
      withClue(s"trial $trial: ") {
        attempt(path, FileRows.readSettings(rng.nextBoolean(), rng.nextBoolean(), 16)).isLeft
      }
    }
    info(s"$FuzzTrials trials, $refused refused")
    // The seed is fixed. More files may be refused than these, but fewer are a lost check.
    assert(refused >= (if (FuzzTrials == 1000) 593 else FuzzTrials / 3))
  }

  private def fuzzed(rng: Random): Vector[Array[Byte]] = {
    val path = folder.resolve("seed.parquet")
    val fixed = for {
      codec <- Vector(CompressionCodecName.UNCOMPRESSED, CompressionCodecName.SNAPPY)
      v2 <- Vector(false, true)
      dictionaries <- Vector(false, true)
    } yield {
      MalformedParquet.wellFormed(overwritten(path), crc = false, v2, codec, dictionaries)
      Files.readAllBytes(path)
    }
    val types = MalformedBinaries.small ++ Seq(
      Date(1),
      Time(1),
      Flt(1),
      Bool(true),
      Decimal8(5, 2),
      TimestampNanos(7),
      Int16(3)
    )
    fixed ++ Vector.fill(14) {
      val random = new RandomShredding(rng)
      val trees = Vector.fill(20)(random.vary(types(rng.nextInt(types.size)), types.toVector))
      val file = new VariantFile(
        Placement.Top,
        random.schema(trees) match {
          case ShreddingSchema.Unshredded => random.schema(trees)
          case schema                     => schema
        },
        trees.map(tree => VariantRow(Some(Vector(Some(tree))))),
        rng.nextLong(),
        "v"
      )
      file.write(overwritten(path))
      Files.readAllBytes(path)
    }
  }
}

object MalformedFilesSuite {
  private val Timeout = 20000L

  /** Far more than any of the files needs. */
  private val MaxMemory = 400L * 1024 * 1024
  private val FuzzTrials = Cases(1000)
  private val Edges = Vector[Byte](0, 1, -1, 127, -128, 64)

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
}

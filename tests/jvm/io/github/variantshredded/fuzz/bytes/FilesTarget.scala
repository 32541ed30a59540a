package io.github.variantshredded.fuzz.bytes

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.read.file.{FileRows, MemoryFile, ParquetFixture}
import io.github.variantshredded.read.options.ReadSettings

/**
 * Whole files, changed where their structure is, and read in every way.
 *
 * An input is a byte that chooses the file, a byte that chooses how it is read, and up to ten changes
 * of six bytes each (see [[FileChange]]). The reader may give rows or a documented error. Beyond that:
 * where pages stay as they are, and so does what their levels mean, the same file read in batches of
 * another size and off the heap gives the same rows, or an error too, unless a batch without any row that
 * a condition keeps is not read further. Otherwise levels of the leaves of one value may contradict each
 * other; which of them tells whether there is a value then depends on where batches end. And where nothing but the content of
 * pages was changed and pages have checksums, there are the original rows or an error.
 */
object FilesTarget extends FuzzTarget {
  override val name: String = "files"

  override val isTaken: Boolean = false

  private val MaxChanges = 10

  override val maxLength: Int = 2 + MaxChanges * FileChange.Size

  private type Rows = Either[String, Vector[Any]]

  /** Files that were read so far, and those that were refused. */
  var accepted = 0
  var refused = 0

  /**
   * The heap that one file may take. A reader takes some 20 MB whatever is in the file: vectors of
   * up to 4096 values for some 40 leaves, buffers of codecs. A page may claim 16 MB without being
   * doubted (`BoundedCodecFactory`), and a change can make a few pages do so; what they hold is copied
   * once or twice.
   */
  private def justified(changes: Int): Long = (96L << 20) + changes * (64L << 20)

  override def run(data: Array[Byte]): Unit = if (data.length >= 2) {
    val seed = SeedFiles.all((data(0) & 0xff) % SeedFiles.all.size)
    val changes = data
      .drop(2)
      .grouped(FileChange.Size)
      .filter(_.length == FileChange.Size)
      .take(MaxChanges)
      .map(FileChange(_))
      .toVector
    FileChange(seed.bytes, changes).foreach { bytes =>
      val way = WayOfReading.all((data(1) & 0x7f) % WayOfReading.all.size)
      val strict = data(1) >= 0
      check(bytes, way, strict, changes.size)
      if (changes.forall(_.leavesPages) && levels(bytes) == levels(seed.bytes))
        checkBatches(bytes, way, strict)
      if (seed.hasChecksums && !way.isOfFile && changes.forall(_.isSeenByChecksums))
        checkOriginal(seed.bytes, bytes, way, strict)
    }
  }

  private def check(bytes: Array[Byte], way: WayOfReading, strict: Boolean, changes: Int): Unit =
    Allocation.within(justified(changes), s"A file of ${bytes.length} bytes, ${way.name}") {
      if (read(bytes, way, FileRows.readSettings(strict)).isRight) accepted += 1 else refused += 1
    }

  private def checkBatches(bytes: Array[Byte], way: WayOfReading, strict: Boolean): Unit = {
    val large = read(bytes, way, FileRows.readSettings(strict))
    val small = read(bytes, way, FileRows.readSettings(strict, offHeap = true, batchSize = 3))
    (large, small) match {
      case (Right(some), Right(same)) =>
        expect(some == same, s"${way.name}: batches of 3 rows give ${differences(same, some)}")
      case (Left(_), Left(_))         => ()
      case _ if way.mayNotReadAllRows => ()
      case (one, other)               =>
        throw new AssertionError(s"${way.name}: $one, but in batches of 3 rows $other")
    }
  }

  /** What the schema says about levels: which elements are optional or repeated, and their nesting. */
  private def levels(bytes: Array[Byte]): Option[Seq[Any]] = Try {
    ParquetFixture.footer(bytes).getSchema.asScala.toSeq.map { element =>
      (element.getRepetition_type, element.getNum_children)
    }
  }.toOption

  private def checkOriginal(
      original: Array[Byte],
      bytes: Array[Byte],
      way: WayOfReading,
      strict: Boolean
  ): Unit = {
    val options = FileRows.readSettings(strict)
    read(bytes, way, options).foreach { found =>
      val expected = read(original, way, options).getOrElse(Vector.empty)
      expect(found == expected, s"${way.name}: ${differences(found, expected)}")
    }
  }

  private def differences(found: Vector[Any], expected: Vector[Any]): String =
    if (found.size != expected.size) s"${found.size} rows, not ${expected.size}"
    else found.zip(expected).find(pair => pair._1 != pair._2).fold("")(p => s"${p._1}, not ${p._2}")

  private def expect(condition: Boolean, otherwise: => String): Unit =
    if (!condition) throw new AssertionError(otherwise)

  private def read(bytes: Array[Byte], way: WayOfReading, options: ReadSettings): Rows = {
    MemoryFile.bytes.set(bytes)
    try Right(way.read(options))
    catch {
      case e: Throwable if DocumentedErrors.isOne(e) =>
        checkLocation(e)
        Left(e.toString)
    }
  }

  private def checkLocation(error: Throwable): Unit = error match {
    case e: VariantShreddedException =>
      expect(e.location.file.exists(_.contains("file.parquet")), s"no file in ${e.getMessage}")
    case _ => ()
  }

  /** Each way of reading each file as it is, and each kind of change once. */
  override lazy val seeds: Seq[Array[Byte]] = {
    val rng = new scala.util.Random(18)
    val plain = for {
      file <- SeedFiles.all.indices
      way <- WayOfReading.all.indices
    } yield Array(file.toByte, way.toByte)
    val changed = for {
      kind <- 0 until FileChange.Kinds
      _ <- 0 until 12
    } yield {
      val data = rng.nextBytes(2 + FileChange.Size)
      data(2) = kind.toByte
      data
    }
    plain ++ changed
  }

  /** Reads each file as it is, which has to succeed; for the tests. */
  def readUnchanged(): Unit = for {
    seed <- SeedFiles.all
    way <- WayOfReading.all
  } {
    val result = read(seed.bytes, way, FileRows.readSettings(strict = true))
    expect(result.isRight, s"${seed.what}, ${way.name}: $result")
  }
}

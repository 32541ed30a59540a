package io.github.variantshredded.write.file

import java.io.{FileOutputStream, IOException, OutputStream}
import java.net.URI
import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.write.WriteSuite
import io.github.variantshredded.write.column.EachStep
import org.apache.hadoop.fs.{FSDataOutputStream, Path => HadoopPath, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** The end of a file cannot be written: the error says why, whatever fails after it. */
class FailingFooterSuite extends WriteSuite {

  private val first = new IOException("No space left on device")
  private val second = new IOException("closed with pending bytes")

  private final class Full extends OutputFile {
    var isFull = false
    override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
      override def getPos: Long = 0
      override def write(byte: Int): Unit = if (isFull) throw first
      override def write(source: Array[Byte], offset: Int, length: Int): Unit =
        if (isFull) throw first
      override def close(): Unit = throw second
    }
    override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
      create(blockSizeHint)
    override def supportsBlockSize: Boolean = false
    override def defaultBlockSize: Long = 0
  }

  test("each step is done; the first error is raised with the others suppressed in it") {
    var done = Seq.empty[Int]
    val error = intercept[IOException] {
      EachStep(
        () => done :+= 1,
        () => throw first,
        () => done :+= 2,
        () => throw second,
        () => throw first,
        () => done :+= 3
      )
    }
    assert(error eq first)
    assert(error.getSuppressed.toSeq === Seq(second))
    assert(done === Seq(1, 2, 3))
  }

  /** A file whose end has been written, but is held back, and that nothing can be written to any more. */
  private def heldBackOnFullDisk(): (FooterOrder, PositionOutputStream) = {
    val full = new Full
    val file = new FooterOrder(full)
    val out = file.create(0)
    file.holdEnd()
    out.write(Array.fill[Byte](100)(-1))
    full.isFull = true
    (file, out)
  }

  test("the end of a file that is held back: the error of writing it, then that of closing") {
    val (_, out) = heldBackOnFullDisk()
    val error = intercept[IOException](out.close())
    assert(error eq first)
    assert(error.getSuppressed.toSeq.contains(second))
  }

  test("an end that could not be made is not written") {
    val (file, out) = heldBackOnFullDisk()
    file.dropEnd()
    assert(intercept[IOException](out.close()) eq second)
  }

  test("a job on a full disk says so, however its files fail to be closed") {
    spark.sparkContext.hadoopConfiguration.set("fs.full.impl", classOf[FullFileSystem].getName)
    def save(capacity: Long, path: Path): Unit = {
      FullFileSystem.capacity = capacity
      spark
        .range(3000)
        .coalesce(1)
        .selectExpr("parse_json(concat('{\"n\": ', id, '}')) AS v")
        .write
        .format("variant-shredded")
        .save(s"full://$path")
    }
    val whole = newPath()
    save(Long.MaxValue, whole)
    val size = Files.size(onlyFile(whole))
    // Within the footer, at its beginning, within the pages, within the first bytes.
    Seq(size - 1, size - 20, size - 400, size / 2, 2L).foreach { capacity =>
      val error = intercept[Exception](save(capacity, newPath()))
      val causes = Causes.of(error).toSeq
      val texts = causes.map(_.getMessage)
      assert(texts.exists(_.contains(FullFileSystem.Full)), s"$capacity of $size: $texts")
      assert(!texts.exists(_.contains(FullFileSystem.NotClosed)), s"$capacity of $size: $texts")
    }
  }
}

/** Takes so many bytes of a data file; one that got more cannot be closed either. */
class FullFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("full:///")
  override def getScheme: String = "full"
  override def checkPath(path: HadoopPath): Unit = ()

  override def create(
      path: HadoopPath,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    new FSDataOutputStream(new FullFileSystem.Stream(created(path)), null)

  private def created(path: HadoopPath): OutputStream = {
    mkdirs(path.getParent)
    new FileOutputStream(pathToFile(path))
  }
}

object FullFileSystem {
  val Full = "No space left on device"
  val NotClosed = "the file cannot be closed"

  @volatile var capacity = 0L

  final class Stream(out: OutputStream) extends OutputStream {
    private var written = 0L
    private var isFull = false

    override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      written += length
      if (written > capacity) {
        isFull = true
        throw new IOException(Full)
      }
      out.write(bytes, offset, length)
    }

    override def close(): Unit = {
      out.close()
      if (isFull) throw new IOException(NotClosed)
    }
  }
}

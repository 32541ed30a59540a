package io.github.variantshredded.read.pages

import java.nio.ByteBuffer
import java.util.{List => JList}
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.IntFunction

import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.fs.{FileRange, FSDataInputStream, Path, RawLocalFileSystem}

/** Whether ranges of local files are read by Hadoop's vectored reads. */
class LocalReadsSuite extends PathSuite {
  import LocalReadsSuite._

  /** Returns the number of vectored reads of a query that needs two columns of three. */
  private def vectoredReads(path: String, settings: (String, String)*): Int = {
    val before = vectored.get
    val all = settings.toMap + ("fs.file.impl" -> classOf[Counting].getName) +
      ("fs.file.impl.disable.cache" -> "true")
    val sum = reader.options(all).load(path).selectExpr("sum(v:a::bigint) + sum(v:c::bigint)")
    assert(sum.collect().head.getLong(0) === 9900)
    vectored.get - before
  }

  test("local files are read with vectored reads only if a setting says so") {
    val path = newPath()
    val json = """concat('{"a":', id, ',"b":"', id, '","c":', id, '}')"""
    writer(spark.range(0, 100, 1, 1).selectExpr(s"parse_json($json) AS v"))
      .option("shredding", "a bigint, b string, c bigint")
      .save(path)
    val setting = "parquet.hadoop.vectored.io.enabled"
    assert(vectoredReads(path) === 0)
    assert(vectoredReads(path, setting -> "false") === 0)
    assert(vectoredReads(path, setting -> "true") > 0)
  }
}

object LocalReadsSuite {
  private val vectored = new AtomicInteger

  /** The local file system, which counts vectored reads. */
  final class Counting extends RawLocalFileSystem {
    override def open(path: Path, bufferSize: Int): FSDataInputStream =
      new FSDataInputStream(super.open(path, bufferSize).getWrappedStream) {
        override def readVectored(
            ranges: JList[_ <: FileRange],
            allocate: IntFunction[ByteBuffer]
        ): Unit = {
          val _ = vectored.incrementAndGet()
          super.readVectored(ranges, allocate)
        }
      }
  }
}

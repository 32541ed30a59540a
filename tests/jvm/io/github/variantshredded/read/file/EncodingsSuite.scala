package io.github.variantshredded.read.file

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import io.github.variantshredded.testing.LocalParquet
import io.github.variantshredded.testing.VariantTree._
import org.apache.parquet.column.Encoding
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** Encodings that the decoders of not every supported Spark know. */
class EncodingsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val path: Path = Files.createTempFile("encodings", ".parquet")

  override protected def afterAll(): Unit =
    try Files.deleteIfExists(path): Unit
    finally super.afterAll()

  private val leaves = Seq(
    "float" -> ((i: Int) => i * 1.5f),
    "double" -> ((i: Int) => i / 3.0),
    "int32" -> ((i: Int) => i * -77777),
    "int64" -> ((i: Int) => i * 1234567890123L)
  )

  private val schema = "message m { " + leaves.map { case (kind, _) =>
    s"required $kind r_$kind; optional $kind o_$kind; repeated $kind l_$kind;"
  }.mkString + " optional group v (VARIANT(1)) { required binary metadata; " +
    "optional binary value; optional double typed_value; } }"

  private def row(i: Int): ParquetFixture.Row = {
    val plain: Seq[(String, Any)] = leaves.flatMap { case (kind, value) =>
      Seq(s"r_$kind" -> value(i), s"l_$kind" -> Seq.tabulate(i % 3)(j => value(i + j))) ++
        Option.when(i % 4 != 0)(s"o_$kind" -> value(-i))
    }
    val variant =
      Map[String, Any]("metadata" -> MalformedFile.emptyMetadata, "typed_value" -> i / 7.0)
    (plain :+ ("v" -> variant)).toMap
  }

  for {
    v2 <- Seq(false, true)
    rows <- Seq(0 until 1000, (0 until 1000).by(4))
  } test(s"BYTE_STREAM_SPLIT, v2 $v2, ${rows.size} rows") {
    Files.deleteIfExists(path)
    ParquetFixture.write(
      path,
      schema,
      rows.map(row),
      streamSplit(_)
        .withDictionaryEncoding(false)
        .withPageRowCountLimit(90)
        .withMinRowCountForPageSizeCheck(1)
        .withWriterVersion(MalformedParquet.version(v2))
    )
    assert(encodings.forall(_.contains(Encoding.BYTE_STREAM_SPLIT)))
    val types = Map("float" -> "float", "double" -> "double", "int32" -> "int", "int64" -> "bigint")
    leaves.foreach { case (kind, value) =>
      val of = types(kind)
      val columns = StructType.fromDDL(s"r_$kind $of, o_$kind $of, l_$kind array<$of>")
      val read = FileRows.read(path, columns) { row =>
        val dataType = columns.head.dataType
        (
          row.get(0, dataType),
          Option.when(!row.isNullAt(1))(row.get(1, dataType)),
          row.getArray(2).toArray[Any](dataType).toSeq
        )
      }
      assert(read === rows.map { i =>
        (value(i), Option.when(i % 4 != 0)(value(-i)), Seq.tabulate(i % 3)(j => value(i + j)))
      })
    }
    assert(FileRows.variants(path, "v") === rows.map(i => Some(Dbl(i / 7.0))))
  }

  /** The setting for all columns is for floating-point numbers only. */
  private def streamSplit(builder: ExampleParquetWriter.Builder): ExampleParquetWriter.Builder =
    (for ((kind, _) <- leaves; form <- Seq("r", "o", "l")) yield s"${form}_$kind")
      .foldLeft(builder)(_.withByteStreamSplitEncoding(_, true))
      .withByteStreamSplitEncoding("v.typed_value", true)

  private def encodings: Seq[java.util.Set[Encoding]] = {
    val reader = LocalParquet.open(path)
    try {
      reader.getRowGroups
        .get(0)
        .getColumns
        .asScala
        .filterNot(chunk => Set("v.metadata", "v.value")(chunk.getPath.toDotString))
        .map(_.getEncodings)
        .toSeq
    } finally reader.close()
  }
}

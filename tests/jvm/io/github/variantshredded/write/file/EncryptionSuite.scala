package io.github.variantshredded.write.file

import java.nio.charset.StandardCharsets.{ISO_8859_1, US_ASCII}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import io.github.variantshredded.write.{TestKeys, WriteSuite}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Parquet's modular encryption, asked for by its own options. */
class EncryptionSuite extends WriteSuite {

  private val Rows = 500

  private def events: DataFrame = json((0 until Rows).map { i =>
    if (i % 50 == 7) s"""{"id": "stray-$i", "name": $i, "more": "left-$i"}"""
    else s"""{"id": $i, "name": "secret-$i", "tags": ["label-${i % 9}"]}"""
  }: _*)

  // So that there are row groups and pages with ordinals, and texts that can be seen in the file. They
  // are long enough not to be found by chance in encrypted bytes, of which bloom filters have many.
  private val everything = Seq(
    "parquet.block.row.count.limit" -> "200",
    "parquet.page.row.count.limit" -> "60",
    "parquet.enable.dictionary" -> "false",
    "compression" -> "none",
    "clustering" -> "shape",
    "clusterBy" -> "$.id",
    "bloomFilter" -> "$.id, $.name, $.tags[*]"
  )

  private val uniform = TestKeys.options("all") :+ ("parquet.encryption.uniform.key" -> "all")

  private def columnKeys(columns: String) = TestKeys.options("footer", "names", "rest") ++ Seq(
    "parquet.encryption.footer.key" -> "footer",
    "parquet.encryption.column.keys" -> s"names: v.typed_value.name.typed_value$columns"
  )

  private def read(format: String, path: Path, options: Seq[(String, String)]): DataFrame =
    spark.read.format(format).options(options.toMap).load(path.toString)

  private def text(file: Path): String = new String(Files.readAllBytes(file), ISO_8859_1)

  private def magic(file: Path): Seq[String] = {
    val bytes = Files.readAllBytes(file)
    Seq(bytes.take(4), bytes.takeRight(4)).map(new String(_, US_ASCII))
  }

  private def footerOf(file: Path, options: Seq[(String, String)]): ParquetMetadata = {
    val conf = new Configuration
    options.foreach { case (name, value) => conf.set(name, value) }
    val path = new HadoopPath(file.toUri)
    Using.resource(
      ParquetFileReader.open(
        HadoopInputFile.fromPath(path, conf),
        HadoopReadOptions.builder(conf, path).build()
      )
    )(_.getFooter)
  }

  private def encryption(file: Path, options: Seq[(String, String)]) = {
    val footer = footerOf(file, options)
    val encrypted = footer.getBlocks.asScala.flatMap(_.getColumns.asScala).collect {
      case column if column.isEncrypted => column.getPath.toDotString
    }
    (footer.getFileMetaData.getEncryptionType, encrypted.toSet)
  }

  private def rows(data: DataFrame): Seq[String] =
    data.orderBy("n").selectExpr("concat(n, ' ', to_json(v))").collect().map(_.getString(0)).toSeq

  /** Queries that skip by statistics, bloom filters and page indexes where they can. */
  private def answers(data: DataFrame): Seq[Any] = Seq(
    rows(data),
    data.where("try_variant_get(v, '$.id', 'bigint') = 423").select("n").collect().toSeq,
    data.where("try_variant_get(v, '$.id', 'bigint') between 95 and 98").count(),
    data.where("try_variant_get(v, '$.id', 'string') = 'stray-107'").select("n").collect().toSeq,
    data.where("try_variant_get(v, '$.name', 'string') = 'secret-401'").count(),
    data.where("try_variant_get(v, '$.name', 'string') = 'nobody'").count(),
    data
      .selectExpr("try_variant_get(v, '$.tags[0]', 'string') AS tag")
      .groupBy("tag")
      .count()
      .orderBy("tag")
      .collect()
      .toSeq,
    data.selectExpr("max(v:name::string)", "sum(n)").collect().toSeq
  )

  private def messages(action: => Any): String =
    Causes
      .of(intercept[Exception](action))
      .map(_.toString)
      .mkString("\n")

  private def assertReadable(path: Path, keys: Seq[(String, String)]): Unit = {
    val expected = answers(events)
    Seq("parquet", "variant-shredded").foreach { format =>
      answers(read(format, path, keys)).zip(expected).zipWithIndex.foreach {
        case ((found, right), i) => assert(found === right, s"$format, query $i")
      }
    }
  }

  test("one key for the footer and all columns") {
    val plain = onlyFile(written(events, everything: _*))
    assert(magic(plain) === Seq("PAR1", "PAR1"))
    assert(Seq("secret-401", "stray-107", "left-107", "label-3").forall(text(plain).contains(_)))

    val path = written(events, everything ++ uniform: _*)
    val file = onlyFile(path)
    assert(magic(file) === Seq("PARE", "PARE"))
    assert(
      Seq("secret-", "stray-", "left-107", "label-", "typed_value").forall(!text(file).contains(_))
    )
    assertReadable(path, TestKeys.options("all"))
    // Without the key, by all ways in.
    Seq("parquet", "variant-shredded").foreach { format =>
      assert(
        messages(rows(read(format, path, TestKeys.options("other"))))
          .contains("the key 'all' is not for everybody"),
        format
      )
      assert(messages(rows(read(format, path, Nil))).contains("encrypted footer"), format)
    }
  }

  test("keys of columns, the rest by the footer's, and a footer that can be read") {
    val keys = columnKeys("; rest: v.value, n") ++ Seq(
      "parquet.encryption.complete.columns" -> "true",
      "parquet.encryption.plaintext.footer" -> "true"
    )
    val path = written(events, everything ++ keys: _*)
    val file = onlyFile(path)
    val (kind, encrypted) = encryption(file, keys)
    assert(kind === EncryptionType.PLAINTEXT_FOOTER)
    assert(encrypted.contains("v.typed_value.name.typed_value") && encrypted.contains("n"))
    assert(magic(file) === Seq("PAR1", "PAR1"))
    assert(Seq("secret-", "stray-", "left-107", "label-").forall(!text(file).contains(_)))
    assertReadable(path, TestKeys.options("footer", "names", "rest"))
  }

  test("a reader with some of the keys gets what they open, and an error for the rest") {
    val path = written(events, everything ++ columnKeys(""): _*)
    val file = onlyFile(path)
    // What is in no list is not encrypted: these are Parquet's rules.
    assert(!text(file).contains("secret-") && text(file).contains("left-107"))
    assertReadable(path, TestKeys.options("footer", "names"))
    val some = read("variant-shredded", path, TestKeys.options("footer"))
    assert(some.where("try_variant_get(v, '$.id', 'bigint') = 423").count() === 1)
    assert(some.selectExpr("sum(n)").head().getLong(0) === Rows.toLong * (Rows - 1) / 2)
    val denied = "the key 'names' is not for everybody"
    assert(messages(rows(some)).contains(denied))
    assert(
      messages(some.where("try_variant_get(v, '$.name', 'string') = 'secret-401'").count())
        .contains(denied)
    )
  }

  test("a key for a column that the file does not get is an error, and there is no file") {
    val path = newPath()
    val error = messages(
      writer(events, path, everything ++ columnKeys(", v.typed_value.nobody.typed_value"): _*)
        .save()
    )
    assert(error.contains("v.typed_value.nobody.typed_value] not in file schema"))
    assert(!Files.exists(path) || files(path).isEmpty)
  }

  test("a reader without the key of another column") {
    val keys = TestKeys.options("footer", "names") ++ Seq(
      "parquet.encryption.footer.key" -> "footer",
      "parquet.encryption.column.keys" -> "names: n"
    )
    val path = written(events, everything ++ keys: _*)
    val some = read("variant-shredded", path, TestKeys.options("footer"))
    val count = some.where("v:tags[0] IS NOT NULL").count()
    assert(count === Rows - Rows / 50)
    assert(some.selectExpr("count(v)").head().getLong(0) === Rows)
    assert(
      some.selectExpr("try_variant_get(v, '$.tags', 'array<string>')").collect().length === Rows
    )
  }

  test("a reader without the key of one column reads several splits of a file with keys for all") {
    val keys = TestKeys.options("footer", "numbers", "names") ++ Seq(
      "parquet.encryption.footer.key" -> "footer",
      "parquet.encryption.column.keys" -> "numbers: n; names: name",
      "parquet.block.row.count.limit" -> "1000",
      "compression" -> "none"
    )
    val data = spark.range(5000).selectExpr("id AS n", "concat('name-', id) AS name").coalesce(1)
    val path = written(data, keys: _*)
    assert(footerOf(onlyFile(path), keys).getBlocks.size === 5)
    withConf("spark.sql.files.maxPartitionBytes" -> "20000") {
      Seq("parquet", "variant-shredded").foreach { format =>
        val some = read(format, path, TestKeys.options("footer", "numbers"))
        val numbers = some.select("n")
        assert(numbers.rdd.getNumPartitions > 3, format)
        val found = numbers.collect().map(_.getLong(0)).toSeq.sorted
        assert(found === (0L until 5000L), format)
      }
    }
  }

  private val twoFields = (0 until 20).map(i => s"""{"a": $i, "b": "text-$i"}""")

  private def schemaOf(file: Path): String = {
    val schema = footerOf(file, uniform).getFileMetaData.getSchema
    ShreddingText.render(SpecLayoutReader.read(schema, Seq("v"), 200).root.schema)
  }

  test("an append of another type is refused, if the existing files have encrypted footers") {
    val path = written(events, uniform: _*)
    val other = json("1").selectExpr("n", "'text' AS v")
    val error = intercept[VariantShreddedException](writer(other, path, uniform: _*).save())
    assert(error.condition === "COLUMN_TYPE_MISMATCH")
    assert(rows(read("variant-shredded", path, uniform)).size === Rows)
  }

  test("like:PATH, and appends, take the schema of files with encrypted footers") {
    val path = written(json(twoFields: _*), uniform :+ ("shredding" -> "b string, c int"): _*)
    val schema = schemaOf(onlyFile(path))
    assert(schema === "b string, c int")
    val like = written(json(twoFields: _*), uniform :+ ("shredding" -> s"like:$path"): _*)
    assert(schemaOf(onlyFile(like)) === schema)

    val numbers = json((0 until 20).map(i => s"""{"a": $i}"""): _*)
    val given_ = written(numbers, uniform :+ ("shredding" -> "a int"): _*)
    val before = files(given_).toSet
    writer(numbers, given_, uniform: _*).save()
    val added = files(given_).filterNot(before).map(given_.resolve(_))
    // Inferred alone, it would be a type of another size.
    assert(added.map(schemaOf) === Seq("a int"))
  }
}

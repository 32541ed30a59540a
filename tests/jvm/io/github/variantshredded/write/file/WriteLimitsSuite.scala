package io.github.variantshredded.write.file

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.LocalParquet
import io.github.variantshredded.write.WriteSuite
import io.github.variantshredded.write.column.{ParquetSettings, RowGroupMemory}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataOutputStream, Path => HadoopPath, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable
import org.apache.parquet.column.values.bloomfilter.BloomFilter
import org.apache.parquet.io.api.Binary
import org.apache.spark.sql.functions._

/** What readers need of files, and what memory writing takes. */
class WriteLimitsSuite extends WriteSuite {

  private def bloomFilters(file: Path): Map[String, BloomFilter] = {
    val reader = LocalParquet.open(file)
    try
      reader.getFooter.getBlocks
        .get(0)
        .getColumns
        .asScala
        .flatMap(column =>
          Option(reader.readBloomFilter(column)).map(column.getPath.toDotString -> _)
        )
        .toMap
    finally reader.close()
  }

  private def events(count: Int) = json((0 until count).map { i =>
    s"""{"did": "d$i", "a.b": {"c": $i}, "tags": ["t$i"], "ok": ${i % 2 == 0}}"""
  }: _*)

  test("bloom filters on chosen paths, as small as their values allow") {
    val paths = "$.did, $['a.b'].c, $.tags, $.ok, $.nowhere"
    val found = bloomFilters(onlyFile(written(events(500), "bloomFilter" -> paths)))
    val did = "v.typed_value.did.typed_value"
    val c = "v.typed_value.a.b.typed_value.c.typed_value"
    val tags = "v.typed_value.tags.typed_value.list.element.typed_value"
    assert(found.keySet === Set(did, c, tags))
    def has(path: String, text: String) =
      found(path).findHash(found(path).hash(Binary.fromString(text)))
    assert((0 until 500).forall(i => has(did, s"d$i") && has(tags, s"t$i")))
    assert((500 until 1000).count(i => has(did, s"d$i")) < 50)
    assert((0 until 500).forall(i => found(c).findHash(found(c).hash(i.toLong))))
    assert(found.values.forall(_.getBitsetSize === 1024))
  }

  test("bloom filters on what is in arrays, and on odd names") {
    val df = json((0 until 500).map { i =>
      s"""{"a, $$.b": "x$i", "tags": ["t$i"], "list": [{"id": $i, "in": [["e$i"]]}]}"""
    }: _*)
    val paths =
      "$['a, $.b'], $.tags[*], $.list[*].id, $.list[*][\"in\"][*][*], $.list[*], $.tags[*].id"
    val found = bloomFilters(onlyFile(written(df, "bloomFilter" -> paths)))
    val list = "v.typed_value.list.typed_value.list.element.typed_value"
    val odd = "v.typed_value.a, $.b.typed_value"
    val in =
      s"$list.in.typed_value.list.element.typed_value.list.element.typed_value"
    val tags = "v.typed_value.tags.typed_value.list.element.typed_value"
    assert(found.keySet === Set(odd, tags, s"$list.id.typed_value", in))
    def has(path: String, text: String) =
      found(path).findHash(found(path).hash(Binary.fromString(text)))
    assert(
      (0 until 500).forall(i => has(odd, s"x$i") && has(tags, s"t$i") && has(in, s"e$i"))
    )
    assert((500 until 1000).count(i => has(in, s"e$i")) < 50)
  }

  test("bloom filters by column; Parquet's own option stays") {
    val df = events(10).select(col("n"), col("v"), struct(col("v").as("w")).as("s"))
    val found = bloomFilters(
      onlyFile(
        written(
          df,
          "bloomFilter" -> """{"v": "$.did", "S.w": "$.tags"}""",
          "parquet.bloom.filter.enabled#n" -> "true",
          "parquet.bloom.filter.enabled#v.typed_value.ok.typed_value" -> "true"
        )
      )
    )
    assert(
      found.keySet === Set(
        "n",
        "v.typed_value.did.typed_value",
        "s.w.typed_value.tags.typed_value.list.element.typed_value"
      )
    )
  }

  test("bloom filters that cannot be are refused when the query is planned") {
    val one = events(1)
    val two = one.withColumn("w", col("v"))
    def refused(options: (String, String)*)(df: org.apache.spark.sql.DataFrame) =
      intercept[VariantShreddedException](written(df, options: _*)).getMessage
    assert(
      refused("bloomFilter" -> "$.did", "shredding" -> """{"v": "id int"}""")(one) ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'bloomFilter' is '$.did', expected paths with a " +
        "typed column; '$.did' has none in 'v'."
    )
    assert(
      refused("bloomFilter" -> "did")(one) ===
        "[INVALID_VARIANT_SHREDDED_OPTION] Option 'bloomFilter' is 'did', expected a " +
        "comma-separated list of paths, such as $.a.b, $['odd name']; at character 1: expected '$', found 'd'."
    )
    assert(refused("bloomFilter" -> "$.a[0]")(one).contains("at character 5: expected a name"))
    assert(
      refused("bloomFilter" -> "$.tags[*].a", "shredding" -> """{"v": "tags array<string>"}""")(one)
        .contains("'$.tags[*].a' has none in 'v'")
    )
    assert(refused("bloomFilter" -> "$.did")(two).contains("as there are 2 Variant columns"))
    assert(
      refused("bloomFilter" -> """{"x": "$.did"}""")(two)
        .contains("a JSON object from Variant columns to paths; 'x' is none of 'v', 'w'.")
    )
    assert(
      refused("bloomFilter" -> """{"v": 1}""")(two).contains("the value of 'v' is not a string")
    )
    assert(
      refused("bloomFilter" -> """{"v": "$.did", "V": "$.ok"}""")(two).contains("each column once")
    )
    assert(
      refused("bloomFilter" -> """{"v": "$.did", "v": "$.ok"}""")(two).contains("Duplicate field")
    )
  }

  test("row groups end near their target though Variants differ 1000-fold") {
    val target = 1 << 20
    val df = spark
      .range(0, 6000, 1, 1)
      .selectExpr(
        "cast(id AS int) AS n",
        """parse_json(to_json(named_struct('id', id, 'text', concat_ws('', transform(
          |sequence(1, if(id % 40 = 39, 2000, 2)), i -> sha2(concat(id, ':', i), 256)))))) AS v""".stripMargin
      )
    val options = Seq("parquet.block.size" -> target.toString, "compression" -> "none")
    Seq("infer", "none").foreach { shredding =>
      val blocks =
        footer(onlyFile(written(df, options :+ ("shredding" -> shredding): _*))).getBlocks.asScala
      val sizes = blocks.map(_.getTotalByteSize)
      assert(sizes.size > 5)
      assert(sizes.forall(_ < target + 300000), sizes)
      assert(sizes.init.forall(_ > target / 2), sizes)
      assert(blocks.map(_.getRowCount).sum === 6000)
    }
  }

  test("a Variant of 100 MB among small ones") {
    val df = spark
      .range(0, 6, 1, 1)
      .selectExpr(
        "cast(id AS int) AS n",
        "to_variant_object(named_struct('id', id, 'text', repeat('x', if(id = 3, 100000000, 3)))) AS v"
      )
    val file = onlyFile(written(df, "inferRows" -> "2", "parquet.block.size" -> "1000000"))
    assert(footer(file).getBlocks.asScala.map(_.getRowCount).toSeq === Seq(4, 2))
    val lengths = spark.read
      .format("variant-shredded")
      .load(file.toString)
      .selectExpr("length(variant_get(v, '$.text', 'string')) AS l", "n")
      .orderBy("n")
      .collect()
      .map(_.getInt(0))
    assert(lengths.toSeq === Seq(3, 3, 3, 100000000, 3, 3))
  }

  test("rows that all have new keys") {
    val rows = (0 until 3000).map { i =>
      (0 until 10).map(j => s""""k${i}_$j": $j""").mkString("{", ", ", s""", "id": $i}""")
    }
    Seq("infer", "none").foreach { shredding =>
      val path = written(json(rows: _*), "shredding" -> shredding)
      val leaves = footer(onlyFile(path)).getFileMetaData.getSchema.getColumns.size
      assert(leaves < 20)
      val read = spark.read.format("variant-shredded").load(path.toString).orderBy("n")
      val texts = read.selectExpr("to_json(v)").collect().map(_.getString(0)).toSeq
      val expected = json(rows: _*).orderBy("n").selectExpr("to_json(v)").collect()
      assert(texts === expected.map(_.getString(0)).toSeq)
    }
  }

  test("however many partitions there are, a task has one file open") {
    spark.sparkContext.hadoopConfiguration
      .set("fs.counting.impl", classOf[CountingFileSystem].getName)
    CountingFileSystem.maxOpen.set(0)
    CountingFileSystem.opened.set(0)
    val path = newPath()
    val df = spark
      .range(0, 600, 1, 1)
      .selectExpr("id * 7919 % 150 AS p", "cast(id AS int) AS n", "parse_json('{\"a\": 1}') AS v")
    df.write
      .format("variant-shredded")
      .partitionBy("p")
      .save(s"counting://${path.toUri.getPath}")
    assert(files(path).size === 150)
    assert(CountingFileSystem.opened.get >= 150)
    assert(CountingFileSystem.maxOpen.get === 1)
  }

  test("files that are written at the same time share the heap") {
    val settings =
      ParquetSettings(new Configuration(false)).copy(rowGroupSize = 100, minRowGroupSize = 30)
    val memory = new RowGroupMemory(200)
    val first = memory.acquire(settings.copy(memoryRatio = 1f))
    assert(first.bytes === 100)
    val more = Seq.fill(3)(memory.acquire(settings.copy(memoryRatio = 1f)))
    assert((first +: more).map(_.bytes) === Seq.fill(4)(50))
    val most = Seq.fill(6)(memory.acquire(settings.copy(memoryRatio = 1f)))
    assert((first +: (more ++ most)).forall(_.bytes === 30))
    (more ++ most).foreach(_.release())
    assert(first.bytes === 100)
  }
}

/** The local file system under the scheme `counting`; knows how many files are being written. */
class CountingFileSystem extends RawLocalFileSystem {
  import CountingFileSystem._

  override def getScheme: String = "counting"

  override def getUri: java.net.URI = java.net.URI.create("counting:///")

  override def create(
      path: HadoopPath,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val out = super.create(path, overwrite, bufferSize, replication, blockSize, progress)
    opened.incrementAndGet()
    val now = current.incrementAndGet()
    maxOpen.accumulateAndGet(now, (a, b) => math.max(a, b))
    new FSDataOutputStream(out, null) {
      override def close(): Unit = {
        current.decrementAndGet()
        super.close()
      }
    }
  }
}

object CountingFileSystem {
  private val current = new AtomicInteger
  val opened: AtomicInteger = new AtomicInteger
  val maxOpen: AtomicInteger = new AtomicInteger
}

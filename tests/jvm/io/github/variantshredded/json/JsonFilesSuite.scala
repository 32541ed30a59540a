package io.github.variantshredded.json

import java.io.{ByteArrayOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger
import java.util.zip.GZIPOutputStream

import scala.jdk.CollectionConverters._

import com.github.luben.zstd.ZstdOutputStream
import io.github.variantshredded.VariantJsonSource
import io.github.variantshredded.errors.{
  ErrorLocation,
  VariantShreddedErrors,
  VariantShreddedException
}
import io.github.variantshredded.read.file.CountedFiles
import io.github.variantshredded.spark.PathPatterns
import io.github.variantshredded.testing.{PathSuite, Settings}
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}
import org.apache.hadoop.io.compress.GzipCodec
import org.apache.spark.sql.{DataFrame, DataFrameReader, Row}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** `spark.read.format("variant-shredded-json")`: files of JSON whose values are Variants. */
class JsonFilesSuite extends PathSuite {

  private def files(contents: (String, String)*): String = {
    val directory = Path.of(newPath())
    contents.foreach { case (name, text) =>
      val file = directory.resolve(name)
      Files.createDirectories(file.getParent)
      Files.write(file, compressed(name, text.getBytes(UTF_8)))
    }
    directory.toString
  }

  private def compressed(name: String, bytes: Array[Byte]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val stream: OutputStream = name.split('.').last match {
      case "gz"  => new GZIPOutputStream(out)
      case "zst" => new ZstdOutputStream(out)
      case _     => out
    }
    stream.write(bytes)
    stream.close()
    out.toByteArray
  }

  private def json: DataFrameReader = spark.read.format("variant-shredded-json")

  private def values(df: DataFrame): Seq[String] =
    df.selectExpr("to_json(v)").collect().map(_.getString(0)).toSeq

  private def error(action: => Any): VariantShreddedException = {
    def cause(e: Throwable): VariantShreddedException = e match {
      case ours: VariantShreddedException  => ours
      case other if other.getCause != null => cause(other.getCause)
      case other                           => fail("another error", other)
    }
    cause(intercept[Exception](action))
  }

  private val lines = (0 until 200).map { i =>
    s"""{"list":[$i,{"a":null}],"n":$i,"text":"${"]},{[\\\"" * (i % 7)}ä"}"""
  }

  test("lines, arrays and values, however a file is cut into parts") {
    val forms = Seq(
      lines.mkString("\n"),
      lines.mkString("", "\r\n", "\r\n"),
      lines.mkString("\n \n", "\n\n", "\n"),
      lines.mkString("[\n", ",\n", "\n]\n"),
      lines.mkString("  [", ",", "]"),
      lines.map(_.replace("\"text\"", "\n \"text\"").replaceFirst("\\{", "{\n")).mkString("\n"),
      "\ufeff" + lines.mkString("\n"),
      "\ufeff" + lines.mkString("[", ",\n", "]")
    )
    forms.foreach { text =>
      Seq("json", "gz", "zst").foreach { suffix =>
        val path = files(s"a.$suffix" -> text)
        Seq("128m", "1000", "37").foreach { size =>
          val found = Settings.within(
            spark,
            "spark.sql.files.maxPartitionBytes" -> size,
            "spark.sql.files.openCostInBytes" -> "1"
          )(values(json.load(path)))
          assert(found.sorted === lines.sorted, s"$suffix, $size: ${text.take(20)}")
        }
      }
    }
  }

  test("the same Variants as parse_json makes") {
    val texts = Seq(
      "1",
      "-0.0",
      "12.50",
      "1e3",
      "123456789012345678901234567890.12",
      "1E400",
      "null",
      " \"te\\u00e4xt\" ",
      "[]",
      "{\"b\":1,\"a\":[true,{}]}",
      "{\"\\ud83d\\ude00\":\"\\/\"}"
    )
    val path = files("a.json" -> texts.mkString("\n"))
    val expected = spark
      .createDataFrame(texts.map(Tuple1(_)))
      .selectExpr("schema_of_variant(parse_json(_1))", "to_json(parse_json(_1))")
    val found = json.load(path).selectExpr("schema_of_variant(v)", "to_json(v)")
    assert(found.collect().map(_.toString).sorted === expected.collect().map(_.toString).sorted)
  }

  test("many files, directories that are columns, files of other forms side by side") {
    val path = files(
      (0 until 50).map(i => s"day=${i % 2}/$i.json" -> s"""{"n":$i}""") ++ Seq(
        "day=0/array.json" -> """[{"n":50},{"n":51}]""",
        "day=1/lines.json.gz" -> "{\"n\":52}\n{\"n\":53}",
        "day=1/empty.json" -> "",
        "day=1/blank.json" -> " \n\n",
        "day=1/none.json" -> " [ ] ",
        "day=1/_hidden.json" -> "no"
      ): _*
    )
    val read = json.load(path)
    assert(read.schema.simpleString === "struct<v:variant,day:int>")
    assert(values(read).sorted === (0 until 54).map(i => s"""{"n":$i}""").sorted)
    assert(read.count() === 54)
    assert(read.where("day = 0").selectExpr("sum(v:n::int)").head().getLong(0) === 600 + 101)
    assert(json.option("column", "doc").load(path).columns.toSeq === Seq("doc", "day"))
    val clash = error(json.option("column", "DAY").load(path))
    assert(clash.getMessage.contains("Option 'column' is 'DAY', expected another name than"))
  }

  test("a text that is not JSON ends the read with its file and its line, in every part") {
    Seq(1, 2, 57, 200).foreach { number =>
      val bad = lines.updated(number - 1, """{"n": nope}""")
      Seq("a.json" -> "\n", "b.json" -> "\r\n", "c.gz" -> "\n").foreach { case (name, end) =>
        val path = files(name -> bad.mkString(end))
        Seq("128m", "300").foreach { size =>
          val e = Settings.within(spark, "spark.sql.files.maxPartitionBytes" -> size)(
            error(json.load(path).collect())
          )
          assert(e.condition === "MALFORMED_JSON")
          assert(e.getMessage.startsWith("[MALFORMED_JSON] The text '{\"n\": nope}"))
          assert(e.getMessage.contains("is not JSON: Unrecognized token 'nope'"))
          assert(e.getMessage.contains("malformed=\"keep\""))
          assert(e.getMessage.endsWith(s"/$name, line=$number)"))
        }
      }
    }
  }

  test("what is wrong with a text") {
    def message(text: String) = error(json.load(files("a.json" -> text)).collect()).getMessage
    assert(message("{\"a\":1}\n{\"a\":1} 2\n").contains("Text follows the first JSON value in it."))
    assert(message("{\"a\":1}\n{\"a\":1} 2\n").contains("line=2)"))
    assert(message("{\"a\":1,\"a\":2}").contains("VARIANT_DUPLICATE_KEY"))
    assert(message("[{\"a\":1},\n{\"a\":2}").contains("The array has no end."))
    assert(message("[{\"a\":1},\n\n]").contains("'' is not JSON"))
    assert(message("[1,\n2]\n\n{}").contains("'{}' is not JSON: It follows the end of the array."))
    assert(message("[1,\n2]\n\n{}").contains("line=4)"))
    assert(message("[1,\n\n{\"a\" 2}]").contains("line=3)"))
    assert(message("x" * 1000).contains("x" * 200 + "...'"))
    assert(message("\u0000\u0001").contains("is not JSON"))
  }

  test("a value whose Variant would be too large") {
    val strings = 1 + 128 * 1024 * 1024 / 1000000
    val large = Seq.fill(strings)("\"" + "x" * 1000000 + "\"").mkString("{\"a\":[", ",", "]}")
    val path = files("a.json" -> s"1\n$large\n2")
    val e = error(json.load(path).collect())
    assert(e.condition === "VARIANT_SIZE_LIMIT")
    assert(e.getMessage.contains("x...' is JSON, but its Variant would be larger than 134217728"))
    assert(e.getMessage.contains("malformed=\"keep\""))
    assert(e.getMessage.endsWith("/a.json, line=2)"))
    val kept = json.option("malformed", "keep").load(path)
    val found = kept.selectExpr("to_json(v)", "length(_corrupt_record)").collect().toSeq
    assert(found === Seq(Row("1", null), Row(null, large.length), Row("2", null)))
  }

  test("the error of a text that is too long for memory recommends nothing that does not help") {
    val message = VariantShreddedErrors.jsonTextTooLong(7, ErrorLocation(line = Some(3))).getMessage
    assert(message.startsWith("[VARIANT_SIZE_LIMIT] A text has more than 7 bytes"))
    assert(!message.contains("malformed"))
    assert(message.endsWith("(line=3)"))
  }

  test("malformed=null and malformed=keep") {
    val path = files(
      "a.json" -> "{\"a\":1}\nnope\n[1,2\n\"x\"",
      "b.json" -> "[{\"a\":2}, {\"b\" 1}, {\"a\":3}] more",
      "c.json" -> "[{\"a\":4}, {\"a\":"
    )
    val read = json.option("malformed", "null").load(path)
    assert(read.count() === 10)
    assert(
      values(read.where("v is not null")).sorted === Seq(
        "\"x\"",
        "{\"a\":1}",
        "{\"a\":2}",
        "{\"a\":3}",
        "{\"a\":4}"
      )
    )
    val kept = json.option("malformed", "keep").option("malformedColumn", "bad").load(path)
    assert(kept.schema.simpleString === "struct<v:variant,bad:string>")
    assert(
      kept.where("v is null").select("bad").collect().map(_.getString(0)).sorted.toSeq === Seq(
        "[1,2",
        "more",
        "nope",
        "{\"a\":",
        "{\"b\" 1}"
      )
    )
    assert(kept.where("v is not null and bad is not null").count() === 0)
    assert(kept.select("bad").where("bad is null").count() === 5)
  }

  test("the Variant column may have the name of the column for texts that are not JSON") {
    val path = files("a.json" -> "{\"a\":1}")
    val named = json.option("column", "_corrupt_record")
    assert(
      named.load(path).selectExpr("to_json(_corrupt_record)").collect().toSeq.map(_.getString(0))
        === Seq("{\"a\":1}")
    )
    val bad = files("a.json" -> "{\"a\":1}\nnope")
    val asNull = named.option("malformed", "null").load(bad)
    assert(asNull.where("_corrupt_record IS NULL").count() === 1)
    assert(asNull.where("_corrupt_record:a::int = 1").count() === 1)
  }

  private def keptIn(path: String): Seq[String] =
    json
      .option("malformed", "keep")
      .load(path)
      .where("v IS NULL")
      .collect()
      .toSeq
      .map(_.getString(1))

  test("all that follows the end of an array is kept, line by line; what is in no array too") {
    val path = files("a.json" -> "[\n{\"a\":1}\n]\n[\n{\"a\":2},\n\n{\"a\":3}\n]\n")
    assert(keptIn(path) === Seq("[", "{\"a\":2},", "{\"a\":3}", "]"))
    val two = files("a.json" -> "{\"a\":1}\n{\"a\":2}\n\n{\"a\":3}")
    val read = json.option("malformed", "keep").option("records", "array").load(two)
    assert(read.where("v IS NULL").count() === 3)
    val e = error(json.option("records", "array").load(two).collect())
    assert(e.getMessage.contains("It is not in an array.") && e.getMessage.contains("line=1)"))
  }

  test("a kept text has no half of a line break") {
    val path = files("a.json" -> "{\"a\":1}\r\nnope\r\nnope", "b.json" -> "[1]\r\nnope\r\n")
    assert(keptIn(path) === Seq("nope", "nope", "nope"))
  }

  test("lines that are arrays, however long the first one is") {
    val line = (0 until 20000).mkString("[", ",", "]")
    val exact = "[" + " " * ((1 << 16) - 4) + "1]"
    Seq(
      Seq.fill(3)(line) -> 3L,
      Seq(exact, "[2]") -> 2L,
      Seq(exact + " ", "[2]") -> 2L,
      Seq(line) -> 20000L,
      Seq(line.stripSuffix("]"), "]", "") -> 20000L
    ).foreach { case (texts, expected) =>
      val path = files("a.json" -> texts.mkString("\n"))
      Seq("128m", "20000").foreach { size =>
        Settings.within(spark, "spark.sql.files.maxPartitionBytes" -> size)(
          assert(json.load(path).count() === expected)
        )
      }
    }
  }

  test("ignoreCorruptFiles is about files that cannot be decompressed") {
    val path = files("a.json" -> "{\"a\":1}\nnope\n{\"a\":2}\n")
    val tolerant = json.option("ignoreCorruptFiles", "true")
    assert(error(tolerant.load(path).collect()).condition === "MALFORMED_JSON")
    val cut = files("a.json.gz" -> lines.mkString("\n"), "b.json" -> "1")
    val file = Path.of(cut, "a.json.gz")
    Files.write(file, Files.readAllBytes(file).dropRight(40))
    intercept[Exception](json.load(cut).collect())
    val found = values(tolerant.load(cut))
    assert(found.contains("1") && found.size <= 200)
  }

  test("bytes that are not UTF-8 are malformed, and malformed=keep keeps them") {
    val odd = Array('"'.toByte, 0xc3.toByte, 0x28.toByte, '"'.toByte)
    val path = files("a.json" -> "1\n\"\ufffd\"\n")
    Seq("b.json" -> odd, "c.json" -> ("[1, ".getBytes(UTF_8) ++ odd :+ ']'.toByte)).foreach {
      case (name, bytes) => Files.write(Path.of(path, name), bytes)
    }
    val e = error(json.load(path + "/b.json").collect())
    assert(e.condition === "MALFORMED_JSON")
    assert(e.getMessage.contains("is not JSON: Its bytes are not UTF-8."))
    assert(e.getMessage.endsWith("/b.json, line=1)"))
    val kept = json.option("malformed", "keep").option("malformedColumn", "bad").load(path)
    assert(values(kept.where("v is not null")).sorted === Seq("\"\ufffd\"", "1", "1"))
    val texts = kept.where("v is null").selectExpr("cast(bad as binary)").collect()
    assert(texts.map(_.getAs[Array[Byte]](0).toSeq).toSeq === Seq(odd.toSeq, odd.toSeq))
  }

  test("unpaired surrogates are malformed, whatever Spark makes of them") {
    val odd = Seq("{\"a\":1,\"\\ud83d\":2}", "[\"\\uDE00\\ud83d\"]", "\"x\\uDfffy\"")
    val whole = "{\"\\ud83d\\uDE00\":\"\\\\ud83d\"}"
    val path = files("a.json" -> (odd :+ whole).mkString("\n"))
    val e = error(json.load(path).collect())
    assert(e.condition === "MALFORMED_JSON")
    assert(e.getMessage.contains("is not JSON: It has an escape of an unpaired surrogate"))
    val kept = json.option("malformed", "keep").option("malformedColumn", "bad").load(path)
    assert(values(kept.where("v is not null")) === Seq("{\"\ud83d\ude00\":\"\\\\ud83d\"}"))
    assert(kept.where("v is null").select("bad").collect().map(_.getString(0)).toSeq === odd)
  }

  test("an error of a text is not hidden in another error of a file") {
    val path = files("a.json" -> "{\"a\":1}\nnope\n")
    val e = intercept[VariantShreddedException](json.load(path).collect())
    assert(e.condition === "MALFORMED_JSON")
  }

  test("a directory that a stream has written has the rows that its log names") {
    val (from, to) = (newPath(), newPath())
    spark.range(3).write.parquet(from)
    val stream = spark.readStream.schema("id bigint").parquet(from)
    writeStream(stream, to, newPath(), format = "json")
    Files.write(Path.of(to, "part-of-a-failed-attempt.json"), "{\"id\":7}\n".getBytes(UTF_8))
    val expected = Seq(0, 1, 2).map(id => s"{\"id\":$id}")
    assert(values(json.load(to)).sorted === expected)
  }

  test("a query lists the files once") {
    val path = files("day=0/a.json" -> "1", "day=1/b.json" -> "2")
    val listed = CountedFiles.listedDuring {
      val read = json.options(CountedFiles.settings).load(s"${CountedFiles.Scheme}:$path")
      assert(values(read).sorted === Seq("1", "2"))
    }
    assert(
      listed.map(_.getName).toSet === Set(Path.of(path).getFileName.toString, "day=0", "day=1")
    )
    assert(listed.size === 3)
  }

  test("a pattern leaves out the files of jobs that have not ended") {
    val path = files("a.json" -> "1", "_temporary/0/task_1/a.json" -> "2")
    assert(values(json.load(s"$path/*")) === Seq("1"))
  }

  test("a plan names the first path, and the number of the others") {
    val path = files("a.json" -> "1", "b.json" -> "2", "c.json" -> "3")
    val read = json.load(Seq("a", "b", "c").map(name => s"$path/$name.json"): _*)
    val nodes = read.queryExecution.executedPlan.collectLeaves().map(_.nodeName)
    assert(nodes === Seq(s"BatchScan JSON $path/a.json and 2 more"))
  }

  test("one instance of the format gives each read the table of its own files") {
    def options(path: String) = Map("path" -> path).asJava
    val source = new VariantJsonSource
    val (one, two) = (options(files("a.json" -> "1")), options(files("k=1/a.json" -> "1")))
    val schema = source.inferSchema(new CaseInsensitiveStringMap(one))
    assert(source.getTable(schema, Array.empty, one).columns.map(_.name) === Array("v"))
    assert(source.getTable(schema, Array.empty, two).columns.map(_.name) === Array("v", "k"))
  }

  test("the codecs are made once for a query, not for each file") {
    val path = files((0 until 20).map(i => s"$i.json" -> s"$i"): _*)
    val read = json.option("io.compression.codecs", classOf[CountedCodec].getName).load(path)
    CountedCodec.made.set(0)
    assert(read.queryExecution.toRdd.getNumPartitions > 0)
    assert(CountedCodec.made.get === 1)
  }

  test("the form can be given; a first line that is an array is then a value") {
    val path = files("a.json" -> "[1]")
    assert(values(json.load(path)) === Seq("1"))
    assert(values(json.option("records", "lines").load(path)) === Seq("[1]"))
    assert(values(json.load(files("a.json" -> "[1]\n[2]\n"))) === Seq("[1]", "[2]"))
    assert(values(json.load(files("a.json" -> "[[1]\n,[2]]\n"))) === Seq("[1]", "[2]"))
    assert(
      values(json.option("records", "values").load(files("a.json" -> "{\"a\":\n1}{} 7\n8"))) ===
        Seq("{\"a\":1}", "{}", "7", "8")
    )
  }

  test("a query that reads the same path twice, with other options or after a file was added") {
    def counted(reader: DataFrameReader, path: String) = reader.load(path).selectExpr("count(v)")
    def longs(df: DataFrame) = df.collect().map(_.getLong(0)).toSeq
    val path = files("a.json" -> "[1,2,3,4]\n")
    val asLines = counted(json.option("records", "lines"), path)
    val asArray = counted(json.option("records", "array"), path)
    assert(longs(asLines.union(asArray)) === Seq(1L, 4L))
    val bad = files("a.json" -> "1\nbad\n")
    val asNull = counted(json.option("malformed", "null"), bad)
    assert(longs(asNull.union(asNull)) === Seq(1L, 1L))
    error(asNull.union(counted(json, bad)).collect())
    val before = counted(json, path)
    val _ = Files.write(Path.of(path, "b.json"), "5\n6\n".getBytes(UTF_8))
    assert(longs(before.union(counted(json, path))) === Seq(4L, 6L))
  }

  test("options that are wrong, and paths that are not there") {
    val path = files("a.json" -> "1")
    def message(options: (String, String)*) =
      error(json.options(options.toMap).load(path)).getMessage
    assert(
      message("malformd" -> "keep").contains("Unknown option 'malformd'; did you mean 'malformed'?")
    )
    assert(message("malformed" -> "drop").contains("expected one of fail, null, keep"))
    assert(message("records" -> "csv").contains("expected one of auto, lines, array, values"))
    assert(message("malformedColumn" -> "x").contains("malformed=keep"))
    assert(message("malformed" -> "keep", "malformedColumn" -> "V").contains("another name"))
    val none = intercept[org.apache.spark.sql.AnalysisException](json.load(path + "/none"))
    assert(none.getCondition === "PATH_NOT_FOUND")
  }

  test("options of other sources are refused with the names of those that there are") {
    val path = files("a.json" -> "1")
    val known = "column, malformed, malformedColumn, records, ignoreCorruptFiles, " +
      "ignoreMissingFiles, recursiveFileLookup, pathGlobFilter, modifiedAfter, modifiedBefore, " +
      "timeZone, basePath, ignoreInvalidPartitionPaths"
    Seq(
      "mode" -> "DROPMALFORMED",
      "multiLine" -> "true",
      "encoding" -> "UTF-16",
      "singleVariantColumn" -> "w",
      "columnNameOfCorruptRecord" -> "bad",
      "primitivesAsString" -> "true",
      "maxDepth" -> "1",
      "shredding" -> "none",
      "schema" -> "n INT"
    ).foreach { case (name, value) =>
      assert(
        error(json.option(name, value).load(path)).getMessage ===
          s"[INVALID_VARIANT_SHREDDED_OPTION] Unknown option '$name': the options of this format " +
          s"are $known."
      )
    }
    val passing = Seq("fs.my.option" -> "x", "TIMEZONE" -> "UTC", "basePath" -> path)
    assert(values(json.options(passing.toMap).load(path)) === Seq("1"))
    val zone = error(json.option("timeZone", "Nowhere").load(path)).getMessage
    assert(zone.contains("expected a time zone such as"))
  }

  test("a pattern that loses the columns of directories is refused") {
    val root = files("day=1/a.json" -> "1", "day=1/x=2.json" -> "2", "other/b.json" -> "3")
    Seq("*", "d*", "{other,day}*", "*/a.json", "[d]ay?1").foreach { pattern =>
      val message = error(json.load(s"$root/$pattern").collect()).getMessage
      assert(message.contains(s"such as file:$root/day=1, and so loses the column 'day'"))
      assert(message.contains(s"the directory above, file:$root, or set the option basePath"))
    }
    assert(values(json.load(s"$root/oth*")) === Seq("3"))
    Seq(s"$root/day=1/*", s"$root/day=1/{a,x}*", s"$root/day=1", s"$root/*/x=2.json").foreach {
      path => assert(json.option("basePath", root).load(path).columns.toSeq === Seq("v", "day"))
    }
    assert(values(json.load(s"$root/day=1/*")).sorted === Seq("1", "2"))
    assert(
      values(json.option("recursiveFileLookup", "true").load(s"$root/*")).sorted ===
        Seq("1", "2", "3")
    )
    assert(values(json.load(s"$root/day=1", s"$root/oth*")).sorted === Seq("1", "2", "3"))
  }

  test("a pattern whose first names have escapes, and a relative one") {
    val root = files("a[1]/x/a.json" -> "1", "a[1]/day=1/b.json" -> "2")
    val escaped = s"$root/a\\[1\\]"
    assert(values(json.load(s"$escaped/x*")) === Seq("1"))
    assert(error(json.load(s"$escaped/d*")).getMessage.contains("loses the column 'day'"))
    val relative = Path.of("").toAbsolutePath.relativize(Path.of(s"$root/a[1]/x").toRealPath())
    val pattern = relative.toString.replace("[", "\\[").replace("]", "\\]") + "/*"
    assert(values(json.load(pattern)) === Seq("1"))
    val here = spark.sparkContext.hadoopConfiguration
    val directory = FileSystem.getLocal(here).getWorkingDirectory
    Seq("*.json", "./a*/b", "{a,b}/c").foreach { pattern =>
      assert(PathPatterns.fixed(pattern, here) === directory)
    }
    assert(PathPatterns.fixed("a/b*", here) === new HadoopPath(directory, "a"))
  }

  test("files that Spark's listing leaves out are refused") {
    val hidden = files("a.json" -> "1", "_b.json" -> "2")
    assert(values(json.load(hidden)) === Seq("1"))
    val named = error(json.load(s"$hidden/_b.json").collect())
    assert(named.getMessage.contains("_b.json") && named.getMessage.contains("Rename it"))
    assert(values(json.load(s"$hidden/*")) === Seq("1"))
    val filtered = files("a.json" -> "1", "more/read.me" -> "x")
    assert(values(json.option("pathGlobFilter", "*.json").load(filtered)) === Seq("1"))
    val below = files("a.json" -> "1", "more/b.json" -> "2")
    val message = error(json.load(below).collect()).getMessage
    assert(message.contains("more/b.json") && message.contains("recursiveFileLookup"), message)
    assert(values(json.option("recursiveFileLookup", "true").load(below)).sorted === Seq("1", "2"))
  }
}

/** A codec that counts its instances. */
final class CountedCodec extends GzipCodec {
  CountedCodec.made.incrementAndGet(): Unit
}

object CountedCodec {
  val made = new AtomicInteger
}

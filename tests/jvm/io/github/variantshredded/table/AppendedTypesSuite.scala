package io.github.variantshredded.table

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{LocalParquet, PathSuite}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.DataFrame

/** Rows are added only to files that can be read together with them. */
class AppendedTypesSuite extends PathSuite {

  private def df(columns: String*): DataFrame = rows(0, 2).selectExpr(columns: _*)

  private def refused(rows: DataFrame, path: String, column: String, options: (String, String)*) = {
    val before = dataFiles(path)
    val error = intercept[VariantShreddedException] {
      writer(rows).options(options.toMap).mode("append").save(path)
    }
    assert(error.condition === "COLUMN_TYPE_MISMATCH")
    assert(error.location.column === Some(column))
    assert(error.getMessage.contains(before.head.split("/").last))
    assert(dataFiles(path) === before)
  }

  private val variants = Seq(
    "v" -> "v",
    "`v`.`w x`" -> "named_struct('w x', v) as v",
    "v.element" -> "array(v) as v",
    "v.value.a" -> "map('k', named_struct('a', v)) as v"
  )

  variants.foreach { case (path, variant) =>
    test(s"Variants where the files have something else, and the other way round, at $path") {
      val column = path.replace("`v`", "v")
      val other = variant.replace("v)", "to_json(v))").replaceAll("^v$", "to_json(v) as v")
      val (strings, mixed) = (written(df("n", other)), written(df("n", variant)))
      refused(df("n", variant), strings, column)
      refused(df("n", other), mixed, column)
      val options = Seq("reuseShredding" -> "false", "shredding" -> "none")
      refused(df("n", variant), strings, column, options.take(1): _*)
      refused(df("n", other), mixed, column, options: _*)
    }
  }

  test("lists and structs where the files have a Variant, and the other way round") {
    val variant = written(df("n", "v"))
    Seq("array(n)", "named_struct('a', n)", "map('a', n)", "cast('x' as binary)", "n").foreach {
      other =>
        refused(df("n", s"$other as v"), variant, "v")
        refused(df("n", "v"), written(df("n", s"$other as v")), "v")
    }
  }

  test("Variants in the earlier layout") {
    val path = newPath()
    writer(df("n", "v")).option("layout", "overview").save(path)
    refused(df("n", "to_json(v) as v"), path, "v")
    writer(df("n", "v")).mode("append").save(path)
    assert(numbers(reader.load(path)).size === 4)
  }

  test("lists whose elements have one field, in the legacy form of Spark") {
    withConf("spark.sql.parquet.writeLegacyFormat" -> "true") {
      Seq("array(named_struct('v', v))", "array(array(v))").foreach { list =>
        val rows = df("n", s"$list AS l")
        val path = written(rows)
        writer(rows).mode("append").save(path)
        val texts = reader.load(path).selectExpr("to_json(l)").collect().map(_.getString(0)).toSeq
        val wanted = rows.selectExpr("to_json(l)").collect().map(_.getString(0)).toSeq
        assert(texts.sorted === (wanted ++ wanted).sorted)
      }
    }
  }

  test("structs where the files have a Variant without annotation") {
    val overview = newPath()
    writer(df("n", "v")).option("layout", "overview").save(overview)
    refused(df("n", "named_struct('a', n) as v"), overview, "v")
    val plain = newPath()
    withConf("spark.sql.parquet.variant.annotateLogicalType.enabled" -> "false") {
      df("n", "v").write.parquet(plain)
    }
    refused(df("n", "named_struct('a', n) as v"), plain, "v")
    val structs = written(df("n", "named_struct('value', cast('x' as binary)) as v"))
    writer(df("n", "named_struct('value', cast('y' as binary), 'a', n) as v"))
      .mode("append")
      .save(structs)
    assert(reader.load(structs).count() === 4)
  }

  test("an overwrite of partitions beside others that have another type") {
    val path = newPath()
    writer(df("n", "n as p", "to_json(v) as v")).partitionBy("p").save(path)
    def overwrite(rows: DataFrame): Unit =
      writer(rows)
        .mode("overwrite")
        .option("partitionOverwriteMode", "dynamic")
        .partitionBy("p")
        .save(path)
    val before = dataFiles(path)
    val error = intercept[VariantShreddedException](overwrite(df("n", "5 as p", "v")))
    assert(error.condition === "COLUMN_TYPE_MISMATCH")
    assert(dataFiles(path) === before)
    // Both partitions are replaced, so that no strings are left.
    overwrite(df("n", "n as p", "v"))
    assert(numbers(reader.load(path)) === Seq(0, 1))
    overwrite(df("n", "5 as p", "v"))
    assert(reader.load(path).count() === 4)
  }

  test("newer files that are not Parquet, such as README.md, do not switch off the checks") {
    val path = newPath()
    def write(rows: DataFrame, mode: String, to: String, options: (String, String)*): Unit =
      writer(rows).options(options.toMap).mode(mode).partitionBy("day").save(to)
    write(df("n", "n as day", "v").coalesce(1), "append", path, "shredding" -> "n int")
    val before = dataFiles(path)
    val part = Files.readAllBytes(Path.of(path, before.head))
    Seq(
      "README.md" -> "about this table, and what is in it".getBytes,
      "manifest.json" -> "{}".getBytes,
      "cut.parquet" -> part.dropRight(20)
    ).foreach { case (name, bytes) =>
      val file = Files.write(Path.of(path, name), bytes)
      val later = FileTime.fromMillis(System.currentTimeMillis + 60000)
      Files.setLastModifiedTime(file, later): Unit
    }
    Seq("append" -> Nil, "overwrite" -> Seq("partitionOverwriteMode" -> "dynamic")).foreach {
      case (mode, options) =>
        val strings = df("n", "1 as day", "to_json(v) as v")
        val error =
          intercept[VariantShreddedException](write(strings, mode, path, options: _*))
        assert(error.condition === "COLUMN_TYPE_MISMATCH")
    }
    val like = newPath()
    write(df("n", "5 as day", "v").coalesce(1), "append", like, "shredding" -> s"like:$path")
    write(df("n", "5 as day", "v").coalesce(1), "append", path)
    val appended = dataFiles(path).filter(_.startsWith("day=5"))
    val files = Path.of(path, appended.head) +: Seq(onlyFile(like))
    files.foreach { file =>
      val reader = LocalParquet.open(file)
      val schema =
        try reader.getFileMetaData.getSchema
        finally reader.close()
      // Inference alone would choose a bigint.
      val number = schema.getType("v", "typed_value", "n", "typed_value").asPrimitiveType
      assert(number.getPrimitiveTypeName === PrimitiveTypeName.INT32)
    }
  }

  test("a new column, a missing one, and an overwrite are as ever") {
    val path = written(df("n", "to_json(v) as v"))
    writer(df("n", "v as w")).mode("append").save(path)
    writer(df("n")).mode("append").save(path)
    val merged = reader.option("mergeSchema", "true").load(path)
    assert(merged.count() === 6)
    assert(merged.where("w:n::int = n").count() === 2)
    writer(df("n", "v")).mode("overwrite").save(path)
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("names are compared as the session does") {
    val path = written(df("n", "to_json(v) as V"))
    refused(df("n", "v"), path, "v")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try writer(df("n", "v")).mode("append").save(path)
    finally spark.conf.unset("spark.sql.caseSensitive")
  }
}

package io.github.variantshredded.write.file

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.fault.{FaultFileSystem, Faults, Operation, Recording, Watcher}
import io.github.variantshredded.shredding.ShreddingText
import io.github.variantshredded.shredding.layout.SpecLayoutReader
import io.github.variantshredded.write.WriteSuite
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.schema.GroupType
import org.apache.spark.sql.DataFrame

/** Schemas that are taken from files: `like:PATH`, and appends. */
class ExistingLayoutSuite extends WriteSuite {

  private def events(fields: String, rows: Int = 20): DataFrame =
    spark.range(0, rows.toLong, 1, 1).selectExpr(s"parse_json(to_json(struct($fields))) AS v")

  private def schemaOf(file: Path, column: String*): String =
    ShreddingText.render(
      SpecLayoutReader.read(footer(file).getFileMetaData.getSchema, column, 200).root.schema
    )

  /** The schemas of the files, those written last at the end. */
  private def schemas(path: Path, column: String*): Seq[String] = {
    val names = if (column.isEmpty) Seq("v") else column
    files(path)
      .map(path.resolve(_))
      .sortBy(Files.getLastModifiedTime(_).toMillis)
      .map(schemaOf(_, names: _*))
  }

  // Times of files are compared, and some file systems keep seconds only.
  private def age(path: Path): Unit = files(path).map(path.resolve(_)).foreach { file =>
    val older = Files.getLastModifiedTime(file).toMillis - 10000
    val _ = Files.setLastModifiedTime(file, FileTime.fromMillis(older))
  }

  private def append(path: Path, df: DataFrame, options: (String, String)*): Seq[String] = {
    if (Files.exists(path)) age(path)
    writer(df, path, options: _*).save()
    schemas(path)
  }

  private def refused(df: DataFrame, options: (String, String)*): VariantShreddedException =
    intercept[VariantShreddedException](written(df, options: _*))

  test("like:PATH takes the schema of a file, of any writer's list and map names") {
    val df = spark
      .range(0, 10, 1, 1)
      .selectExpr(
        "id",
        "parse_json('{\"a\": 1}') AS v",
        "named_struct('W', parse_json('[1]')) AS s",
        "array(parse_json('{\"b\": 1}')) AS l",
        "map('k', parse_json('2')) AS m"
      )
    val given_ = """{"v": "a int, x uuid", "s.W": "array<smallint>",
                   | "l.element": "b string", "m.value": "bigint"}""".stripMargin
    Seq("false", "true").foreach { legacy =>
      withLegacyFormat(legacy) {
        val from = written(df, "shredding" -> given_)
        val path = written(df.withColumnRenamed("v", "V"), "shredding" -> s"like:$from")
        def columns(table: Path) = {
          val schema: GroupType = footer(onlyFile(table)).getFileMetaData.getSchema
          schema.getFields.asScala.toSeq
        }
        val (taken, original) = (columns(path), columns(from))
        assert(taken(1).asGroupType.getFields === original(1).asGroupType.getFields)
        assert(taken.drop(2) === original.drop(2))
      }
    }
  }

  private def withLegacyFormat(value: String)(test: => Unit): Unit = {
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", value)
    try test
    finally spark.conf.unset("spark.sql.parquet.writeLegacyFormat")
  }

  test("like:PATH for one column of several, and of Spark's own files") {
    val two = spark.range(3).selectExpr("parse_json('{\"a\": 1}') AS v", "parse_json('7') AS w")
    val from = newPath()
    two.write.parquet(from.toString)
    val path = written(two.coalesce(1), "shredding" -> s"""{"v": "like:$from"}""")
    assert(schemas(path, "w") === Seq("bigint"))
    assert(schemas(path, "v").forall(schema => schema == "variant" || schema == "a bigint"))
  }

  test("like:PATH refuses what is not there, with the reason") {
    val df = events("id AS a")
    val empty = Files.createDirectories(newPath())
    def reason(path: Path, frame: DataFrame = df) =
      refused(frame, "shredding" -> s"like:$path").reason
    def begin(path: Path) = s"Cannot use the shredding specification 'like:$path': "
    assert(reason(empty) === s"${begin(empty)}there is no file in '$empty'.")
    val missing = newPath()
    assert(reason(missing) === s"${begin(missing)}there is no file in '$missing'.")
    assert(refused(df, "shredding" -> "like:").reason.endsWith("there is no path after 'like:'."))
    val other = written(df.withColumnRenamed("v", "w"))
    assert(reason(other) === s"${begin(other)}the file file:${onlyFile(other)} has no column v.")
    val numbers = written(spark.range(3).selectExpr("id AS v").coalesce(1))
    assert(
      reason(numbers) ===
        s"${begin(numbers)}the column v of the file file:${onlyFile(numbers)} is no Variant."
    )
    val text = Files.createDirectories(newPath())
    Files.writeString(text.resolve("x.parquet"), "no Parquet"): Unit
    assert(reason(text).startsWith(s"${begin(text)}the files in '$text' cannot be read: "))
  }

  test("appends keep the schema where it fits") {
    val path = newPath()
    // In a twentieth of the rows: too few to begin with.
    val rare = "id AS a, if(id % 20 = 0, 'x', null) AS f"
    assert(append(path, events("id AS a, 'x' AS f")) === Seq("a bigint, f string"))
    assert(append(path, events(rare)).last === "a bigint, f string")
    assert(append(path, events(rare), "reuseShredding" -> "false").last === "a bigint")
    // The newest file is what counts.
    assert(append(path, events(rare)).last === "a bigint")
    assert(append(path, events("cast(id AS string) AS a, 'x' AS g")).last === "a string, g string")
    assert(append(path, events("id AS a"), "shredding" -> "a int").last === "a int")
    assert(append(path, events("id AS a")).last === "a int")
    assert(append(path, events("id AS a"), "shredding.pin" -> "$.a double").last === "a double")
  }

  test("a file without rows says nothing, unless there is no other") {
    val path = newPath()
    assert(append(path, events("id AS a"), "shredding" -> "a int") === Seq("a int"))
    assert(append(path, events("id AS a", 0), "shredding" -> "a string").last === "a string")
    assert(append(path, events("id AS a")).last === "a int")
    val empty = written(events("id AS a", 0), "shredding" -> "a tinyint")
    assert(append(newPath(), events("id AS a"), "shredding" -> s"like:$empty") === Seq("a tinyint"))
  }

  test("overwrites do not look at what they replace") {
    val path = newPath()
    append(path, events("id AS a"), "shredding" -> "a int, z string"): Unit
    writer(events("id AS a"), path).mode("overwrite").save()
    assert(schemas(path) === Seq("a bigint"))
  }

  test("an append to files that cannot be understood is an append") {
    val path = Files.createDirectories(newPath())
    Files.writeString(path.resolve("part-0.parquet"), "no Parquet"): Unit
    writer(events("id AS a"), path).save()
    val written = files(path).filterNot(_.toString == "part-0.parquet").map(path.resolve(_))
    assert(written.map(schemaOf(_, "v")) === Seq("a bigint"))
  }

  test("an append does not look at files that no reader returns") {
    val path = newPath()
    append(path, events("id AS a"), "shredding" -> "a int"): Unit
    val file = onlyFile(path)
    val below = Files.createDirectory(path.resolve("old"))
    // Newer than the file, and more than are opened.
    (0 until ExistingLayout.MaxCandidates).foreach(n =>
      Files.writeString(below.resolve(s"$n"), "x")
    )
    assert(schemaOf(file, "v") === "a int")
    writer(events("id AS a"), path).save()
    val added = path.toFile.list().map(path.resolve(_)).find { other =>
      other.toString.endsWith(".parquet") && other != file
    }
    assert(schemaOf(added.get, "v") === "a int")
    // Nor at those with other columns, which have been moved there.
    Files.delete(added.get)
    Files.move(file, below.resolve(file.getFileName))
    writer(events("id AS a").selectExpr("'text' AS v"), path).save()
    assert(spark.read.format("variant-shredded").load(path.toString).columns.toSeq === Seq("v"))
    val error = intercept[VariantShreddedException](writer(events("id AS a"), path).save())
    assert(error.condition === "COLUMN_TYPE_MISMATCH")
  }

  test("of many partitions the last names are looked at") {
    val path = newPath()
    val partitions = ExistingLayout.MaxDirectories + 20
    Seq("a int" -> (0 until 10), "a tinyint" -> (10 until partitions)).foreach {
      case (schema, numbers) =>
        val file = onlyFile(written(events("id AS a", 1), "shredding" -> schema))
        numbers.foreach { p =>
          val part = f"p=$p%04d"
          Files.createDirectories(path.resolve(part))
          val copy = Files.copy(file, path.resolve(part).resolve("x.parquet"))
          // Those that come first by name are the newest.
          Files.setLastModifiedTime(copy, FileTime.fromMillis(2000000000000L - p * 10000L)): Unit
        }
    }
    writer(events("id AS a", 1).selectExpr("v", "'9999' AS p"), path, "partitions" -> "p")
      .partitionBy("p")
      .save()
    assert(schemaOf(onlyFile(path.resolve("p=9999")), "v") === "a tinyint")
  }

  /** Makes directories of `levels` levels, each of the lowest ones with a file. */
  private def newTree(levels: Seq[Int]): Path = {
    val root = newPath()
    val names = levels.zipWithIndex.foldLeft(Seq("")) { case (above, (number, level)) =>
      above.flatMap(name => (0 until number).map(i => f"$name/l$level=$i%04d"))
    }
    names.foreach { name =>
      val directory = Files.createDirectories(Path.of(s"$root$name"))
      val _ = Files.writeString(directory.resolve("x.parquet"), "no Parquet")
    }
    root
  }

  private def listed(root: Path, watcher: Watcher): Unit = {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val conf = spark.sessionState.newHadoopConf()
    val path = new HadoopPath(s"${FaultFileSystem.Scheme}:$root")
    // None of the files is Parquet.
    Faults.watched(root.toString, watcher) {
      val _ = intercept[RuntimeException](ExistingLayout.newest(path, conf))
    }
  }

  test("directories beside each other are listed at the same time") {
    val both = new CountDownLatch(2)
    val lists = new AtomicInteger
    listed(
      newTree(Seq(40)),
      new Watcher {
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
          // After the root, and the last directory.
          if (operation.kind == "list" && lists.incrementAndGet() > 2) {
            both.countDown()
            assert(both.await(30, TimeUnit.SECONDS))
          }
          carryOut
        }
      }
    )
    assert(lists.get === 41)
  }

  test("of a tree of directories, the last ones of the lowest level are listed, each once") {
    val most = ExistingLayout.MaxDirectories
    val root = newTree(Seq(30, 24))
    val recording = new Recording
    listed(root, recording)
    val lists = recording.operations.filter(_.kind == "list").map(_.path.toUri.getPath)
    assert(lists.distinct.size === lists.size)
    val all = for {
      day <- 29 to 0 by -1
      hour <- "" +: (23 to 0 by -1).map(hour => f"/l1=$hour%04d")
    } yield f"$root/l0=$day%04d$hour"
    assert(lists.toSet === (root.toString +: all).take(most).toSet)
  }
}

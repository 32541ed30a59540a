package io.github.variantshredded.read.rebuild.plan

import java.nio.file.Files

import io.github.variantshredded.testing.SparkSuite

class ObjectShapesSuite extends SparkSuite {

  private val names = "abcdefghij".map(_.toString)

  // Every set of fields; some fields come only in some batches, some objects have a residual.
  private def json(id: Int): String = {
    val bits = if (id % 40 < 20) id / 3 else id / 3 & 0x155
    val fields = names.zipWithIndex.collect {
      case (name, i) if (bits >>> i & 1) == 1 =>
        val inner = Seq("\"p\":1").take(id & 1) ++ Seq(s"\"q\":\"$id\"").take(id >> 1 & 1)
        if (i % 3 == 0) s"\"$name\":${inner.mkString("{", ",", "}")}" else s"\"$name\":$id"
    }
    val extra = if (id % 7 == 0) Seq("\"Z\":null", "\"cc\":1.5") else Nil
    (fields ++ extra).mkString("{", ",", "}")
  }

  test("objects of many shapes, in batches of any size") {
    val session = spark
    import session.implicits._
    val folder = Files.createTempDirectory("shapes")
    val key = "spark.sql.parquet.columnarReaderBatchSize"
    try {
      val ids = 0 until 3072
      val schema = names.zipWithIndex
        .map { case (name, i) =>
          if (i % 3 == 0) s"$name struct<p bigint, q string>" else s"$name bigint"
        }
        .mkString(", ")
      val path = folder.resolve("t").toString
      ids
        .map(id => (id, json(id)))
        .toDF("id", "j")
        .coalesce(1)
        .selectExpr("id", "parse_json(j) AS v")
        .write
        .format("variant-shredded")
        .option("shredding", s"""{"v": "$schema"}""")
        .save(path)
      val expected =
        spark.read.parquet(path).selectExpr("id", "v").collect().map(_.toString).sorted.toSeq
      assert(expected.size == ids.size)
      Seq("1", "7", "20", "4096").foreach { size =>
        spark.conf.set(key, size)
        val found = spark.read.format("variant-shredded").load(path).collect()
        assert(found.map(_.toString).sorted.toSeq == expected, s"batches of $size")
      }
    } finally {
      spark.conf.unset(key)
      org.apache.commons.io.FileUtils.deleteDirectory(folder.toFile)
    }
  }

  // A list of objects with the same metadata, each with other fields. The extra names surround the
  // shredded ones, and two of them are in another order in UTF-8 than in UTF-16.
  private def mixedJson(row: Int): String = {
    val random = new scala.util.Random(row.toLong % 5)
    val extras = Seq("A", "ab", "bb", "cc", "z0", "z1", "z2", "z3", "z4", "\ue000", "\ud83d\ude00")
    val objects = (0 until 300).map { i =>
      val typed = Seq("a", "b", "c").filter(_ => random.nextBoolean()).map(n => s"\"$n\":$i")
      val nested =
        if (random.nextBoolean()) Seq(s"\"d\":{\"x\":$row,\"y$i\":[$i]}") else Nil
      val others = extras.filter(_ => random.nextInt(3) == 0).map { name =>
        if (random.nextBoolean()) s"\"$name\":\"$i\"" else s"\"$name\":{\"x\":[$i, null]}"
      }
      random.shuffle(typed ++ nested ++ others).mkString("{", ",", "}")
    }
    objects.mkString("[", ",", "]")
  }

  test("partially shredded objects of many shapes, with the same metadata") {
    val session = spark
    import session.implicits._
    val folder = Files.createTempDirectory("shapes")
    try {
      val path = folder.resolve("t").toString
      (0 until 40)
        .map(mixedJson)
        .toDF("j")
        .coalesce(1)
        .selectExpr("parse_json(j) AS v")
        .write
        .format("variant-shredded")
        .option(
          "shredding",
          """{"v": "array<struct<a bigint, b string, c bigint, d struct<x bigint>>>"}"""
        )
        .save(path)
      val expected = spark.read.parquet(path).collect().map(_.toString).sorted.toSeq
      val found = spark.read.format("variant-shredded").load(path).collect()
      assert(expected.size == 40 && found.map(_.toString).sorted.toSeq == expected)
    } finally org.apache.commons.io.FileUtils.deleteDirectory(folder.toFile)
  }
}

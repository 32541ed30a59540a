package io.github.variantshredded.takeover.reshred

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.delta.sql.DeltaSparkSessionExtension
import io.github.variantshredded.{VariantShreddedDelta, VariantShreddedExtensions}
import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.takeover.{DeltaExtension, DeltaTables}
import io.github.variantshredded.testing.Warnings
import org.apache.spark.sql.{DataFrame, SparkSession}

/** A session that has the catalog of Delta Lake and not its extension. */
class DeltaWithoutExtensionSuite extends DeltaTables {

  override protected def sessionSettings: Map[String, String] = super.sessionSettings +
    ("spark.sql.extensions" -> classOf[VariantShreddedExtensions].getName)

  /** Runs statements in a session that has the extension. */
  private def withExtension(statements: String*): Unit = {
    val without = spark
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try {
      val session =
        SparkSession.builder().withExtensions(new DeltaSparkSessionExtension).getOrCreate()
      statements.foreach(session.sql(_): Unit)
    } finally {
      SparkSession.setDefaultSession(without)
      SparkSession.setActiveSession(without)
    }
  }

  private def created(hasVectors: Boolean, deletes: Boolean = true): String = {
    val path = newPath()
    withExtension(
      s"CREATE TABLE delta.`$path` (id BIGINT, v VARIANT) USING delta TBLPROPERTIES " +
        "('delta.enableVariantShredding' = 'true', " +
        s"'delta.enableDeletionVectors' = '$hasVectors')",
      s"INSERT INTO delta.`$path` SELECT /*+ COALESCE(1) */ id, " +
        "parse_json(concat('{\"a\": ', id, '}')) FROM range(20)"
    )
    if (deletes) withExtension(s"DELETE FROM delta.`$path` WHERE id < 5")
    path
  }

  // By name, Delta Lake's tables cannot be read without the extension.
  private def read(path: String): DataFrame = spark.read.format("delta").load(path)

  private def reshred(path: String): DeltaReshredResult =
    VariantShreddedDelta.reshred(spark, path, Map.empty[String, String].asJava)

  private def warnings(body: => Unit): Seq[String] =
    Warnings.of(DeltaExtension.getClass.getName.stripSuffix("$"))(body)

  private def warned(query: => DataFrame): Seq[String] = warnings(query.collect(): Unit)

  private def log(path: String): Seq[String] =
    Using.resource(Files.list(Path.of(path, "_delta_log"))) {
      _.iterator.asScala.map(_.getFileName.toString).filter(_.endsWith(".json")).toSeq.sorted
    }

  test("reshred refuses a table that has deletion vectors, whose rows it would bring back") {
    val path = created(hasVectors = true)
    val before = log(path)
    val e = intercept[VariantShreddedException](reshred(path))
    assert(e.getMessage.contains("Add io.delta.sql.DeltaSparkSessionExtension to"), e.getMessage)
    assert(log(path) == before)
  }

  test("a query on a table with deletion vectors warns, once, that Spark returns deleted rows") {
    val path = created(hasVectors = true)
    // These are the rows that Spark returns, also without this source.
    assert(answer(read(path).selectExpr("count(*)")) == Seq("[20]"))
    val first = created(hasVectors = true)
    for (columns <- Seq("count(*)", "sum(v:a::int)")) {
      val found = warned(read(first).selectExpr(columns))
      assert(found.count(_.contains(first)) == (if (columns == "count(*)") 1 else 0), found)
      assert(found.forall(_.startsWith("The session does not have io.delta.sql.Delta")), found)
    }
    val other = created(hasVectors = true)
    read(other).createOrReplaceTempView("inner_rows")
    val found = warned(spark.sql("SELECT (SELECT max(v:a::int) FROM inner_rows)"))
    assert(found.count(_.contains(other)) == 1, found)
    assert(warned(read(created(hasVectors = false)).selectExpr("v:a")).isEmpty)
  }

  test("a write to this source leaves out deleted rows of Variants; only a later query warns") {
    for (takeOver <- Seq("parquet,delta", "parquet,delta,iceberg")) withConf(Setting -> takeOver) {
      val path = created(hasVectors = true)
      val target = newPath()
      assert(warnings(writer(read(path).select("v", "id")).save(target)).isEmpty)
      assert(reader.load(target).count() == 15)
      assert(warned(read(path).selectExpr("v:a::int")).count(_.contains(path)) == 1)
    }
  }

  test("a write warns of a table whose rows Spark reads") {
    val columns = Seq("id", "parse_json('1') AS w")
    for (setting <- Seq("parquet,delta", "parquet", "none")) withConf(Setting -> setting) {
      val path = created(hasVectors = true)
      val target = newPath()
      val found = warnings(writer(read(path).selectExpr(columns: _*)).save(target))
      assert(found.count(_.contains(path)) == 1, s"$setting: $found")
      assert(reader.load(target).count() == 20)
    }
    // The files that Delta Lake has chosen have no deletion vectors.
    val path = created(hasVectors = true, deletes = false)
    assert(warnings(writer(read(path).selectExpr(columns: _*)).save(newPath())).isEmpty)
  }

  test("reshred does not warn of a table without deleted rows, and a later query does") {
    val path = created(hasVectors = true, deletes = false)
    assert(warnings(reshred(path): Unit).isEmpty)
    withExtension(s"DELETE FROM delta.`$path` WHERE id < 5")
    assert(warned(read(path).selectExpr("v:a::int")).count(_.contains(path)) == 1)
  }

  test("reshred rewrites a table without deletion vectors") {
    assert(reshred(created(hasVectors = false)).rows == 15)
    assert(reshred(created(hasVectors = true, deletes = false)).rows == 20)
  }
}

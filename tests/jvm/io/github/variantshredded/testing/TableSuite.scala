package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** What suites of tables by name share. */
abstract class TableSuite extends PathSuite {

  /** Runs the test with the name of a table; what has that name is dropped afterwards. */
  protected def withTable(test: String => Unit): Unit = {
    val name = s"t_${java.util.UUID.randomUUID.toString.replace("-", "")}"
    try test(name)
    finally {
      Seq("VIEW", "TABLE").foreach { kind =>
        try spark.sql(s"DROP $kind IF EXISTS $name")
        catch { case _: org.apache.spark.sql.AnalysisException => () }
      }
    }
  }

  protected def warehouse: Path =
    Path.of(spark.conf.get("spark.sql.warehouse.dir").stripPrefix("file:"))

  /** The directory of a managed table. */
  protected def directory(table: String): Path = warehouse.resolve(table)

  /** Removes the directory of a managed table, as somebody might who does not know Spark. */
  protected def removeDirectory(table: String): Unit = {
    val all = Files.walk(directory(table))
    try all.iterator.asScala.toSeq.reverse.foreach(Files.delete)
    finally all.close()
  }

  /** Names in the warehouse and in the catalog that have the table's name in them. */
  protected def traces(table: String): Set[String] = {
    val directories = Files.list(warehouse).iterator.asScala.map(_.getFileName.toString).toSeq
    val tables = spark.sql("SHOW TABLES").collect().map(_.getString(1)).toSeq
    (directories ++ tables).filter(_.contains(table)).toSet
  }
}

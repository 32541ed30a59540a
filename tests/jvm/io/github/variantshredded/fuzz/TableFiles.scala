package io.github.variantshredded.fuzz

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.testing.{DataFiles, Settings}
import org.apache.commons.lang3.exception.ExceptionUtils
import org.apache.spark.SparkException
import org.apache.spark.sql.{DataFrame, Row, SparkSession}

/**
 * Where the rows of a table are.
 *
 * @param shredded
 *   the folder to be read by this source
 * @param plain
 *   the same rows, to be read by Spark's Parquet source
 * @param isReadBySpark
 *   whether Spark's Parquet source reads the shredded files too, and finds the same values
 * @param how
 *   how the files were written
 * @param problems
 *   what could not be written
 */
final case class WrittenTable(
    shredded: Path,
    plain: Path,
    isReadBySpark: Boolean,
    how: Vector[String],
    problems: Vector[String]
)

/**
 * Writes the rows of a table twice: in files of several random layouts, and in one that Spark reads
 * without shredding.
 */
final class TableFiles(spark: SparkSession, folder: Path) {

  private val counter = new AtomicInteger

  def write(table: FuzzTable, dice: Dice): WrittenTable = {
    val shredded = Files.createDirectories(folder.resolve(s"${table.name}-shredded"))
    val plain = Files.createDirectories(folder.resolve(s"${table.name}-plain"))
    val parts = split(table.rows, dice).map(_ -> WriteChoice.random(dice, table))
    val notes = parts.map { case (rows, choice) =>
      writePart(table, rows, choice, shredded, plain)
    }
    val isMisread = parts.exists {
      case (_, theirs: WriteChoice.BySpark) => theirs.isMisread
      case _                                => false
    }
    val isReadBySpark = !isMisread && readsBySpark(table, shredded)
    WrittenTable(shredded, plain, isReadBySpark, notes.map(_._1), notes.flatMap(_._2))
  }

  /** Spark does not read the earlier layout, nor nanoseconds, times and UUIDs. */
  private def readsBySpark(table: FuzzTable, files: Path): Boolean = Try {
    val bySpark = spark.read.option("variantShredded.takeOver", "false").schema(table.schema)
    bySpark.parquet(files.toString).write.format("noop").mode("overwrite").save()
  }.isSuccess

  private def split(rows: Vector[Row], dice: Dice): Vector[Vector[Row]] = {
    val parts = dice.weighted(4 -> 1, 3 -> 2, 2 -> 3, 1 -> 4)
    val size = math.max(1, (rows.size + parts - 1) / parts)
    if (rows.isEmpty) Vector(rows) else rows.grouped(size).toVector
  }

  private def writePart(
      table: FuzzTable,
      rows: Vector[Row],
      choice: WriteChoice,
      shredded: Path,
      plain: Path
  ): (String, Option[String]) = {
    val data = spark.createDataFrame(rows.asJava, table.schema).coalesce(1)
    def both(): Unit = {
      if (choice.isInstanceOf[WriteChoice.ByDuckDb]) rows.foreach(DuckDbFile.requireNames)
      val own = save(data, table, choice)
      val same = alike(own, data, table, choice)
      deliver(own, shredded)
      deliver(same, plain)
    }
    (Try(both()), choice) match {
      case (Failure(e: VariantShreddedException), ours: WriteChoice.Ours)
          if ours.hasPaths && e.condition == "INVALID_VARIANT_SHREDDED_OPTION" =>
        writePart(table, rows, ours.withoutPaths, shredded, plain)
      case (Success(()), _)    => (s"${rows.size} rows, $choice", None)
      case (Failure(error), _) =>
        // DuckDB cannot write everything, and Spark not read all that it has shredded itself.
        val problem = choice match {
          case _: WriteChoice.Ours => Some(s"${Answer.error(error)}; written with $choice")
          case _                   => None
        }
        val own = save(data, table, WriteChoice.unshredded)
        deliver(own, shredded)
        deliver(own, plain)
        (s"${rows.size} rows, unshredded since it failed: $choice: ${Answer.error(error)}", problem)
    }
  }

  /**
   * The rows of `own` without shredding.
   *
   * They are read from there where shredding may change them: a whole number in a column of decimals
   * becomes one.
   */
  private def alike(own: Path, data: DataFrame, table: FuzzTable, choice: WriteChoice): Path = {
    def copy(format: String) = {
      val read = spark.read.schema(table.schema).format(format).load(own.toString)
      save(read.coalesce(1), table, WriteChoice.unshredded)
    }
    choice match {
      case ours: WriteChoice.Ours if ours.mergesNumbers => copy("variant-shredded")
      case _: WriteChoice.Ours                          => save(data, table, WriteChoice.unshredded)
      case theirs: WriteChoice.BySpark if theirs.isMisread => copy("variant-shredded")
      case _: WriteChoice.BySpark                          => copy("parquet")
      case _: WriteChoice.ByDuckDb                         =>
        // Spark has no UUIDs, and DuckDB shreds them.
        try copy("parquet")
        catch {
          case e: SparkException if ExceptionUtils.getStackTrace(e).contains("(UUID)") =>
            copy("variant-shredded")
        }
    }
  }

  /** Writes to a folder of its own. */
  private def save(data: DataFrame, table: FuzzTable, choice: WriteChoice): Path = {
    val own = newFolder()
    choice match {
      case WriteChoice.ByDuckDb(shredding) =>
        val source = newFolder()
        saveBySpark(data, table, choice, source)
        Files.createDirectories(own)
        DataFiles.below(source).foreach { file =>
          DuckDbFile.rewrite(file, own.resolve(file.getFileName), shredding)
        }
      case _ => saveBySpark(data, table, choice, own)
    }
    own
  }

  private def deliver(own: Path, target: Path): Unit =
    DataFiles.below(own).foreach { file =>
      val relative = own.relativize(file)
      val to = target.resolve(relative).resolveSibling(s"${own.getFileName}-${file.getFileName}")
      Files.createDirectories(to.getParent)
      Files.copy(file, to)
    }

  private def newFolder(): Path = folder.resolve(s"part${counter.incrementAndGet()}")

  private def saveBySpark(
      data: DataFrame,
      table: FuzzTable,
      choice: WriteChoice,
      folder: Path
  ): Unit =
    Settings.within(spark, choice.settings.toSeq: _*) {
      val writer = data.write.format(choice.format).options(choice.options)
      table.partition.fold(writer)(writer.partitionBy(_)).save(folder.toString)
    }
}

package io.github.variantshredded.directory

import java.io.FileNotFoundException

import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.spark.TableInternals
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Literal}
import org.apache.spark.sql.catalyst.util.{CharVarcharCodegenUtils, CharVarcharUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Lists the names of the directories that hold the partitions of a table, such as `day=2024-01-01`.
 *
 * @param columns
 *   the partition columns, in the order of the directories
 */
private[variantshredded] final case class PartitionDirectories(
    columns: Seq[StructField],
    timeZone: String
) {

  def schema: StructType = StructType(columns)

  /**
   * Returns the values that the names stand for.
   *
   * @param names
   *   names of the directories between the table and a file or a directory
   * @return
   *   None if the names do not begin with a directory for each partition column, or if a value is
   *   not of its column's type
   */
  def values(names: Seq[String]): Option[InternalRow] = {
    val found = columns.zip(names).map { case (column, name) => value(column, name) }
    if (found.size < columns.size || found.contains(None)) None
    else Some(InternalRow.fromSeq(found.flatten.map(_.value)))
  }

  /** Returns the names with the columns in the letters in which the table declares them. */
  def named(names: Seq[String]): Seq[String] = columns.zip(names).map { case (column, name) =>
    ExternalCatalogUtils.escapePathName(column.name) + name.drop(name.indexOf('='))
  }

  /** Returns the value of one column; None if the directory is not one of this column. */
  def value(column: StructField, directory: String): Option[Literal] =
    directory.split("=", 2) match {
      case Array(key, text)
          if SQLConf.get.resolver(ExternalCatalogUtils.unescapePathName(key), column.name) =>
        if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME)
          Some(Literal(null, column.dataType))
        else {
          val unescaped = Literal(ExternalCatalogUtils.unescapePathName(text))
          Option(Cast(unescaped, column.dataType, Some(timeZone), EvalMode.TRY).eval())
            .map(value => Literal(padded(column, value), column.dataType))
        }
      case _ => None
    }

  /** Returns the value of one column as a key of maps: queries take -0.0 and 0.0 for the same. */
  private def key(column: StructField, directory: String): Option[Literal] =
    value(column, directory).map {
      case Literal(0.0, DoubleType) => Literal(0.0)
      case Literal(0.0f, FloatType) => Literal(0.0f)
      case other                    => other
    }

  // The lengths of columns of the type CHAR, a text for Spark, to which queries pad the values.
  private lazy val lengths: Map[String, Int] =
    if (SQLConf.get.charVarcharAsString || !SQLConf.get.readSideCharPadding) Map.empty
    else
      columns.flatMap { column =>
        CharVarcharUtils.getRawType(column.metadata).collect { case char: CharType =>
          column.name -> char.length
        }
      }.toMap

  private def padded(column: StructField, value: Any): Any = value match {
    case text: UTF8String =>
      lengths.get(column.name).fold(text)(CharVarcharCodegenUtils.readSidePadding(text, _))
    case other => other
  }

  /**
   * Returns the directories of partitions. A partition has several directories if its value is
   * written in several ways, such as `day=1` and `day=01`.
   *
   * @param partitions
   *   the names of the directories to which the rows of each partition are written
   */
  def sameAs(fs: FileSystem, root: Path, partitions: Seq[Seq[String]]): Seq[Path] = {
    val all = Seq(root -> partitions.filter(_.size == columns.size))
    columns
      .foldLeft(all) { (parents, column) =>
        val listed = ManyCalls.map(parents.map(_._1))(PartitionDirectories.list(fs, _))
        parents.zip(listed).flatMap { case ((_, wanted), entries) =>
          val byName = wanted.groupBy(_.head)
          val byValue = wanted.groupBy(names => key(column, names.head))
          def ofValue(name: String) = key(column, name).flatMap(found => byValue.get(Some(found)))
          for {
            entry <- entries if entry.isDirectory
            name = entry.getPath.getName
            same <- ofValue(name).orElse(byName.get(name)).toSeq
          } yield entry.getPath -> same.map(_.tail)
        }
      }
      .map(_._1)
  }

  /** Returns the part of a directory's name after `=` to which rows with the value are written. */
  def text(value: Literal): String =
    Option(Cast(value, StringType, Some(timeZone), EvalMode.LEGACY).eval()) match {
      case None       => ExternalCatalogUtils.DEFAULT_PARTITION_NAME
      case Some(text) => ExternalCatalogUtils.escapePathName(text.toString)
    }

  /**
   * Returns the names of the directories to which rows with these values are written.
   *
   * @throws org.apache.spark.sql.AnalysisException
   *   for empty values, which rows cannot have: they are written as null
   */
  def names(values: InternalRow): Seq[String] = {
    columns.indices.find(i => PartitionDirectories.isEmpty(valueAt(values, i))).foreach { i =>
      throw PartitionDirectories.emptyValue(columns(i).name)
    }
    ofRows(values)
  }

  /**
   * Returns the names of the directories to which rows with these values are written. Empty values
   * are written as null.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if readers would ignore a directory, or find another value in its name
   */
  def ofRows(values: InternalRow): Seq[String] = columns.zipWithIndex.map { case (column, i) =>
    val value = Some(valueAt(values, i)).filterNot(PartitionDirectories.isEmpty).orNull
    val literal = Literal(value, column.dataType)
    val directory = s"${ExternalCatalogUtils.escapePathName(column.name)}=${text(literal)}"
    HiddenNames.checkPartition(directory)
    checkReadBack(column, literal, directory)
    directory
  }

  private def valueAt(values: InternalRow, i: Int): Any =
    if (values.isNullAt(i)) null else values.get(i, columns(i).dataType)

  private def checkReadBack(column: StructField, written: Literal, directory: String): Unit = {
    def isReadBack = value(column, directory).contains(written)
    column.dataType match {
      case TimestampType if !isReadBack =>
        val utc = ExternalCatalogUtils.unescapePathName(copy(timeZone = "UTC").text(written))
        throw VariantShreddedErrors.unsupported(
          s"The time $utc (UTC) in the partition column '${column.name}'",
          s"Readers would take its directory '$directory' for another time: this local time " +
            s"occurs twice in the time zone $timeZone. Partition by a text or a TIMESTAMP_NTZ " +
            "instead. A new directory can also be written and read with the option timeZone=UTC, " +
            "and a new table can have it in its OPTIONS."
        )
      case _: StringType | BinaryType if !isReadBack =>
        throw VariantShreddedErrors.unsupported(
          s"A value of the partition column '${column.name}' whose directory is '$directory'",
          "Readers would find another value: the name stands for null, or the value is not UTF-8. " +
            "Change the value."
        )
      case _ => ()
    }
  }
}

private[variantshredded] object PartitionDirectories {

  /**
   * Returns the columns of the directories above the first data file below `root` that is not empty;
   * None if there is no such file. Parquet's summary files are no data files.
   *
   * Readers regard a directory as partitioned if one of its partitions has a file, whatever else it
   * contains.
   *
   * @param accepts
   *   returns false for a file that is left out
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE` if a directory is a table of another format: this is asked before writes
   */
  def columnsOf(
      fs: FileSystem,
      root: Path,
      accepts: FileStatus => Boolean = _ => true
  ): Option[Seq[String]] = {
    def mayHaveRows(file: FileStatus): Boolean =
      file.getLen > 0 && !HiddenNames.isSummary(file.getPath.getName) && accepts(file)
    def search(directory: Path, columns: Seq[String]): Option[Seq[String]] = {
      val all = list(fs, directory)
      OtherTables.refuse(directory, all)
      val entries = all.filterNot(entry => HiddenNames.hides(entry.getPath.getName))
      val (files, others) = entries.partition(_.isFile)
      others.iterator
        .filter(_.getPath.getName.contains("="))
        .flatMap { entry =>
          search(entry.getPath, columns :+ columnOf(entry.getPath.getName))
        }
        .nextOption()
        .orElse(Option.when(files.exists(mayHaveRows))(columns))
    }
    if (fs.exists(root) && fs.getFileStatus(root).isDirectory) search(root, Seq.empty) else None
  }

  /** Returns the name of the column of a directory such as `day=1`. */
  def columnOf(directory: String): String =
    ExternalCatalogUtils.unescapePathName(directory.takeWhile(_ != '='))

  private def list(fs: FileSystem, directory: Path): Seq[FileStatus] =
    try fs.listStatus(directory).toSeq
    catch { case _: FileNotFoundException => Nil } // It does not exist, or is deleted meanwhile.

  def isEmpty(value: Any): Boolean = value match {
    case text: UTF8String   => text.numBytes == 0
    case bytes: Array[Byte] => bytes.isEmpty
    case _                  => false
  }

  /** Returns whether a value is the name of the partition of nulls, which rows cannot have. */
  def isNameOfNull(value: Any): Boolean = value match {
    case text: UTF8String   => text == NameOfNull
    case bytes: Array[Byte] => UTF8String.fromBytes(bytes) == NameOfNull
    case _                  => false
  }

  private val NameOfNull = UTF8String.fromString(ExternalCatalogUtils.DEFAULT_PARTITION_NAME)

  // Rows with an empty value are written as rows with null, which the statement does not name.
  def emptyValue(column: String): Throwable =
    TableInternals.invalidPartition(
      s"The spec ([$column=]) contains an empty partition column value"
    )
}

package io.github.variantshredded.table

import io.github.variantshredded.directory.{HiddenNames, ManyCalls, PartitionDirectories}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.write.{DataFileChanges, PartitionFilter}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{
  NoSuchPartitionException,
  PartitionsAlreadyExistException
}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, EqualNullSafe, Literal}
import org.apache.spark.sql.classic
import org.apache.spark.sql.types.DataType

/**
 * Lists the partitions of a table by name, and runs the statements that change them.
 *
 * A partition is a directory: the listing of the table's directory says which partitions there are.
 * The partitions in Spark's or Hive's catalog play no part, so there is nothing to repair, and
 * rows are in a table as soon as their files are.
 *
 * @param table
 *   name of the table in errors
 * @param root
 *   directory of the table
 * @param listed
 *   lists the committed data files of the table
 * @param isShown
 *   whether the options of the table let readers see a file
 */
private[variantshredded] final class TablePartitions(
    session: classic.SparkSession,
    table: String,
    root: Path,
    conf: Configuration,
    directories: PartitionDirectories,
    listed: () => Seq[FileStatus],
    isShown: FileStatus => Boolean
) {
  import TablePartitions._

  private val fs = root.getFileSystem(conf)

  /** Returns all partitions, also those without files, sorted by their names. */
  def all: Seq[Partition] = having(Seq(new Values(Map.empty)))

  /** Returns the partitions that have these values in the columns `names`. */
  def find(names: Seq[String], values: InternalRow): Seq[Partition] =
    having(Seq(valuesOf(names, values)))

  def exists(values: InternalRow): Boolean = find(allNames, values).nonEmpty

  /** Returns the directories of a partition; more than one if a value is written in several ways. */
  def required(values: InternalRow): Seq[Partition] = {
    val found = find(allNames, values)
    if (found.isEmpty) throw new NoSuchPartitionException(table, values, directories.schema)
    found
  }

  /**
   * Creates the directories of partitions.
   *
   * @param partitions
   *   their values, and the locations that the statement declares
   */
  def create(partitions: Seq[(InternalRow, Option[String])]): Unit = {
    val created = partitions.map { case (values, location) =>
      val directory = directoryOf(values)
      location.foreach(checkLocation(_, directory))
      directory
    }
    DataFileChanges.create(session, root, conf, created)
  }

  private def checkLocation(location: String, directory: Path): Unit = {
    // A location without a file system is one in that of the table, and a relative one is below it.
    val declared = new Path(root, location)
    val path = declared.getFileSystem(conf).makeQualified(declared)
    if (path != directory)
      throw VariantShreddedErrors.unsupported(
        s"A partition outside the directory of its table, at '$path',",
        s"Move its files to '$directory', or INSERT their rows."
      )
  }

  /** Deletes partitions with their files. */
  def drop(partitions: Seq[InternalRow]): Unit = remove(partitions, keepsDirectories = false)

  /** Deletes the files of partitions, and keeps their directories. */
  def truncate(partitions: Seq[InternalRow]): Unit = remove(partitions, keepsDirectories = true)

  /** Deletes the partitions whose values meet a predicate. */
  def delete(predicate: InternalRow => Boolean): Unit =
    remove(predicate, all.filter(found => predicate(found.values)), keepsDirectories = false)

  /** Moves the files of a partition to the directory of another one, which does not exist yet. */
  def rename(from: InternalRow, to: InternalRow): Unit = {
    val old = required(from)
    DataFileChanges.move(session, root, conf)(
      {
        if (exists(to)) throw new PartitionsAlreadyExistException(table, to, directories.schema)
        filesOf(valuesOf(allNames, from).areIn)
      },
      directoryOf(to),
      old.map(_.path),
      isShown
    )
  }

  private def remove(partitions: Seq[InternalRow], keepsDirectories: Boolean): Unit = {
    val wanted = partitions.map(valuesOf(allNames, _))
    remove(values => wanted.exists(_.areIn(values)), having(wanted), keepsDirectories)
  }

  private def remove(
      predicate: InternalRow => Boolean,
      partitions: => Seq[Partition],
      keepsDirectories: Boolean
  ): Unit =
    DataFileChanges.remove(session, root, conf, keepsDirectories)(
      filesOf(predicate),
      partitions.map(_.path)
    )

  private def filesOf(predicate: InternalRow => Boolean): Seq[FileStatus] = listed().filter {
    file =>
      val path = file.getPath
      directories.values(PartitionFilter.directories(root, path)) match {
        case Some(values) => predicate(values)
        case None         => if (HiddenNames.isSummary(path.getName)) false else throw stray(path)
      }
  }

  private def stray(file: Path) = VariantShreddedErrors.unsupported(
    s"Deleting partitions of the table in '$root', whose file '$file' is in no partition,",
    "Move the file to the directory of a partition."
  )

  private def directoryOf(values: InternalRow): Path = {
    val named = directories.columns.zipWithIndex.map { case (column, i) =>
      valueAt(values, i, column.dataType)
    }
    directories.names(InternalRow.fromSeq(named)).foldLeft(root)(new Path(_, _))
  }

  /** Returns a value of a statement, in which the name of the partition of nulls stands for null. */
  private def valueAt(values: InternalRow, i: Int, dataType: DataType): Any =
    if (values.isNullAt(i)) null
    else Some(values.get(i, dataType)).filterNot(PartitionDirectories.isNameOfNull).orNull

  private def childrenOf(directory: Path): Seq[Path] =
    try
      fs.listStatus(directory)
        .toSeq
        .filter(_.isDirectory)
        .map(_.getPath)
        .filterNot(child => HiddenNames.hides(child.getName))
    catch { case _: java.io.FileNotFoundException => Nil }

  private def allNames: Seq[String] = directories.columns.map(_.name)

  /**
   * Returns the partitions that have the values of one of `wanted`, sorted by their names. Lists
   * only the directories above them.
   */
  private def having(wanted: Seq[Values]): Seq[Partition] = {
    val above = if (wanted.isEmpty) Nil else Seq((root, Seq.empty[String], wanted))
    directories.columns.zipWithIndex
      .foldLeft(above) { case (parents, (column, i)) =>
        ManyCalls.map(parents.map(_._1))(childrenOf).zip(parents).flatMap {
          case (children, (_, names, wanted)) =>
            for {
              child <- children
              value <- directories.value(column, child.getName).toSeq
              same = wanted.filter(_.has(i, value.value)) if same.nonEmpty
            } yield (child, names :+ child.getName, same)
        }
      }
      .flatMap { case (path, names, _) =>
        directories.values(names).map(Partition(path, directories.named(names), _))
      }
      .sortBy(_.name)
  }

  /** Returns the values that the columns `names` are to have. */
  private def valuesOf(names: Seq[String], wanted: InternalRow): Values =
    new Values(names.zipWithIndex.map { case (name, i) =>
      val column = directories.columns.indexWhere(_.name == name)
      val dataType = directories.columns(column).dataType
      val value = Literal(valueAt(wanted, i, dataType), dataType)
      val same = EqualNullSafe(BoundReference(0, dataType, nullable = true), value)
      column -> same
    }.toMap)
}

private[variantshredded] object TablePartitions {

  /**
   * Holds the values that some columns are to have.
   *
   * @param tests
   *   the test of each of these columns, by its position
   */
  private final class Values(tests: Map[Int, EqualNullSafe]) {

    def has(column: Int, value: Any): Boolean =
      tests.get(column).forall(_.eval(InternalRow(value)) == true)

    /** Returns whether a partition with the given values of all columns has these. */
    def areIn(values: InternalRow): Boolean = tests.forall { case (column, test) =>
      has(column, if (values.isNullAt(column)) null else values.get(column, test.left.dataType))
    }
  }

  /**
   * Describes one partition.
   *
   * @param names
   *   names of the directories from that of the table on, with the partition columns in the letters
   *   in which the table declares them
   */
  final case class Partition(path: Path, names: Seq[String], values: InternalRow) {

    /** Returns the partition as `SHOW PARTITIONS` prints it, such as `day=2024-01-01/kind=a`. */
    def name: String = names.mkString("/")
  }
}

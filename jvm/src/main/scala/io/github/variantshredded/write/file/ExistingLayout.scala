package io.github.variantshredded.write.file

import java.io.FileNotFoundException

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}
import scala.util.control.NonFatal

import io.github.variantshredded.directory.{HiddenNames, ManyCalls}
import io.github.variantshredded.errors.VariantShreddedErrors
import io.github.variantshredded.shredding.{ShreddingSchema, ShreddingText, VariantColumn}
import io.github.variantshredded.shredding.layout.{LayoutReader, ListElement, SpecLayoutReader}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.parquet.{HadoopReadOptions, ParquetReadOptions}
import org.apache.parquet.crypto.ParquetCryptoRuntimeException
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation, MessageType, Type}
import org.apache.spark.sql.types._

/**
 * Reads from an existing file how its Variants are shredded.
 *
 * @param file
 *   path of the file
 */
private[write] final class ExistingLayout(val file: Path, schema: MessageType) {

  /**
   * Returns the shredding schema of the column, or the reason why there is none.
   *
   * @param caseSensitive
   *   whether names are case-sensitive; if not, a name with the same case is preferred
   */
  def of(column: VariantColumn, caseSensitive: Boolean): Either[String, ShreddingSchema] =
    ExistingLayout.find(schema, column.path.toList, caseSensitive) match {
      case None =>
        Left(s"the file $file has no column ${column.name}")
      case Some(path) if !LayoutReader.isVariant(schema.getType(path: _*)) =>
        Left(s"the column ${column.name} of the file $file is no Variant")
      case Some(path) =>
        Right(LayoutReader.read(schema, path, ShreddingSchema.MaxDepth).root.schema)
    }

  /**
   * Checks that a column is a Variant either in both the rows and the file or in neither: no schema
   * could read both.
   *
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `COLUMN_TYPE_MISMATCH`
   */
  def checkVariants(rows: StructType, caseSensitive: Boolean): Unit = {
    def inFile(path: Vector[String]): Option[Type] =
      ExistingLayout.find(schema, path.toList, caseSensitive).map(schema.getType(_: _*))
    def refuse(path: Vector[String], isVariant: Boolean): Nothing =
      throw VariantShreddedErrors.columnTypeMismatch(
        path.map(ShreddingText.quote).mkString("."),
        isVariant,
        file.toString
      )
    def check(dataType: DataType, path: Vector[String]): Unit = dataType match {
      case _: VariantType =>
        if (inFile(path).exists(!isVariant(_))) refuse(path, isVariant = true)
      case struct @ StructType(fields) =>
        if (path.nonEmpty && inFile(path).exists(isVariantBeside(struct, _)))
          refuse(path, isVariant = false)
        fields.foreach(field => check(field.dataType, path :+ field.name))
      case udt: UserDefinedType[_] => check(udt.sqlType, path)
      case other                   =>
        if (inFile(path).exists(isVariantBeside(other, _))) refuse(path, isVariant = false)
        other match {
          case ArrayType(element, _) => check(element, path :+ "element")
          case MapType(_, value, _)  => check(value, path :+ "value")
          case _                     => ()
        }
    }
    check(rows, Vector.empty)
  }

  /**
   * Returns whether a column of the file is a Variant, and not one to which rows of another type are
   * added. A struct of two binaries can look like a Variant group without annotation, so there the
   * names tell. A repeated group outside of a list is an array.
   */
  private def isVariantBeside(dataType: DataType, parquetType: Type): Boolean =
    LayoutReader.isVariant(parquetType) && (dataType match {
      case StructType(fields) =>
        val group = parquetType.asGroupType
        SpecLayoutReader.isAnnotated(group) ||
        !fields.exists(field => group.containsField(field.name))
      case _: ArrayType => !ListElement.isBareList(parquetType)
      case _            => true
    })

  /** Returns whether a group can be read as a Variant; older files have no annotation. */
  private def isVariant(parquetType: Type): Boolean =
    LayoutReader.isVariant(parquetType) || (!parquetType.isPrimitive &&
      parquetType.getLogicalTypeAnnotation == null && {
        val alone = new MessageType("alone", parquetType)
        Try(LayoutReader.read(alone, Seq(parquetType.getName), ShreddingSchema.MaxDepth)).isSuccess
      })
}

private[write] object ExistingLayout {

  /** Most directories that are listed, the last names first. */
  final val MaxDirectories = 100

  /** Most footers that are read: if a file has no rows, another file is tried. */
  final val MaxFooters = 3

  /** Most files that are opened: files that are not Parquet, such as `README.md`, are left out. */
  final val MaxCandidates = 10

  private final case class Opened(path: Path, rows: Long, schema: MessageType)

  /**
   * Returns the layout of the newest Parquet file below `path` (by modification time, then by name).
   * If this file has no rows, the newest of [[MaxFooters]] files that has rows is taken. None if
   * there is no file. If none of [[MaxCandidates]] files is Parquet, the error of the newest is
   * thrown.
   *
   * At most [[MaxDirectories]] directories are listed: partitions with the last names first.
   *
   * @param accepts
   *   returns false for a file that is left out
   * @param enters
   *   returns false for a directory that is not listed
   */
  def newest(
      path: Path,
      conf: Configuration,
      accepts: FileStatus => Boolean = _ => true,
      enters: Path => Boolean = _ => true
  ): Option[ExistingLayout] = {
    val fs = path.getFileSystem(conf)
    newest(newestFiles(fs, fs.makeQualified(path), accepts, enters), conf)
  }

  /** Does the same for given files. */
  def newest(statuses: Seq[FileStatus], conf: Configuration): Option[ExistingLayout] = {
    val candidates =
      LazyList
        .from(statuses.sorted(NewestFiles.Latest.reverse).take(MaxCandidates))
        .map(opened(_, conf))
    val files = candidates.collect { case Right(file) => file }.take(MaxFooters)
    val newest = files.find(_.rows > 0).orElse(files.headOption)
    if (newest.isEmpty) candidates.collectFirst { case Left(error) => throw error }
    newest.map(file => new ExistingLayout(file.path, file.schema))
  }

  /** Returns the file, or the error if it is not Parquet. */
  private def opened(status: FileStatus, conf: Configuration): Either[Throwable, Opened] = {
    // With the path, so that the options find the keys of an encrypted file.
    val options = HadoopReadOptions.builder(conf, status.getPath).build()
    val input = HadoopInputFile.fromStatus(status, conf)
    try
      Right(Using.resource(open(input, options)) { reader =>
        Opened(status.getPath, reader.getRecordCount, reader.getFileMetaData.getSchema)
      })
    catch {
      // Only now, so that the end of a Parquet file is not requested twice.
      case NonFatal(e) =>
        val fs = status.getPath.getFileSystem(conf)
        if (Try(ParquetMagic.isAtEnd(fs, status)).getOrElse(true)) throw e else Left(e)
    }
  }

  // Without a key, parquet-java reads a footer that is not encrypted, and does not verify it.
  private def open(input: HadoopInputFile, options: ParquetReadOptions): ParquetFileReader =
    try ParquetFileReader.open(input, options)
    catch {
      case e: ParquetCryptoRuntimeException =>
        try ParquetFileReader.open(input)
        catch { case NonFatal(_) => throw e }
    }

  private def newestFiles(
      fs: FileSystem,
      root: Path,
      accepts: FileStatus => Boolean,
      enters: Path => Boolean
  ): Seq[FileStatus] = {
    val pending = mutable.Stack.empty[Path]
    val newest = new NewestFiles(MaxCandidates)
    def see(files: Seq[FileStatus]): Unit =
      files.filter(file => file.getLen > 0 && accepts(file)).foreach(newest.add)
    try {
      val status = fs.getFileStatus(root)
      if (status.isFile) see(Seq(status)) else pending.push(root)
    } catch { case _: FileNotFoundException => () }
    def list(directory: Path): Seq[FileStatus] =
      fs.listStatus(directory).toSeq.filterNot(entry => HiddenNames.hides(entry.getPath.getName))
    val listed = mutable.HashMap.empty[Path, Seq[FileStatus]]
    var directories = 0
    while (pending.nonEmpty && directories < MaxDirectories) {
      directories += 1
      // A stack: entries are pushed in ascending order, so that the last name is listed first.
      val directory = pending.pop()
      val entries = listed.remove(directory).getOrElse(list(directory))
      val (folders, files) = entries.partition(_.isDirectory)
      see(files.filterNot(file => HiddenNames.isSummary(file.getPath.getName)))
      folders.map(_.getPath).filter(enters).sortBy(_.getName).foreach(pending.push(_))
      // If there are no directories in this one, there are probably none in those beside it, and
      // all of these come next.
      if (folders.isEmpty) {
        val beside = pending.iterator
          .takeWhile(_.getParent == directory.getParent)
          .take(MaxDirectories - directories)
          .filterNot(listed.contains)
          .toSeq
        listed ++= beside.zip(ManyCalls.map(beside)(list))
      }
    }
    newest.files
  }

  /** Returns the path of a column in a file: the names in lists and maps depend on the writer. */
  private def find(
      parquetType: Type,
      path: List[String],
      caseSensitive: Boolean
  ): Option[List[String]] = path match {
    case Nil                              => Some(Nil)
    case _ if parquetType.isPrimitive     => None
    case _ :: rest if isList(parquetType) =>
      val list = parquetType.asGroupType
      val repeated = list.getType(0)
      val inner =
        if (ListElement.isRepeated(list, repeated)) Nil
        else List(repeated.asGroupType.getType(0))
      val element = inner.headOption.getOrElse(repeated)
      find(element, rest, caseSensitive).map(repeated.getName :: inner.map(_.getName) ::: _)
    case _ :: rest if isMap(parquetType) =>
      val entries = parquetType.asGroupType.getType(0)
      val value = entries.asGroupType.getType(1)
      find(value, rest, caseSensitive).map(entries.getName :: value.getName :: _)
    case name :: rest =>
      val group = parquetType.asGroupType
      def inOtherCase =
        group.getFields.asScala.find(field =>
          !caseSensitive && field.getName.equalsIgnoreCase(name)
        )
      Option
        .when(group.containsField(name))(group.getType(name))
        .orElse(inOtherCase)
        .flatMap(field => find(field, rest, caseSensitive).map(field.getName :: _))
  }

  private def isList(parquetType: Type): Boolean = parquetType.getLogicalTypeAnnotation match {
    case _: LogicalTypeAnnotation.ListLogicalTypeAnnotation =>
      parquetType.asGroupType.getFieldCount == 1
    case _ => false
  }

  private def isMap(parquetType: Type): Boolean = parquetType.getLogicalTypeAnnotation match {
    case _: LogicalTypeAnnotation.MapLogicalTypeAnnotation =>
      val group = parquetType.asGroupType
      group.getFieldCount == 1 && !group.getType(0).isPrimitive &&
      group.getType(0).asGroupType.getFieldCount == 2
    case _ => false
  }
}

package io.github.variantshredded.commit

import java.net.URI
import java.nio.file.{Files, Path}

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.fault._
import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path => HadoopPath, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException

/** Reads of parts of a table, by a pattern or by the path of a partition, see what commits hide. */
class PartsOfTablesSuite extends PathSuite {

  private val schema = "n INT, p INT, v VARIANT"

  private def stream(path: String, options: (String, String)*): DataFrame =
    spark.readStream.format("variant-shredded").schema(schema).options(options.toMap).load(path)

  private def streamed(path: String): Seq[Int] = {
    val to = newPath()
    writeStream(stream(path), to, newPath())
    numbers(reader.load(to))
  }

  /** A directory with the rows 0 until 6 by a stream, and 3 until 6 once more by a failed attempt. */
  private def sink(partitionBy: String*): String = {
    val (from, path, checkpoint) = (newPath(), newPath(), newPath())
    def batch() = writeStream(stream(from), path, checkpoint, partitionBy)
    writer(rows(0, 3)).mode("append").save(from)
    batch()
    writer(rows(3, 6)).mode("append").save(from)
    withConf("spark.sql.streaming.commitProtocolClass" -> classOf[InterruptedCommit].getName) {
      InterruptedCommit.at = InterruptedCommit.Before
      try intercept[StreamingQueryException](batch())
      finally InterruptedCommit.at = InterruptedCommit.Never
    }
    batch()
    assert(spark.read.parquet(s"$path/*").count() === 9)
    path
  }

  test("a pattern in the directory of a stream: rows of failed attempts are not read") {
    val flat = sink()
    val partitioned = sink("p")
    Seq(
      s"$flat/*" -> (0 until 6),
      s"$flat/part-*" -> (0 until 6),
      s"${flat.dropRight(1)}*" -> (0 until 6),
      s"$partitioned/*" -> (0 until 6),
      s"$partitioned/*/*" -> (0 until 6),
      s"$partitioned/p=[12]" -> Seq(1, 2, 4, 5)
    ).foreach { case (pattern, expected) =>
      assert(numbers(reader.load(pattern)) === expected, pattern)
    }
    assert(streamed(s"$flat/*") === (0 until 6))
    assert(streamed(s"$partitioned/p=[12]") === Seq(1, 2, 4, 5))
    withConf("spark.sql.streaming.fileStreamSink.ignoreMetadata" -> "true") {
      assert(reader.load(s"$flat/*").count() === 9)
    }
  }

  test("several paths, directories of streams among them: rows of failed attempts are not read") {
    val flat = sink()
    val (other, file) = (written(rows(10, 12)), onlyFile(written(rows(20, 21))).toString)
    def read(paths: String*) = numbers(reader.load(paths: _*))
    assert(read(flat, other) === (0 until 6) ++ Seq(10, 11))
    assert(read(file, flat, other) === (0 until 6) ++ Seq(10, 11, 20))
    assert(read(flat, s"$other/*") === (0 until 6) ++ Seq(10, 11))
    val table = Files.createDirectory(Path.of(newPath()))
    val parts = Seq("q=1" -> sink("p"), "q=2" -> written(rows(10, 12), "p")).map {
      case (name, path) => Files.move(Path.of(path), table.resolve(name)).toString
    }
    val partitioned = reader.option("basePath", table.toString).load(parts: _*)
    assert(numbers(partitioned) === (0 until 6) ++ Seq(10, 11))
    withConf("spark.sql.streaming.fileStreamSink.ignoreMetadata" -> "true") {
      assert(read(flat, other).size === 11)
    }
  }

  /** Reads parts of a table by the file system of [[Faults]]. */
  private def watched(table: String)(paths: String*): DataFrame = {
    def of(path: String) = s"${FaultFileSystem.Scheme}://$path"
    reader.option("basePath", of(table)).load(paths.map(of): _*)
  }

  test("a batch that is committed while a pattern or several paths are listed is read as a whole") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (from, table, checkpoint) = (newPath(), newPath(), newPath())
    val (path, other) = (s"$table/q=1", s"$table/q=2")
    writer(rows(20, 22)).partitionBy("p").save(other)
    def batch(first: Int): Unit = {
      writer(rows(first, first + 3)).mode("append").save(from)
      writeStream(stream(from), path, checkpoint, Seq("p"))
    }
    batch(0)
    def ofPartition(operation: Operation) =
      operation.kind == "list" && operation.path.getName.startsWith("p=")
    Seq(path -> 3, s"$path/*" -> 6).foreach { case (of, first) =>
      val between = new ActingOnce(ofPartition, isBefore = false)(batch(first))
      val read = Faults.watched(path, between)(watched(table)(of, other))
      assert(numbers(read) === (0 until first + 3) ++ Seq(20, 21), of)
    }
  }

  private def isOfNotes(operation: Operation): Boolean =
    operation.kind == "list" && NotesDirectory.includes(operation.path)

  Seq(
    "an overwrite" -> "overwrite" -> (6 until 12),
    "an append" -> "append" -> (Seq(0, 1, 3, 4) ++ (6 until 12))
  ).foreach { case ((name, mode), expected) =>
    Seq(Nil, Seq("p"), Seq("p", "n")).foreach { partitionBy =>
      test(s"$name after a pattern was resolved is read as a whole, partitioned by $partitionBy") {
        FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
        // With columns of partitions, there are directories more and less than before.
        Seq("*", "*p*").foreach { pattern =>
          val path = newPath()
          def write(df: DataFrame, mode: String) =
            writer(df).partitionBy(partitionBy: _*).mode(mode).save(path)
          write(rows(0, 6).where("p < 2"), "append")
          val job = new ActingOnce(isOfNotes, isBefore = true)(write(rows(6, 12), mode))
          val part = (pattern +: partitionBy.drop(1).map(_ => "*")).mkString("/")
          val read = Faults.watched(path, job)(watched(path)(s"$path/$part"))
          assert(numbers(read) === expected, part)
        }
      }
    }
  }

  test("more than eight matches of a pattern, all of which an overwrite replaces") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    def write(from: Int, until: Int): Unit =
      writer(rows(from, until)).partitionBy("n").mode("overwrite").save(path)
    write(0, 20)
    val job = new ActingOnce(isOfNotes, isBefore = true)(write(20, 40))
    val read = Faults.watched(path, job)(watched(path)(s"$path/n=*"))
    assert(numbers(read) === (20 until 40))
  }

  test("a pattern without basePath whose matches a commit changes") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    writer(rows(0, 6).where("p < 2")).partitionBy("p").save(path)
    val job = new ActingOnce(isOfNotes, isBefore = true)(
      writer(rows(6, 12)).partitionBy("p").mode("append").save(path)
    )
    val read = Faults.watched(path, job)(reader.load(s"fault://$path/p=*"))
    assert(read.columns.toSeq === Seq("n", "v"))
    assert(numbers(read) === (Seq(0, 1, 3, 4) ++ (6 until 12)))
  }

  test("a batch of a stream with new directories after a pattern was resolved is read as a whole") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (from, path, checkpoint) = (newPath(), newPath(), newPath())
    def batch(df: DataFrame): Unit = {
      writer(df).mode("append").save(from)
      writeStream(stream(from), path, checkpoint, Seq("p"))
    }
    batch(rows(0, 6).where("p < 2"))
    val between = new ActingOnce(isOfNotes, isBefore = true)(batch(rows(6, 12)))
    val read = Faults.watched(path, between)(watched(path)(s"$path/p=*"))
    assert(numbers(read) === (Seq(0, 1, 3, 4) ++ (6 until 12)))
  }

  test(
    "a table that is made while a pattern of tables is listed is read as a whole, or not at all"
  ) {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val tables = newPath()
    writer(rows(0, 3)).save(s"$tables/a")
    val isBegun = new ActingOnce(
      operation => operation.kind == "list" && operation.path.getName == "a",
      isBefore = true
    )(writer(rows(3, 9)).partitionBy("p").save(s"$tables/b"))
    val read = Faults.watched(tables, isBegun)(watched(tables)(s"$tables/*"))
    assert(Set[Seq[Int]](0 until 3, 0 until 9).contains(numbers(read)))
  }

  test("a pattern beside a job that makes matches without end is read") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    writer(rows(0, 6)).partitionBy("p").save(path)
    @volatile var made = 0
    val making = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        if (isOfNotes(operation)) {
          made += 1
          Files.createDirectory(Path.of(path, s"p=${made + 2}"))
        }
        carryOut
      }
    }
    val read = Faults.watched(path, making)(watched(path)(s"$path/p=*"))
    assert(numbers(read) === (0 until 6))
    assert(made > 0 && made < 40)
  }

  /** Two directories `q=1` and `q=2` of a table; a stream has written the rows 0 until 3 to one. */
  private def besideStream(partitionBy: String*): (String, Seq[String]) = {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (from, table) = (newPath(), newPath())
    writer(rows(0, 3)).save(from)
    val paths = Seq(s"$table/q=1", s"$table/q=2")
    writeStream(stream(from), paths.head, newPath(), partitionBy)
    writer(rows(20, 22)).partitionBy(partitionBy: _*).save(paths.last)
    (table, paths)
  }

  private def isOfLog(kind: String)(operation: Operation): Boolean =
    operation.kind == kind && operation.path.toString.contains("_spark_metadata")

  Seq(
    "an overwrite" -> { (path: String) =>
      writer(rows(40, 43)).partitionBy("p").mode("overwrite").save(path)
    },
    "an overwrite by another stream" -> { (path: String) =>
      val from = newPath()
      writer(rows(40, 43)).save(from)
      writer(rows(0, 0)).partitionBy("p").mode("overwrite").save(path)
      writeStream(stream(from), path, newPath(), Seq("p"))
    }
  ).foreach { case (name, overwrite) =>
    Seq(true, false).foreach { ofPattern =>
      val what = if (ofPattern) "a pattern" else "several paths"
      test(s"$what: $name removes the log of a stream after it was read") {
        val (table, paths) = besideStream("p")
        val read =
          if (ofPattern) paths.updated(0, s"${paths.head}/*") else paths
        val after = new ActingOnce(isOfLog("open"), isBefore = false)(overwrite(paths.head))
        val found = Faults.watched(table, after)(watched(table)(read: _*))
        assert(numbers(found) === Seq(20, 21, 40, 41, 42))
      }
    }
  }

  test("several paths: a stream begins to write one of them while another one's log is read") {
    val (table, paths) = besideStream()
    val (from, third) = (newPath(), s"$table/q=3")
    writer(rows(40, 43)).mode("append").save(from)
    Files.createDirectory(Path.of(third))
    withConf("spark.sql.streaming.commitProtocolClass" -> classOf[InterruptedCommit].getName) {
      val batch = new ActingOnce(isOfLog("open"), isBefore = false)({
        InterruptedCommit.at = InterruptedCommit.Before
        try intercept[StreamingQueryException](writeStream(stream(from), third, newPath()))
        finally InterruptedCommit.at = InterruptedCommit.Never
        assert(spark.read.parquet(s"$third/*").count() === 3)
      })
      val read = Faults.watched(table, batch)(watched(table)(paths :+ third: _*))
      assert(numbers(read) === Seq(0, 1, 2, 20, 21))
    }
  }

  test("several paths whose schemes are spelled in other letters") {
    val (path, other) = (sink(), written(rows(10, 12)))
    assert(numbers(reader.load(s"FILE:$path", other)) === (0 until 6) ++ Seq(10, 11))
    assert(numbers(reader.load(s"FILE:$path", s"FILE:$other")) === (0 until 6) ++ Seq(10, 11))
  }

  test("the directories among several in which a file is") {
    def among(roots: String*)(file: String): Seq[String] =
      EnclosingTables.among(roots.map(new HadoopPath(_)))(new HadoopPath(file)).map(_.toString)
    assert(among("/a", "/a/b/c", "/b")("/a/b/c/d/f") === Seq("/a/b/c", "/a"))
    assert(among("/a")("/ab/f") === Nil)
    assert(among("FILE:/a")("file:/a/f") === Seq("file:/a"))
    assert(among("hdfs://Host:1/a", "hdfs://Host:1/b")("hdfs://host:1/a/f").size === 1)
    val two = Seq("s3a://one/a/b", "S3A://Two/a")
    assert(among(two: _*)("s3a://one/a/b/f") === Seq("s3a://one/a/b"))
    assert(among(two: _*)("s3a://two/a/b/f") === Seq("s3a://two/a"))
  }

  test("logs of streams are looked for once in each of several paths, and not beside files") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val table = newPath()
    val paths = Seq(s"$table/q=1", s"$table/q=2")
    paths.foreach(writer(rows(0, 6)).partitionBy("p").save(_))
    val files = dataFiles(table).map(file => s"$table/$file")
    def asked(paths: Seq[String]): Seq[String] = {
      val counting = new Counting
      Faults.watched(table, counting)(watched(table)(paths: _*))
      counting.operations.filter(_.path.toString.contains("_spark_metadata")).map(_.kind)
    }
    assert(asked(paths) === Seq("status", "status"))
    assert(asked(files) === Nil)
    assert(files.size === 6)
  }

  Seq(Nil, Seq("p")).foreach { partitionBy =>
    test(s"a stream's directory that has been moved, partitioned by $partitionBy") {
      val path = sink(partitionBy: _*)
      val moved = newPath()
      Files.move(Path.of(path), Path.of(moved))
      assert(numbers(reader.load(s"$moved/*")) === (0 until 6))
      // Spark would not take partitions of two directories for those of one table.
      if (partitionBy.isEmpty)
        assert(numbers(reader.load(moved, written(rows(10, 12)))) === (0 until 6) ++ Seq(10, 11))
    }
  }

  test("several paths beside a stream that commits a batch each time its log is read") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val (from, table, checkpoint) = (newPath(), newPath(), newPath())
    val (path, other) = (s"$table/q=1", s"$table/q=2")
    @volatile var batches = 0
    def batch(): Unit = {
      writer(rows(batches, batches + 1)).mode("append").save(from)
      batches += 1
      writeStream(stream(from), path, checkpoint)
    }
    batch()
    writer(rows(20, 22)).save(other)
    val committing = new Watcher {
      private var isActing = false
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        val result = carryOut
        if (!isActing && isOfLog("open")(operation)) {
          isActing = true
          try batch()
          finally isActing = false
        }
        result
      }
    }
    val read = Faults.watched(path, committing)(watched(table)(path, other))
    assert(batches > 1 && batches < 8)
    assert(numbers(read).contains(0) && numbers(read).takeRight(2) === Seq(20, 21))
  }

  Seq("a pattern" -> "*", "a partition" -> "p=1").foreach { case (name, part) =>
    test(s"cleanSource with $name in the directory of a stream is refused") {
      val path = s"${sink("p")}/$part"
      val error = intercept[StreamingQueryException] {
        writeStream(stream(path, "cleanSource" -> "delete"), newPath(), newPath())
      }
      assert(error.getMessage.contains("cleanSource for the directory"), error.getMessage)
    }
  }

  test("parts of a table without the files that its unfinished commits hide") {
    Seq(Nil, Seq("p")).foreach { partitionBy =>
      val path = newPath()
      writer(rows(0, 6)).partitionBy(partitionBy: _*).save(path)
      val root = new HadoopPath(s"file:$path")
      val fs = root.getFileSystem(new Configuration)
      val old = DataFiles.below(fs, root).toList
      writer(rows(6, 9)).partitionBy(partitionBy: _*).mode("append").save(path)
      // Names of files end with the id of their job.
      val job = DataFiles
        .below(fs, root)
        .map(_.getPath.getName)
        .filterNot(name => old.exists(_.getPath.getName == name))
        .map(_.replaceFirst("part-\\d+-", "").replaceFirst("[.-]c\\d+.*", ""))
        .toList
        .head
      val parts = Seq(s"$path/*") ++ partitionBy.flatMap { _ =>
        Seq(s"$path/*/*", s"$path/p=1", s"$path/p=1/*")
      }
      def found: Map[String, Seq[Int]] = parts.map { part =>
        part -> numbers(reader.option("basePath", path).load(part))
      }.toMap
      def expected(all: Seq[Int]): Map[String, Seq[Int]] = parts.map { part =>
        part -> (if (part.contains("p=1")) all.filter(_ % 3 == 1) else all)
      }.toMap

      assert(found === expected(0 until 9))
      ExclusiveCommit(root, fs.getConf, job) { commit =>
        commit.add(())
        assert(found === expected(0 until 6))
        assert(streamed(s"$path/*") === (0 until 6))
        val replaced = old.map { file =>
          NotedFile(
            PendingCommits.relative(fs.makeQualified(root))(file.getPath).get,
            file.getLen,
            file.getModificationTime
          )
        }
        CommitNote.write(fs, root, CommitNote(job, CommitState.Replacing, None, replaced))
        assert(found === expected(6 until 9))
        assert(streamed(s"$path/*") === (6 until 9))
      }
    }
  }

  test("a partition is read by users to whom the directories above are closed") {
    val path = newPath()
    writer(rows(0, 6)).partitionBy("p").save(path)
    ClosedFiles.closed = new HadoopPath(path)
    def read(part: String): Seq[Int] = numbers(
      reader
        .option(s"fs.${ClosedFiles.Scheme}.impl", classOf[ClosedFiles].getName)
        .option("basePath", s"${ClosedFiles.Scheme}:$path/p=1")
        .load(s"${ClosedFiles.Scheme}:$path/$part")
    )
    assert(read("p=1") === Seq(1, 4))
    assert(read("p=1/*") === Seq(1, 4))
    intercept[AccessControlException](read(""))
  }
}

/** Local files, without access to what is directly in one directory, other than its partitions. */
final class ClosedFiles extends RawLocalFileSystem {
  override def getUri: URI = URI.create(s"${ClosedFiles.Scheme}:///")
  override def getScheme: String = ClosedFiles.Scheme
  override def checkPath(path: HadoopPath): Unit = ()

  override def listStatus(path: HadoopPath): Array[FileStatus] = {
    val asked = HadoopPath.getPathWithoutSchemeAndAuthority(path)
    val isClosed = asked == ClosedFiles.closed ||
      (asked.getParent == ClosedFiles.closed && !asked.getName.contains("="))
    if (isClosed) throw new AccessControlException(s"Permission denied: $path")
    super.listStatus(path)
  }
}

object ClosedFiles {
  val Scheme = "closed"

  @volatile var closed: HadoopPath = new HadoopPath("/")
}

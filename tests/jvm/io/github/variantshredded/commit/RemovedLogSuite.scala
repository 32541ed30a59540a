package io.github.variantshredded.commit

import java.io.File
import java.net.URI
import java.nio.file.{Files, Path}

import scala.util.Try

import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.fault.{ActingOnce, FaultFileSystem, Faults, Operation}
import io.github.variantshredded.testing.{QuickLocalFiles, StreamedRows, TableSuite}
import org.apache.hadoop.fs.{FileSystem, LocalFileSystem, Path => HadoopPath, RawLocalFileSystem}
import org.apache.spark.sql.streaming.StreamingQueryException

/**
 * An overwrite removes the log of a stream after a query, or the stream itself, has found the log,
 * and before it opens it. Opening creates the log again.
 */
class RemovedLogSuite extends TableSuite with StreamedRows {

  spark.sparkContext.hadoopConfiguration.setClass(
    s"fs.${OpeningFileSystem.Scheme}.impl",
    classOf[OpeningFileSystem],
    classOf[FileSystem]
  )

  private def watched(path: String): String = s"${OpeningFileSystem.Scheme}://$path"

  private def overwrite(path: String): Unit =
    writer(rows(4, 6)).mode("overwrite").save(path)

  private def assertOverwritten(path: String): Unit = {
    assert(numbers(reader.load(path)) === Seq(4, 5))
    assert(!Files.exists(Path.of(path, "_spark_metadata")))
    writer(rows(6, 7)).mode("append").save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5, 6))
  }

  /** Does `body` with a stream's directory, which is overwritten when a log is opened. */
  private def whileOverwritten(body: String => Unit): Unit = {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 3)
    writeStream(df, watched(path), newPath())
    OpeningFileSystem.acting(1, () => overwrite(path))(body(path))
    assertOverwritten(path)
  }

  test("a query by path does not leave an empty log, and reads the rows of the overwrite") {
    whileOverwritten(path => assert(numbers(reader.load(watched(path))) === Seq(4, 5)))
  }

  test("a query on a table does not leave an empty log, and reads the rows of the overwrite") {
    whileOverwritten { path =>
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (n INT, p INT, v VARIANT) USING variant_shredded " +
            s"LOCATION '${watched(path)}'"
        )
        assert(numbers(spark.table(t)) === Seq(4, 5))
      }
    }
  }

  test("a query on a pattern of paths does not leave an empty log") {
    whileOverwritten { path =>
      val files = reader.schema("n INT, p INT, v VARIANT").load(watched(s"$path/*"))
      // It has listed the files before, some of which are gone.
      val _ = Try(files.count())
    }
  }

  test("a stream that reads the directory does not leave an empty log") {
    whileOverwritten { path =>
      val to = newPath()
      val df = spark.readStream
        .format("variant-shredded")
        .schema("n INT, p INT, v VARIANT")
        .load(watched(path))
      writeStream(df, to, newPath())
      assert(numbers(reader.load(to)) === Seq(4, 5))
    }
  }

  /** Returns the error of a stream whose second batch finds `action` done when it opens the log. */
  private def endOfStream(path: String, opening: Int)(action: => Unit): String = {
    val (source, df) = stream()
    withQuery(df, watched(path)) { query =>
      source.addData(0)
      query.processAllAvailable()
      OpeningFileSystem.acting(opening, () => action) {
        source.addData(1)
        intercept[StreamingQueryException](query.processAllAvailable()).getMessage
      }
    }
  }

  // A batch opens the log when it begins, when its write is described, and when it is set up.
  Seq(
    1 -> "files that no stream wrote",
    2 -> "[STREAM_LOG_REMOVED]",
    3 -> "[STREAM_LOG_REMOVED]"
  ).foreach { case (opening, message) =>
    test(s"the stream that writes the log ends, the rows of the overwrite stay: opening $opening") {
      val path = newPath()
      assert(endOfStream(path, opening)(overwrite(path)).contains(message))
      assertOverwritten(path)
    }
  }

  test("a query whose log is removed while it reads the entries finds the rows of the overwrite") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    val (source, df) = stream()
    val checkpoint = newPath()
    (0 until 2).foreach { n =>
      source.addData(n)
      writeStream(df, path, checkpoint)
    }
    def readsEntry(operation: Operation) =
      operation.kind == "open" && operation.path.getParent.getName == "_spark_metadata"
    val removing = new ActingOnce(readsEntry, isBefore = true)(overwrite(path))
    val read = Faults.watched(path, removing) {
      numbers(reader.load(s"${FaultFileSystem.Scheme}://$path"))
    }
    assert(read === Seq(4, 5))
    assertOverwritten(path)
  }

  /**
   * Writes the notes of a job with the id `job` that overwrites a stream's directory. Returns what
   * commits the job, and leaves the old files and the log.
   */
  private def beginOverwrite(path: String): () => Unit = {
    val root = new HadoopPath(s"file:$path")
    val fs = root.getFileSystem(spark.sessionState.newHadoopConf())
    val relative = PendingCommits.relative(root)
    val old = DataFiles
      .below(fs, root)
      .map { file =>
        NotedFile(relative(file.getPath).get, file.getLen, file.getModificationTime)
      }
      .toSeq
    val writing = Some(WriterProcess.current)
    CommitNote.write(fs, root, CommitNote("job", CommitState.Adding, writing))
    CommitNote.write(
      fs,
      root,
      CommitNote("job", CommitState.Replacing, writing, old, Some("_spark_metadata"))
    )
    () => CommitNote.markLast(fs, root, "job")
  }

  test("a log that a committed overwrite has not removed yet names no rows, unless it was undone") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 3)
    writeStream(df, path, newPath())
    val commit = beginOverwrite(path)
    Files.move(onlyFile(written(rows(4, 6))), Path.of(path, "part-0-job.parquet"))
    assert(numbers(reader.load(path)) === Seq(0, 1, 2))
    commit()
    assert(numbers(reader.load(path)) === Seq(4, 5))
  }

  test("a partition is written while a committed overwrite has not removed the log yet") {
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 3)
    writeStream(df, path, newPath(), Seq("p"))
    val commit = beginOverwrite(path)
    Files.move(
      onlyFile(written(rows(4, 5).drop("p"))),
      Path.of(path, "p=1", "part-0-job.parquet")
    )
    commit()
    def append(from: Int): Unit =
      writer(rows(from, from + 1).drop("p")).mode("append").save(s"$path/p=1")
    append(7)
    assert(numbers(reader.load(path)) === Seq(4, 7))
    // The next job in the whole directory removes the old files and the log.
    writer(rows(8, 9)).mode("append").save(path)
    append(10)
    assert(numbers(reader.load(path)) === Seq(4, 7, 8, 10))
    assert(!Files.exists(Path.of(path, "_spark_metadata")))
  }

  test("cleanSource beside an empty log that another reader has created") {
    val path = written(rows(4, 6))
    Files.createDirectory(Path.of(path, "_spark_metadata"))
    Seq(path, s"$path/*").foreach { from =>
      val df = spark.readStream
        .format("variant-shredded")
        .schema("n INT, p INT, v VARIANT")
        .option("cleanSource", "delete")
        .load(from)
      val to = newPath()
      writeStream(df, to, newPath())
      assert(numbers(reader.load(to)) === Seq(4, 5))
    }
  }

  test(
    "an empty log that another reader has created hides no rows, and the next write removes it"
  ) {
    val path = written(rows(4, 6))
    Files.createDirectory(Path.of(path, "_spark_metadata"))
    assert(numbers(reader.load(path)) === Seq(4, 5))
    writer(rows(6, 7)).mode("append").save(path)
    assert(numbers(reader.load(path)) === Seq(4, 5, 6))
    assert(!Files.exists(Path.of(path, "_spark_metadata")))
  }

  test("a stream ends if another source has overwritten its directory") {
    val path = newPath()
    val end = endOfStream(path, opening = 1)(rows(4, 6).write.mode("overwrite").parquet(path))
    assert(end.contains("files that no stream wrote"))
    assert(numbers(reader.load(path)) === Seq(4, 5))
  }

  test("the files of a first batch that failed stay hidden when the query goes on") {
    val path = newPath()
    Files.createDirectories(Path.of(path, "_spark_metadata"))
    Files.move(onlyFile(written(rows(7, 8))), Path.of(path, "part-0.parquet"))
    val (source, df) = stream()
    source.addData(0 until 2)
    writeStream(df, path, newPath())
    assert(numbers(reader.load(path)) === Seq(0, 1))
  }

  test("an empty log of a stream that has written no batch stays") {
    val path = newPath()
    val (source, df) = stream()
    withQuery(df, path) { query =>
      assert(reader.schema("n INT").load(path).count() === 0)
      assert(Files.exists(Path.of(path, "_spark_metadata")))
      source.addData(0)
      query.processAllAvailable()
    }
    assert(numbers(reader.load(path)) === Seq(0))
  }

  test("a log that names no file is read by users who may not remove it") {
    assume(Files.isDirectory(ReadOnlyLogs.Unremovable))
    val path = newPath()
    val (source, df) = stream()
    source.addData(0 until 3)
    withConf("spark.sql.streaming.commitProtocolClass" -> classOf[InterruptedCommit].getName) {
      InterruptedCommit.at = InterruptedCommit.Before
      try intercept[StreamingQueryException](writeStream(df, path, newPath()))
      finally InterruptedCommit.at = InterruptedCommit.Never
    }
    assert(Files.exists(Path.of(path, "_spark_metadata", "query")))
    val read = reader
      .option(s"fs.${ReadOnlyLogs.Scheme}.impl", classOf[ReadOnlyLogs].getName)
      .schema("n INT, p INT, v VARIANT")
      .load(s"${ReadOnlyLogs.Scheme}:$path")
    assert(read.count() === 0)
    assert(Files.exists(Path.of(path, "_spark_metadata", "query")))
  }
}

/** Local files, with something that is done just before a log is opened. */
final class OpeningFileSystem extends RawLocalFileSystem with QuickLocalFiles {

  override def getScheme: String = OpeningFileSystem.Scheme

  override def getUri: URI = URI.create(s"$getScheme:///")

  // The constructor of Spark's log asks whether the directory exists.
  override def exists(path: HadoopPath): Boolean = {
    if (path.getName == "_spark_metadata" && OpeningFileSystem.isOpening) OpeningFileSystem.count()
    super.exists(path)
  }
}

object OpeningFileSystem {
  final val Scheme = "opening"

  private var openings = 0
  private var todo = Option.empty[(Int, () => Unit)]

  /** Runs `body`, and does `action` before the `number`th log is opened. */
  def acting[T](number: Int, action: () => Unit)(body: => T): T = {
    synchronized {
      openings = 0
      todo = Some(number -> action)
    }
    try {
      val result = body
      require(synchronized(todo.isEmpty), s"only $openings logs were opened")
      result
    } finally synchronized { todo = None }
  }

  private def isOpening: Boolean = Thread.currentThread.getStackTrace.exists { frame =>
    frame.getClassName.endsWith(".HDFSMetadataLog") && frame.getMethodName == "<init>"
  }

  private def count(): Unit = {
    val action = synchronized {
      openings += 1
      val due = todo.filter(_._1 == openings)
      if (due.isDefined) todo = None
      due
    }
    action.foreach(_._2())
  }
}

/**
 * Hadoop's local files, with logs that the user may not remove: the operating system refuses that
 * before it looks whether they are empty.
 */
final class ReadOnlyLogs extends LocalFileSystem(new ReadOnlyLogs.Raw) {

  override def getScheme: String = ReadOnlyLogs.Scheme

  // The directory that is removed. Files are read by the class below.
  override def pathToFile(path: HadoopPath): File =
    if (path.getName == "_spark_metadata") ReadOnlyLogs.Unremovable.toFile
    else super.pathToFile(path)
}

object ReadOnlyLogs {
  final val Scheme = "readonlylogs"

  // A directory that not even an administrator may remove.
  val Unremovable: Path = Path.of("/proc/self/task")

  final class Raw extends RawLocalFileSystem with QuickLocalFiles {
    override def getScheme: String = Scheme
    override def getUri: URI = URI.create(s"$Scheme:///")
  }
}

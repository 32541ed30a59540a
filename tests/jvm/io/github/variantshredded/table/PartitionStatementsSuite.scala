package io.github.variantshredded.table

import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime

import scala.collection.mutable

import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import io.github.variantshredded.fault.{FaultFileSystem, Faults, Operation, Watcher}
import io.github.variantshredded.testing.{FormatComparison, Settings, TableSuite}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.functions.col

/** Statements on tables give the same answers as with Spark's Parquet source. */
class PartitionStatementsSuite extends TableSuite {

  TableStatements.Scripts.foreach { case (name, script) =>
    test(s"as with parquet: $name") {
      written(rows(0, 1)) // the session knows the catalog of paths
      val folder = Files.createTempDirectory("directories").toString
      FormatComparison.run(spark, folder, script).foreach { answers =>
        assert(answers.ours === answers.parquet, answers.statement)
      }
    }
  }

  private def created(table: String, more: String = ""): Unit = {
    spark.sql(
      s"CREATE TABLE $table (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) $more"
    )
    rows(0, 6).select("n", "v", "p").write.insertInto(table)
  }

  private def refused(statement: String): String =
    intercept[VariantShreddedException](spark.sql(statement)).getMessage

  test("DELETE with a condition on partition columns, of cached tables too") {
    withTable { t =>
      created(t)
      spark.sql(s"CACHE TABLE $t")
      assert(spark.table(t).count() === 6)
      spark.sql(s"DELETE FROM $t WHERE p > 1 OR p IN (7, 8)")
      assert(numbers(spark.table(t)) === Seq(0, 1, 3, 4))
      assert(partitions(directory(t).toString) === Seq("p=0", "p=1"))
      spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), NULL)")
      spark.sql(s"DELETE FROM $t WHERE p IS NULL")
      assert(numbers(spark.table(t)) === Seq(0, 1, 3, 4))
      assert(refused(s"DELETE FROM $t WHERE n = 1").contains("compare partition columns only"))
      assert(numbers(spark.table(t)) === Seq(0, 1, 3, 4))
      spark.sql(s"DELETE FROM $t")
      assert(spark.table(t).count() === 0)
      spark.sql(s"UNCACHE TABLE IF EXISTS $t")
    }
  }

  test("statements that delete or move the files of a table of Delta Lake are refused") {
    withTable { t =>
      created(t)
      val log = Files.createDirectory(directory(t).resolve("_delta_log"))
      Seq(
        s"DELETE FROM $t WHERE p = 1",
        s"DELETE FROM $t",
        s"TRUNCATE TABLE $t PARTITION (p = 1)",
        s"ALTER TABLE $t DROP PARTITION (p = 1)",
        s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)"
      ).foreach(statement =>
        assert(refused(statement).contains("is a table of Delta Lake"), statement)
      )
      assert(numbers(spark.table(t)) === (0 until 6))
      Files.delete(log)
    }
  }

  test("statements that cannot delete a file fail, and the table keeps its rows and takes others") {
    withTable { t =>
      FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
      val path = written(rows(0, 6), "p")
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
          s"LOCATION '${FaultFileSystem.Scheme}://$path'"
      )
      val kept = dataFiles(path).map(Path.of(_).getFileName.toString).toSet
      val watcher = new Watcher {
        override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
          if (operation.kind == "delete" && kept(operation.path.getName)) refused.get else carryOut
      }
      Faults.watched(path, watcher) {
        Seq(
          s"DELETE FROM $t",
          s"DELETE FROM $t WHERE p = 1",
          s"INSERT OVERWRITE $t VALUES (8, parse_json('{\"n\": 8}'), 1)",
          s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)"
        ).foreach { statement =>
          val error = intercept[Exception](spark.sql(statement))
          val texts = Causes.of(error).map(_.getMessage).mkString
          assert(texts.contains("Unable to delete"), statement)
          assert(numbers(spark.table(t)) === (0 until 6), statement)
        }
        spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 1)")
        assert(numbers(spark.table(t)) === Seq(0, 1, 2, 3, 4, 5, 9))
      }
    }
  }

  Seq("FLOAT", "DOUBLE").foreach { declared =>
    test(s"a dynamic overwrite of a partition of $declared replaces -0.0 and 0.0 together") {
      Seq(2, 5).foreach { written =>
        withTable { t =>
          spark.sql(
            s"CREATE TABLE $t (n INT, v VARIANT, p $declared) USING variant_shredded " +
              "PARTITIONED BY (p)"
          )
          Seq("0.0", "-0.0", "9.0").zipWithIndex.foreach { case (value, n) =>
            val directory = Files.createDirectories(this.directory(t).resolve(s"p=$value"))
            rows(n, n + 1)
              .select("n", "v")
              .write
              .format("variant_shredded")
              .mode("append")
              .save(directory.toString)
          }
          assert(numbers(spark.sql(s"SELECT * FROM $t WHERE p = 0")) === Seq(0, 1))
          val more = rows(100, 100 + written)
            .selectExpr("n", "v", s"CAST(n - 100 AS $declared) AS p")
          Settings.within(spark, "spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
            more.write.mode("overwrite").insertInto(t)
          }
          assert(numbers(spark.table(t)) === 2 +: (100 until 100 + written))
        }
      }
    }
  }

  test("a dynamic overwrite writes -0.0 and 0.0, before another partition column") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p DOUBLE, q INT) USING variant_shredded " +
          "PARTITIONED BY (p, q)"
      )
      spark.sql(s"INSERT INTO $t SELECT id, parse_json('1'), 0.0D, id FROM range(3)")
      Settings.within(spark, "spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        spark.sql(
          s"INSERT OVERWRITE $t VALUES (10, parse_json('1'), 0.0D, 1), " +
            "(11, parse_json('1'), -0.0D, 2)"
        )
      }
      assert(spark.table(t).select("n").collect().map(_.getInt(0)).toSet === Set(0, 10, 11))
    }
  }

  test("DELETE by a path") {
    val path = written(rows(0, 6), "p")
    spark.sql(s"DELETE FROM variant_shredded.`$path` WHERE p = 1")
    assert(numbers(reader.load(path)) === Seq(0, 2, 3, 5))
  }

  test("a partition of another writer with a colon in its name is shown and deleted") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, ts STRING) USING variant_shredded PARTITIONED BY (ts)"
      )
      rows(0, 6).selectExpr("n", "v", "concat('t', p)").write.insertInto(t)
      Files.move(directory(t).resolve("ts=t1"), directory(t).resolve("ts=a:b"))
      val shown = spark.sql(s"SHOW PARTITIONS $t").collect().map(_.getString(0)).toSeq
      assert(shown === Seq("ts=a:b", "ts=t0", "ts=t2"))
      spark.sql(s"DELETE FROM $t WHERE ts = 'a:b'")
      assert(!Files.exists(directory(t).resolve("ts=a:b")))
      assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5))
    }
  }

  test("what a symbolic link points to is not deleted") {
    withTable { t =>
      created(t)
      val other = written(rows(7, 9), "p")
      val outside = dataFiles(other)
      val link = directory(t).resolve("p=5")
      Files.createSymbolicLink(link, Path.of(other).resolve("p=1"))
      Seq(
        s"TRUNCATE TABLE $t",
        s"DELETE FROM $t",
        s"DELETE FROM $t WHERE p > 1",
        s"ALTER TABLE $t DROP PARTITION (p = 5)",
        s"TRUNCATE TABLE $t PARTITION (p = 5)",
        s"ALTER TABLE $t PARTITION (p = 5) RENAME TO PARTITION (p = 6)",
        s"INSERT OVERWRITE $t VALUES (9, parse_json('1'), 9)"
      ).foreach { statement =>
        val error = refused(statement)
        assert(error.contains(s"behind the symbolic link 'file:$link'"), s"$statement: $error")
      }
      assert(dataFiles(other) === outside)
      spark.sql(s"DELETE FROM $t WHERE p = 2")
      assert(numbers(spark.table(t)) === Seq(0, 1, 3, 4, 7))
      Files.delete(link)
      spark.sql(s"TRUNCATE TABLE $t")
      assert(dataFiles(other) === outside)
    }
  }

  test("rows are not added to partitions of a table whose files are in none") {
    withTable { t =>
      val location = written(rows(0, 3))
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
          s"LOCATION '$location'"
      )
      val error = refused(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
      assert(error.contains("PARTITIONING_MISMATCH"), error)
      assert(numbers(reader.load(location)) === (0 until 3))
    }
  }

  test("files that are not Parquet do not prevent the first INSERT into a partitioned table") {
    withTable { t =>
      val location = Files.createDirectories(Path.of(newPath()))
      Files.writeString(location.resolve("README.md"), "about this table")
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
          s"LOCATION '$location'"
      )
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 0)")
      assert(numbers(spark.table(t)) === Seq(1))
    }
    withTable { t =>
      val location = written(rows(0, 3))
      Files.writeString(Path.of(location, "README.md"), "about this table")
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT, p INT) USING variant_shredded PARTITIONED BY (p) " +
          s"LOCATION '$location'"
      )
      val error = refused(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
      assert(error.contains("PARTITIONING_MISMATCH"), error)
    }
  }

  Seq(
    Seq("p") -> "p, m", // The rows have a column that is in the files.
    Seq("m", "p") -> "p, m",
    Seq("p", "m") -> "p"
  ).foreach { case (found, declared) =>
    test(s"rows by ($declared) are not added beside files by (${found.mkString(", ")})") {
      withTable { t =>
        val location = written(rows(0, 6).withColumn("m", col("n") % 2), found: _*)
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT, m INT, p INT) USING variant_shredded " +
            s"PARTITIONED BY ($declared) LOCATION '$location'"
        )
        val one = "(n, v, m, p) VALUES (9, parse_json('{\"n\": 9}'), 1, 7)"
        val error = refused(s"INSERT INTO $t $one")
        assert(error.contains("PARTITIONING_MISMATCH"), error)
        withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
          val overwrite = refused(s"INSERT OVERWRITE $t $one")
          assert(overwrite.contains("PARTITIONING_MISMATCH"), overwrite)
        }
        assert(numbers(reader.load(location)) === (0 until 6))
        assert(numbers(spark.table(t)) === (0 until 6))
        spark.sql(s"INSERT OVERWRITE $t $one")
        spark.sql(s"INSERT INTO $t $one")
        assert(numbers(spark.table(t)) === Seq(9, 9))
      }
    }
  }

  private def unpartitioned(table: String, options: String = ""): Unit = {
    spark.sql(s"CREATE TABLE $table (n INT, v VARIANT, p INT) USING variant_shredded $options")
    writer(rows(0, 3)).mode("overwrite").partitionBy("p").save(directory(table).toString)
    assert(spark.table(table).count() === 3)
  }

  test("rows are not added beside the partitions that another job has made in a table by path") {
    withTable { t =>
      unpartitioned(t)
      assert(numbers(spark.table(t).where("p = 1")) === Seq(1))
      val values = "VALUES (9, parse_json('{\"n\": 9}'), 0)"
      val error = refused(s"INSERT INTO $t $values")
      assert(error.contains("PARTITIONING_MISMATCH"), error)
      assert(numbers(spark.table(t)) === (0 until 3))
      spark.sql(s"INSERT OVERWRITE $t $values")
      spark.sql(s"INSERT INTO $t $values")
      assert(numbers(spark.table(t)) === Seq(9, 9))
    }
    withTable { t =>
      unpartitioned(t, "OPTIONS (recursiveFileLookup = true)")
      spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
      assert(numbers(spark.table(t)) === Seq(0, 1, 2, 9))
    }
  }

  test("files outside of partitions are not deleted, and nothing else is") {
    withTable { t =>
      created(t)
      val stray = directory(t).resolve("stray.parquet")
      Files.copy(onlyFile(directory(t).resolve("p=0").toString), stray)
      val error = refused(s"ALTER TABLE $t DROP PARTITION (p = 1)")
      assert(error.contains("is in no partition"), error)
      Files.delete(stray)
      assert(numbers(spark.table(t)) === (0 until 6))
    }
  }

  test("a renamed partition keeps its rows at each moment: copies are named by the job") {
    withTable { t =>
      created(t)
      val before = dataFiles(directory(t).resolve("p=1").toString).toSet
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
      assert(numbers(spark.table(t).where("p = 7")) === Seq(1, 4))
      assert(!Files.exists(directory(t).resolve("p=1")))
      assert(dataFiles(directory(t).resolve("p=7").toString).toSet.intersect(before).isEmpty)
      assert(numbers(spark.table(t)) === (0 until 6))
    }
  }

  test("a partition is not renamed if the options of the table would hide the renamed files") {
    Seq("pathGlobFilter" -> "rows-*.parquet", "modifiedBefore" -> "2020-01-01T00:00:00").foreach {
      case (option, value) =>
        withTable { t =>
          created(t, s"OPTIONS ($option '$value')")
          val before = dataFiles(directory(t).toString).map { name =>
            val file = directory(t).resolve(name)
            val chosen = file.resolveSibling(s"rows-${file.getFileName}")
            Files.move(file, chosen)
            Files.setLastModifiedTime(chosen, FileTime.fromMillis(1500000000000L))
          }
          assert(numbers(spark.table(t)) === (0 until 6))
          val error = refused(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
          assert(error.contains("Renaming a partition"), error)
          assert(numbers(spark.table(t)) === (0 until 6))
          assert(before.forall(Files.exists(_)))
        }
    }
    withTable { t =>
      created(t, "OPTIONS (pathGlobFilter '*.parquet')")
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
      assert(numbers(spark.table(t).where("p = 7")) === Seq(1, 4))
    }
  }

  test("Parquet's summary files are in no partition, and no data") {
    withTable { t =>
      created(t)
      val data = onlyFile(directory(t).resolve("p=1").toString)
      Seq("_metadata", "_common_metadata", "p=1/_metadata").foreach { name =>
        Files.copy(data, directory(t).resolve(name))
      }
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)")
      assert(numbers(spark.table(t).where("p = 7")) === Seq(1, 4))
      assert(!Files.exists(directory(t).resolve("p=1")))
      spark.sql(s"ALTER TABLE $t DROP PARTITION (p = 0)")
      spark.sql(s"TRUNCATE TABLE $t PARTITION (p = 2)")
      assert(numbers(spark.table(t)) === Seq(1, 4))
      spark.sql(s"DELETE FROM $t WHERE p = 7")
      assert(numbers(spark.table(t)) === Nil)
      assert(Files.exists(directory(t).resolve("_metadata")))
      assert(shownPartitions(t) === Seq("p=2"))
    }
  }

  test("rows are added to a partitioned table of which only Parquet's summary files are left") {
    withTable { t =>
      created(t)
      val data = onlyFile(directory(t).resolve("p=1").toString)
      Seq("_metadata", "_common_metadata").foreach { name =>
        Files.copy(data, directory(t).resolve(name))
      }
      spark.sql(s"DELETE FROM $t WHERE p >= 0")
      spark.sql(s"INSERT INTO $t VALUES (9, parse_json('{\"n\": 9}'), 0)")
      assert(numbers(spark.table(t)) === Seq(9))
      spark.sql(s"DELETE FROM $t WHERE p = 0")
      val path = directory(t).toString
      writer(rows(0, 3)).mode("append").partitionBy("p").save(path)
      assert(numbers(spark.table(t)) === (0 until 3))
      assert(Files.exists(directory(t).resolve("_metadata")))
    }
  }

  test("directories of partitions are created while no other job commits") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    withTable { t =>
      val location = newPath()
      created(t, s"LOCATION '${FaultFileSystem.Scheme}://$location'")
      Seq(
        s"ALTER TABLE $t ADD PARTITION (p = 5)",
        s"ALTER TABLE $t PARTITION (p = 5) RENAME TO PARTITION (p = 6)",
        s"ALTER TABLE $t PARTITION (p = 1) RENAME TO PARTITION (p = 7)",
        s"DELETE FROM $t"
      ).foreach { statement =>
        val made = new CreatedDirectories
        val _ = Faults.watched(location, made)(spark.sql(statement))
        assert(made.alone.isEmpty, statement)
        assert(made.duringCommit.nonEmpty, statement)
      }
      assert(shownPartitions(t) === Seq("p=0", "p=2", "p=6", "p=7"))
    }
  }

  /** Returns the directories that `body` lists, from that of the table on. */
  private def listed(root: String)(body: => Any): Seq[String] = {
    val found = mutable.Buffer.empty[String]
    val watcher = new Watcher {
      override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
        val path = operation.path.toUri.getPath
        if (operation.kind == "list" && !path.contains("_variant_shredded_commits"))
          found.synchronized(found += path.stripPrefix(root).stripPrefix("/"))
        carryOut
      }
    }
    val _ = Faults.watched(root, watcher)(body)
    found.toSeq
  }

  /** Runs `test` with a table by `p` and `q`, and its directory, whose listings can be watched. */
  private def withWatchedTable(test: (String, String) => Unit): Unit = withTable { t =>
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    val location = newPath()
    spark.sql(
      s"CREATE TABLE $t (n INT, v VARIANT, p INT, q STRING) USING variant_shredded " +
        s"PARTITIONED BY (p, q) LOCATION '${FaultFileSystem.Scheme}://$location'"
    )
    test(t, location)
  }

  test("only the directories that can hold the partition of a statement are listed") {
    withWatchedTable { (t, location) =>
      rows(0, 30)
        .selectExpr("n", "v", "n % 10 AS p", "if(n % 2 = 0, 'a', NULL) AS q")
        .write
        .insertInto(t)
      Files.move(Path.of(location, "p=1"), Path.of(location, "p=01"))
      Files.move(Path.of(location, "p=2"), Path.of(location, "P=2"))
      def shown(spec: String) =
        spark.sql(s"SHOW PARTITIONS $t PARTITION ($spec)").collect().map(_.getString(0)).toSeq
      val ofNull = "q=__HIVE_DEFAULT_PARTITION__"
      Seq(
        "p = 1" -> (Seq("", "p=01") -> Seq(s"p=01/$ofNull")),
        "p = 2" -> (Seq("", "P=2") -> Seq("p=2/q=a")),
        "p = 1, q = NULL" -> (Seq("", "p=01") -> Seq(s"p=01/$ofNull")),
        "p = 1, q = 'b'" -> (Seq("", "p=01") -> Nil),
        "p = 77" -> (Seq("") -> Nil)
      ).foreach { case (spec, (directories, partitions)) =>
        val found = listed(location)(assert(shown(spec) === partitions, spec))
        assert(found === directories, spec)
      }
      assert(listed(location)(spark.sql(s"SHOW PARTITIONS $t")).size === 11)
      val added = listed(location)(spark.sql(s"ALTER TABLE $t ADD PARTITION (p = 3, q = 'c')"))
      assert(added.filter(_.startsWith("p=")).toSet === Set("p=3"))
      spark.sql(s"ALTER TABLE $t PARTITION (p = 1, q = NULL) RENAME TO PARTITION (p = 3, q = 'd')")
      spark.sql(s"DELETE FROM $t WHERE p > 4")
      assert(
        shownPartitions(t) === Seq(
          "p=0/q=a",
          "p=2/q=a",
          s"p=3/$ofNull",
          "p=3/q=c",
          "p=3/q=d",
          "p=4/q=a"
        )
      )
    }
  }

  test("an overwrite of partitions lists only the directories that can hold their files") {
    withWatchedTable { (t, location) =>
      rows(0, 30).selectExpr("n", "v", "n % 10 AS p", "string(n % 3) AS q").write.insertInto(t)
      Files.move(Path.of(location, "p=1"), Path.of(location, "p=01"))
      val row = "n, parse_json(concat('{\"n\": ', n, '}')) AS v"
      Seq(
        s"INSERT OVERWRITE $t PARTITION (p = 1, q = '1') SELECT $row FROM (SELECT 31 AS n)" ->
          Set("p=01", "p=01/q=1"),
        s"INSERT OVERWRITE $t PARTITION (p = 2, q) SELECT $row, '7' FROM (SELECT 32 AS n)" ->
          Set("p=2", "p=2/q=0", "p=2/q=1", "p=2/q=2"),
        s"INSERT INTO $t REPLACE WHERE p = 3 SELECT $row, 3, '7' FROM (SELECT 33 AS n)" ->
          Set("p=3", "p=3/q=0", "p=3/q=1", "p=3/q=2")
      ).foreach { case (statement, directories) =>
        val found = listed(location)(spark.sql(statement)).filter(_.startsWith("p=")).toSet
        assert(directories.subsetOf(found), statement)
        // The write looks for one data file of the table, to compare the partitioning.
        assert((found -- directories).size <= 2, statement)
      }
      // A value of the second column alone: the directories of the first one tell nothing.
      val all = listed(location) {
        spark.sql(s"INSERT INTO $t REPLACE WHERE q = '2' SELECT $row, 4, '2' FROM (SELECT 34 AS n)")
      }
      val others = all.filter(name => name.contains("q=") && !name.endsWith("q=2"))
      assert(others.size <= 1, all)
      val left = (0 until 30).filterNot(n => n % 10 == 2 || n % 10 == 3 || n % 3 == 2 || n == 1)
      assert(numbers(spark.table(t)) === (left ++ (31 to 34)))
    }
  }

  private def shownPartitions(table: String): Seq[String] =
    spark.sql(s"SHOW PARTITIONS $table").collect().map(_.getString(0)).toSeq

  test("statements on a partition whose value is written in two ways, month=1 and month=01") {
    withTable { t =>
      val path = written(spark.sql("SELECT 1 AS n, '01' AS month, '2' AS day"), "month", "day")
      writer(spark.sql("SELECT 2 AS n, '1' AS month, '2' AS day"))
        .partitionBy("month", "day")
        .mode("append")
        .save(path)
      spark.sql(
        s"CREATE TABLE $t (n INT, month INT, day INT) USING variant_shredded " +
          s"PARTITIONED BY (month, day) LOCATION '$path'"
      )
      val partition = "PARTITION (month = 1, day = 2)"
      val shown = spark.sql(s"SHOW TABLE EXTENDED LIKE '$t' $partition").head().getString(3)
      assert(shown.contains("Partition Values: [month=1, day=2]"), shown)
      val described = spark.sql(s"DESCRIBE TABLE EXTENDED $t $partition").collect()
      assert(described.exists(_.getString(1).contains("month=1, day=2")), described.mkString("\n"))
      assert(spark.sql(s"SHOW PARTITIONS $t").count() === 2)
      assert(spark.sql(s"SELECT n FROM $t WHERE month = 1").count() === 2)
    }
  }

  test("external tables: DROP PARTITION is refused, DELETE deletes") {
    withTable { t =>
      val location = newPath()
      created(t, s"LOCATION '$location'")
      val error = refused(s"ALTER TABLE $t DROP PARTITION (p = 1)")
      assert(error.contains(s"DROP PARTITION of the external table `default`.`$t`"), error)
      assert(numbers(spark.table(t)) === (0 until 6))
      spark.sql(s"DELETE FROM $t WHERE p = 1")
      assert(numbers(spark.table(t)) === Seq(0, 2, 3, 5))
      val described = spark.sql(s"DESCRIBE EXTENDED $t").collect()
      assert(described.contains(Row("Type", "EXTERNAL", "")))
    }
  }

  test("a location of ADD PARTITION is resolved against the table, as for Spark's own sources") {
    FaultFileSystem.register(spark.sparkContext.hadoopConfiguration)
    withTable { t =>
      val path = newPath()
      created(t, s"LOCATION '${FaultFileSystem.Scheme}://$path'")
      Seq(
        "p=6",
        s"$path/p=7",
        s"${FaultFileSystem.Scheme}://$path/p=8"
      ).zipWithIndex.foreach { case (location, i) =>
        spark.sql(s"ALTER TABLE $t ADD PARTITION (p = ${6 + i}) LOCATION '$location'")
      }
      assert(shownPartitions(t).drop(3) === Seq("p=6", "p=7", "p=8"))
      Seq("p=1", "../p=9", s"file:$path/p=9").foreach { location =>
        val error = refused(s"ALTER TABLE $t ADD PARTITION (p = 9) LOCATION '$location'")
        assert(error.contains("outside the directory of its table"), location)
      }
    }
  }

  test("partitions elsewhere, statistics of columns and of partitions are refused") {
    withTable { t =>
      created(t)
      val elsewhere = refused(s"ALTER TABLE $t ADD PARTITION (p = 8) LOCATION '${newPath()}'")
      assert(elsewhere.contains("outside the directory of its table"), elsewhere)
      spark.sql(
        s"ALTER TABLE $t ADD PARTITION (p = 8) LOCATION '${directory(t).resolve("p=8").toUri}'"
      )
      Seq("COMPUTE STATISTICS FOR COLUMNS n", "PARTITION (p = 1) COMPUTE STATISTICS").foreach {
        kind =>
          val text =
            if (kind.startsWith("PARTITION")) s"ANALYZE TABLE $t $kind"
            else s"ANALYZE TABLE $t $kind"
          assert(refused(text).contains("ANALYZE TABLE of a partition or FOR COLUMNS"))
      }
    }
  }

  test("files that others put into a partition are in the table without MSCK REPAIR") {
    withTable { t =>
      created(t)
      val other = written(rows(7, 8), "p")
      Files.createDirectory(directory(t).resolve("p=5"))
      Files.copy(Path.of(other, dataFiles(other).head), directory(t).resolve("p=5/other.parquet"))
      assert(numbers(spark.table(t)) === Seq(0, 1, 2, 3, 4, 5, 7))
      assert(spark.sql(s"SHOW PARTITIONS $t").collect().map(_.getString(0)).contains("p=5"))
    }
  }

  test("ANALYZE TABLE stores bytes and rows; the planner knows both") {
    withTable { t =>
      created(t)
      // A name without a catalog is one of the current catalog.
      spark.sql("USE variant_shredded")
      try spark.sql(s"ANALYZE TABLE spark_catalog.default.$t COMPUTE STATISTICS")
      finally spark.sql("USE spark_catalog")
      val shown = spark.sql(s"SHOW TABLE EXTENDED LIKE '$t'").head().getString(3)
      val bytes = dataFiles(directory(t).toString).map(f => Files.size(directory(t).resolve(f))).sum
      assert(shown.contains(s"Statistics: $bytes bytes, 6 rows"), shown)
      assert(
        spark.table(t).queryExecution.optimizedPlan.stats.rowCount.exists(_ == BigInt(6))
      )
    }
  }

  test("ANALYZE TABLES stores bytes and rows of partitioned tables") {
    spark.sql("CREATE DATABASE analyzed")
    try {
      created("analyzed.ours")
      spark.range(7).write.saveAsTable("analyzed.others")
      spark.range(1).createOrReplaceTempView("of_session")
      def statistics(table: String): String = {
        val shown = spark.sql(s"SHOW TABLE EXTENDED IN analyzed LIKE '$table'").head().getString(3)
        shown.linesIterator.find(_.startsWith("Statistics:")).getOrElse("")
      }
      val location = directory("analyzed.db").resolve("ours")
      val bytes = dataFiles(location.toString).map(f => Files.size(location.resolve(f))).sum
      spark.sql("ANALYZE TABLES IN analyzed COMPUTE STATISTICS NOSCAN")
      // Spark prints 0 for a number of rows that it does not know.
      assert(statistics("ours") === s"Statistics: $bytes bytes, 0 rows")
      spark.sql("ANALYZE TABLES IN analyzed COMPUTE STATISTICS")
      assert(statistics("ours") === s"Statistics: $bytes bytes, 6 rows")
      assert(statistics("others").endsWith(" bytes, 7 rows"))
    } finally spark.sql("DROP DATABASE analyzed CASCADE")
  }

  test("LIKE keeps the options, in a session that has not used the format too") {
    withTable { t =>
      withTable { like =>
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded OPTIONS (compression 'gzip')"
        )
        spark.newSession().sql(s"CREATE TABLE $like LIKE $t")
        spark.sql(s"INSERT INTO $like VALUES (1, parse_json('{\"n\": 1}'))")
        assert(dataFiles(directory(like).toString).forall(_.endsWith(".gz.parquet")))
        assert(numbers(spark.table(like)) === Seq(1))
        val shown = spark.sql(s"SHOW CREATE TABLE $like").head().getString(0)
        spark.sql(s"DROP TABLE $like")
        spark.sql(shown)
        assert(spark.sql(s"SHOW CREATE TABLE $like").head().getString(0) === shown)
      }
      withTable { parquet =>
        withTable { like =>
          spark.sql(s"CREATE TABLE $parquet (n INT, v VARIANT) USING parquet")
          spark.newSession().sql(s"CREATE TABLE $like LIKE $parquet USING variant_shredded")
          spark.sql(s"INSERT INTO $like VALUES (1, parse_json('{\"n\": 1}'))")
          assert(numbers(spark.table(like)) === Seq(1))
        }
      }
    }
  }

  test("LIKE of a table of this format makes tables of Spark's formats too") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, p INT) USING variant_shredded PARTITIONED BY (p)"
      )
      Seq("parquet", "orc", "csv").foreach { format =>
        val path = newPath()
        Seq("" -> "MANAGED", s"LOCATION '$path'" -> "EXTERNAL").foreach { case (location, kind) =>
          withTable { like =>
            spark.sql(s"CREATE TABLE $like LIKE $t USING $format $location")
            spark.sql(s"INSERT INTO $like VALUES (1, 2)")
            assert(spark.table(like).collect().map(_.toString) === Array("[1,2]"))
            val entry = spark.sessionState.catalog.getTableMetadata(TableIdentifier(like))
            assert(entry.provider === Some(format))
            assert(entry.tableType.name === kind)
            assert(entry.partitionColumnNames === Seq("p"))
          }
        }
        assert(partitions(path) === (if (format == "parquet") Seq("p=2") else Nil))
      }
    }
  }

  test("options that LIKE names replace those of the other table, and are checked") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded " +
          "OPTIONS (compression 'gzip', validation 'permissive')"
      )
      def like(copy: String, properties: String) =
        spark.sql(s"CREATE TABLE $copy LIKE $t TBLPROPERTIES ($properties)")
      Seq("compression", "COMPRESSION", "parquet.compression").foreach { option =>
        withTable { copy =>
          like(copy, s"'$option' = 'zstd', 'team' = 'x'")
          spark.sql(s"INSERT INTO $copy VALUES (1, parse_json('{\"n\": 1}'))")
          assert(dataFiles(directory(copy).toString).forall(_.endsWith(".zstd.parquet")), option)
          val shown = spark.sql(s"SHOW CREATE TABLE $copy").head().getString(0)
          assert(shown.contains("'validation' = 'permissive'") && !shown.contains("gzip"), shown)
          assert(shown.contains("'team' = 'x'"), shown)
        }
      }
      Seq(
        "'shreding' = 'n int'" -> "did you mean 'shredding'",
        "'validation' = 'lenient'" -> "Option 'validation' is 'lenient'",
        "'shredding' = 'n integr'" -> "INVALID_SHREDDING_SPECIFICATION"
      ).foreach { case (properties, text) =>
        withTable { copy =>
          val error = intercept[VariantShreddedException](like(copy, properties)).getMessage
          assert(error.contains(text), error)
          assert(!spark.catalog.tableExists(copy))
        }
      }
      withTable { copy =>
        intercept[Exception](like(copy, "'compression' = 'zipped'"))
        assert(!spark.catalog.tableExists(copy))
      }
    }
  }

  test("spark.catalog tells managed and external tables apart, also when they are altered") {
    withTable { managed =>
      withTable { external =>
        withTable { like =>
          withTable { saved =>
            val moved = newPath()
            created(managed)
            created(external, s"LOCATION '${newPath()}'")
            spark.sql(s"CREATE TABLE $like LIKE $managed LOCATION '${newPath()}'")
            writer(rows(0, 3)).option("path", newPath()).saveAsTable(saved)
            def types = {
              val listed =
                spark.catalog.listTables().collect().map(t => t.name -> t.tableType).toMap
              Seq(managed, external, like, saved).map { t =>
                assert(spark.catalog.getTable(t).tableType === listed(t))
                listed(t)
              }
            }
            val expected = Seq("MANAGED", "EXTERNAL", "EXTERNAL", "EXTERNAL")
            assert(types === expected)
            val shown = Seq(managed, external, like, saved).map { t =>
              spark.sql(s"SHOW CREATE TABLE $t").head().getString(0)
            }
            Seq(managed, external, like, saved).zip(shown).foreach { case (t, statement) =>
              val location =
                spark.sessionState.catalog.getTableMetadata(TableIdentifier(t)).location
              spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('team' = 'x')")
              spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('team')")
              assert(spark.sql(s"SHOW CREATE TABLE $t").head().getString(0) === statement)
              val entry = spark.sessionState.catalog.getTableMetadata(TableIdentifier(t))
              assert(entry.location === location)
            }
            assert(types === expected)
            Seq(managed, external).foreach { t =>
              spark.sql(s"ALTER TABLE $t SET LOCATION '$moved'")
            }
            assert(types === expected)
            assert(spark.table(managed).count() === 0)
            spark.sql(s"ALTER TABLE $external SET TBLPROPERTIES ('team' = 'x')")
            assert(types === expected)
            // Files of an external table stay.
            val path = Path.of(
              spark.sessionState.catalog
                .getTableMetadata(TableIdentifier(saved))
                .location
            )
            spark.sql(s"DROP TABLE $saved")
            assert(numbers(reader.load(path.toString)) === Seq(0, 1, 2))
            writer(rows(0, 1)).saveAsTable(saved)
            assert(spark.catalog.getTable(saved).tableType === "MANAGED")
            spark.sql(s"DROP TABLE $saved")
            assert(!Files.exists(directory(saved)))
          }
        }
      }
    }
  }
}

/** Collects the partitions that are created, and whether a job has a commit note then. */
private final class CreatedDirectories extends Watcher {
  val duringCommit: mutable.Buffer[String] = mutable.Buffer.empty
  val alone: mutable.Buffer[String] = mutable.Buffer.empty
  private var commits = false

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    val name = operation.path.getName
    if (operation.kind == "rename" && name.endsWith(".adding.tmp")) commits = true
    if (operation.kind == "delete" && name.endsWith(".adding")) commits = false
    if (operation.kind == "mkdirs" && name.contains("="))
      (if (commits) duringCommit else alone) += name
    carryOut
  }
}

package io.github.variantshredded.table

import io.github.variantshredded.errors.VariantShreddedException
import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.testing.TableSuite
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{classic, Row}
import org.scalatest.Assertion

/** What a table by name is declared to be, and how that is changed. */
class AlteredTableSuite extends TableSuite {

  private def created(table: String, columns: String = "n INT, v VARIANT, p INT"): Unit = {
    val _ = spark.sql(
      s"CREATE TABLE $table ($columns) USING `variant-shredded` PARTITIONED BY (p)"
    )
  }

  private def refused(statement: String): SparkThrowable =
    try {
      spark.sql(statement)
      fail(s"accepted: $statement")
    } catch { case e: SparkThrowable => e }

  private def messageOf(statement: String): String = refused(statement) match {
    case e: Throwable => e.getMessage.linesIterator.next()
    case other        => fail(other.toString)
  }

  test("comment, collation and location outlast other changes") {
    withTable { t =>
      withTable { renamed =>
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded COMMENT 'keep me' " +
            "DEFAULT COLLATION UTF8_LCASE"
        )
        def shown(table: String) = spark.sql(s"SHOW CREATE TABLE $table").head().getString(0)
        def kept(table: String): Unit = {
          assert(shown(table).contains("COMMENT 'keep me'"), shown(table))
          assert(shown(table).contains("DEFAULT COLLATION UTF8_LCASE"), shown(table))
        }
        spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('a' = 'b')")
        kept(t)
        spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('a')")
        kept(t)
        spark.sql(s"ALTER TABLE $t SET LOCATION '${newPath()}'")
        kept(t)
        spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'))")
        spark.sql(s"ALTER TABLE $t RENAME TO $renamed")
        assert(numbers(spark.table(renamed)) === Seq(1))
        spark.sql(s"ALTER TABLE $renamed SET TBLPROPERTIES ('a' = 'b')")
        assert(numbers(spark.table(renamed)) === Seq(1))
        kept(renamed)
        spark.sql(s"COMMENT ON TABLE $renamed IS 'another'")
        assert(shown(renamed).contains("COMMENT 'another'"))
        spark.sql(s"COMMENT ON TABLE $renamed IS NULL")
        assert(!shown(renamed).contains("another"))
      }
    }
  }

  /** The rows are the same if the push-down is off. */
  private def sameWithout(pushDown: OptionEntry[Boolean], clue: String)(
      found: => Seq[Any]
  ): Assertion = {
    val wanted = withConf(pushDown.name -> "false")(found)
    assert(found === wanted, clue)
  }

  test("a predicate on a field of a column that was added with a default value") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded")
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('1'))")
      spark.sql(
        s"ALTER TABLE $t ADD COLUMN s STRUCT<a: INT, b: INT> DEFAULT named_struct('a', 1, 'b', 2)"
      )
      spark.sql(s"INSERT INTO $t VALUES (2, parse_json('2'), named_struct('a', 5, 'b', 6))")
      def found(columns: String, predicate: String) =
        spark.sql(s"SELECT $columns FROM $t WHERE $predicate ORDER BY n").collect().toSeq
      assert(found("*", "s.a = 1").map(_.getInt(0)) === Seq(1))
      for {
        columns <- Seq("*", "n, s", "n")
        predicate <- Seq("s.a = 1", "s.a IS NULL", "s.a IS NOT NULL", "s.a > 1")
      } sameWithout(ReadOptions.PushDownPredicates, s"$columns WHERE $predicate") {
        found(columns, predicate)
      }
    }
  }

  test("a predicate on a whole column with a default value, of which the query reads a field") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded")
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('1'))")
      Seq(
        "s STRUCT<a: INT, b: INT> DEFAULT named_struct('a', 1, 'b', 2)",
        "l ARRAY<STRUCT<a: INT, b: INT>> DEFAULT array(named_struct('a', 1, 'b', 2))",
        "m MAP<STRING, STRUCT<a: INT, b: INT>> DEFAULT map('k', named_struct('a', 1, 'b', 2))"
      ).foreach(column => spark.sql(s"ALTER TABLE $t ADD COLUMN $column"))
      spark.sql(
        s"INSERT INTO $t VALUES (2, parse_json('2'), named_struct('a', 5, 'b', 6), null, null)"
      )
      def found(columns: String, predicate: String) =
        spark.sql(s"SELECT $columns FROM $t WHERE $predicate ORDER BY n").collect().toSeq
      assert(found("n, s.a", "s IS NULL") === Seq(Row(1, null)))
      assert(found("n, s", "s IS NULL") === Nil)
      for {
        columns <- Seq("n, s.a", "n, l[0].a", "n, m['k'].a", "n, s.a, s.b", "n, s, l, m", "n")
        column <- Seq("s", "l", "m")
        predicate <- Seq(s"$column IS NULL", s"$column IS NOT NULL", s"$column IS NULL OR n = 7")
      } sameWithout(ReadOptions.PushDownPredicates, s"$columns WHERE $predicate") {
        found(columns, predicate)
      }
    }
  }

  test("default values of every type, in files without the columns") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n BIGINT, v VARIANT) USING variant_shredded")
      spark.sql(s"INSERT INTO $t SELECT id, parse_json('1') FROM range(0, 3, 1, 1)")
      Seq(
        "s STRUCT<a: INT, b: BINARY, c: ARRAY<INT>> DEFAULT named_struct('a', 1, 'b', NULL, 'c', NULL)",
        "b BINARY DEFAULT X'0102'",
        "d DECIMAL(38, 0) DEFAULT 12345678901234567890123456789012345678",
        "e DECIMAL(20, 2) DEFAULT -1.5",
        "i INTERVAL DAY TO SECOND DEFAULT INTERVAL '1 02:03:04' DAY TO SECOND",
        "c STRING COLLATE UTF8_LCASE DEFAULT 'Ab'",
        "l ARRAY<STRUCT<a: INT>> DEFAULT array(named_struct('a', 1), NULL)",
        "m MAP<STRING, STRUCT<a: INT, b: DECIMAL(30, 1)>> " +
          "DEFAULT map('k', named_struct('a', 1, 'b', 2.5), 'l', NULL)",
        "w STRUCT<v: VARIANT, k: BINARY> DEFAULT named_struct('v', parse_json('{\"q\": 7}'), 'k', NULL)"
      ).foreach(column => spark.sql(s"ALTER TABLE $t ADD COLUMN $column"))
      def found(columns: String, predicate: String = "true") =
        spark.sql(s"SELECT $columns FROM $t WHERE $predicate").collect().map(_.toString).toSeq
      def all(row: String) = Seq.fill(3)(row)
      for {
        offHeap <- Seq("false", "true")
        ignore <- Seq("false", "true")
      } withConf(
        "spark.sql.columnVector.offheap.enabled" -> offHeap,
        "spark.sql.files.ignoreCorruptFiles" -> ignore
      ) {
        assert(found("s") === all("[[1,null,null]]"))
        assert(found("s.a, s.b, s.c") === all("[1,null,null]"))
        assert(
          found("hex(b), d, e, c = 'AB'") === all(s"[0102,${"1234567890" * 3}12345678,-1.50,true]")
        )
        assert(found("i") === all("[PT26H3M4S]"))
        assert(found("l[0], l[1], size(l)") === all("[[1],null,2]"))
        assert(found("m['k'].a, m['k'].b") === all("[1,2.5]"))
        assert(found("m['k'], m['l'], size(m)") === all("[[1,2.5],null,2]"))
        assert(found("to_json(w)") === all("[{\"v\":{\"q\":7}}]"))
        assert(found("n", "b = X'0102'") === Seq("[0]", "[1]", "[2]"))
        assert(found("n", "b = X'01'") === Nil)
        assert(found("n", "e < 0 AND d > 1") === Seq("[0]", "[1]", "[2]"))
        assert(spark.table(t).collect().length === 3)
      }
    }
  }

  test("extractions from a Variant in a struct with a default value") {
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT) USING variant_shredded")
      spark.sql(s"INSERT INTO $t VALUES (1)")
      spark.sql(
        s"ALTER TABLE $t ADD COLUMN s STRUCT<v: VARIANT, k: INT> " +
          "DEFAULT named_struct('v', parse_json('{\"q\": 7}'), 'k', 2)"
      )
      spark.sql(
        s"INSERT INTO $t VALUES (2, named_struct('v', parse_json('{\"q\": 8}'), 'k', 3))"
      )
      def found(query: String) = spark.sql(query).collect().map(_.toString).sorted.toSeq
      val joined = s"FROM $t t JOIN range(5) r ON t.n = r.id"
      // Spark reads the whole struct, because all of its fields are used above the join.
      assert(found(s"SELECT t.s.k, t.s.v:q::int $joined") === Seq("[2,7]", "[3,8]"))
      assert(found(s"SELECT t.s.k, t.s.v:q::int $joined WHERE n = 2") === Seq("[3,8]"))
      assert(found(s"SELECT n, to_json(s) FROM $t WHERE s.v:q::int = 7").size === 1)
      for {
        query <- Seq(
          s"SELECT t.s.k, t.s.v:q::int $joined",
          s"SELECT n, max(s.v:q::int) OVER (PARTITION BY s.k) FROM $t",
          s"SELECT n, s.v:q::int FROM $t",
          s"SELECT n, s.k, s.v:q::int FROM $t",
          s"SELECT n FROM $t WHERE s.v:q::int = 7",
          s"SELECT n, s.k FROM $t WHERE s.v:q::int IS NULL",
          s"SELECT n, to_json(s) FROM $t WHERE s.v:q::int = 7",
          s"SELECT count(s.v), count(s.v:q::int), max(s.k) FROM $t"
        )
        off <- Seq(ReadOptions.PushDownPredicates, ReadOptions.PushDownExtractions)
      } sameWithout(off, query)(found(query))
    }
  }

  test("limits of CHAR and VARCHAR cannot be changed") {
    withTable { t =>
      withTable { parquet =>
        val columns = "n INT, c VARCHAR(3), d CHAR(2), p INT"
        created(t, columns)
        spark.sql(s"CREATE TABLE $parquet ($columns) USING parquet PARTITIONED BY (p)")
        Seq("c TYPE STRING", "d TYPE STRING", "c TYPE VARCHAR(9)", "n TYPE STRING").foreach {
          change =>
            val statement = s"ALTER COLUMN $change"
            val expected = messageOf(s"ALTER TABLE $parquet $statement").replace(parquet, t)
            assert(messageOf(s"ALTER TABLE $t $statement") === expected, change)
        }
      }
    }
  }

  test("changes of columns that files cannot follow are refused as for Spark's Parquet tables") {
    withTable { t =>
      withTable { parquet =>
        created(t, "n INT, s STRUCT<a: INT>, v VARIANT, p INT")
        spark.sql(
          s"CREATE TABLE $parquet (n INT, s STRUCT<a: INT>, v STRING, p INT) " +
            "USING parquet PARTITIONED BY (p)"
        )
        spark.sql(s"INSERT INTO $t VALUES (1, struct(2), parse_json('{\"n\": 1}'), 3)")
        Seq(
          "RENAME COLUMN n TO m",
          "RENAME COLUMN s.a TO b",
          "DROP COLUMN n",
          "DROP COLUMNS (n, s)",
          "REPLACE COLUMNS (n INT)",
          "ALTER COLUMN n TYPE BIGINT",
          "ALTER COLUMN p TYPE BIGINT",
          "ALTER COLUMN n DROP NOT NULL",
          "ALTER COLUMN n FIRST",
          "ADD COLUMN m INT NOT NULL",
          "ADD COLUMN s.b INT"
        ).foreach { change =>
          val expected = messageOf(s"ALTER TABLE $parquet $change").replace(parquet, t)
          assert(messageOf(s"ALTER TABLE $t $change") === expected, change)
        }
        Seq("ADD CONSTRAINT c CHECK (n > 0)", "CLUSTER BY (n)").foreach { change =>
          assert(refused(s"ALTER TABLE $t $change").getCondition != null, change)
        }
        assert(
          spark.table(t).schema.simpleString === "struct<n:int,s:struct<a:int>,v:variant,p:int>"
        )
        assert(spark.table(t).selectExpr("n", "s.a", "v:n::int", "p").head() === Row(1, 2, 1, 3))
      }
    }
  }

  test("a column is added to a partitioned table, before the partition columns") {
    withTable { t =>
      created(t)
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 3)")
      spark.sql(s"ALTER TABLE $t ADD COLUMN extra STRING COMMENT 'more'")
      assert(spark.table(t).columns.toSeq === Seq("n", "v", "extra", "p"))
      assert(spark.table(t).schema("extra").getComment() === Some("more"))
      spark.sql(s"INSERT INTO $t VALUES (2, parse_json('{\"n\": 2}'), 'x', 4)")
      val found = spark.table(t).selectExpr("n", "v:n::int", "extra", "p").collect().toSet
      assert(found === Set(Row(1, 1, null, 3), Row(2, 2, "x", 4)))
      assert(numbers(spark.table(t).where("p = 4 and extra = 'x'")) === Seq(2))
      spark.sql(s"ALTER TABLE $t ADD COLUMNS (a INT FIRST, b VARIANT AFTER n)")
      assert(spark.table(t).columns.toSeq === Seq("a", "n", "b", "v", "extra", "p"))
      spark.sql(s"ALTER TABLE $t ALTER COLUMN extra COMMENT 'changed'")
      assert(spark.table(t).schema("extra").getComment() === Some("changed"))
      assert(numbers(spark.table(t)) === Seq(1, 2))
    }
  }

  test("a column is added to a table whose partition column was declared first, before it") {
    withTable { t =>
      created(t, "p INT, n INT, v VARIANT")
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 3)")
      spark.sql(s"ALTER TABLE $t ADD COLUMN extra STRING")
      assert(spark.table(t).columns.toSeq === Seq("n", "v", "extra", "p"))
      spark.sql(s"INSERT INTO $t VALUES (2, parse_json('{\"n\": 2}'), 'x', 4)")
      val found = spark.table(t).selectExpr("n", "v:n::int", "extra", "p").collect().toSet
      assert(found === Set(Row(1, 1, null, 3), Row(2, 2, "x", 4)))
      assert(partitions(directory(t).toString) === Seq("p=3", "p=4"))
      spark.sql(s"ALTER TABLE $t ALTER COLUMN extra COMMENT 'changed'")
      assert(spark.table(t).schema("extra").getComment() === Some("changed"))
    }
  }

  test("a cached table shows a column that is added") {
    withTable { t =>
      created(t)
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 3)")
      spark.sql(s"CACHE TABLE $t")
      spark.sql(s"ALTER TABLE $t ADD COLUMN extra STRING")
      assert(spark.table(t).columns.toSeq === Seq("n", "v", "extra", "p"))
      assert(spark.table(t).select("extra").head() === Row(null))
      spark.sql(s"UNCACHE TABLE IF EXISTS $t")
    }
  }

  // Options that no write would take, with the condition of the error.
  private val wrong = Seq(
    ("shredding", "a nosuchtype", "INVALID_SHREDDING_SPECIFICATION"),
    ("shredding", "{\"missing\": \"a int\"}", "INVALID_SHREDDING_SPECIFICATION"),
    ("shredding.include", "a b c", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("bloomFilter", "$[", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("clusterBy", "$[", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("layout", "round", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("validation", "lenient", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("maxDepth", "many", "INVALID_VARIANT_SHREDDED_OPTION"),
    ("partitionOverwriteMode", "some", "INVALID_VARIANT_SHREDDED_OPTION")
  )

  test("options are checked by CREATE TABLE") {
    wrong.foreach { case (name, value, condition) =>
      Seq("OPTIONS", "TBLPROPERTIES").foreach { clause =>
        withTable { t =>
          val statement = s"CREATE TABLE $t (n INT, v VARIANT) USING `variant-shredded` " +
            s"$clause ('$name' = '$value')"
          assert(refused(statement).getCondition === condition, statement)
          assert(refused(s"$statement AS SELECT 1 AS n".replace("(n INT, v VARIANT) ", "")) != null)
          assert(traces(t) === Set.empty)
        }
      }
    }
    withTable { t =>
      val options = "shredding 'n int', bloomFilter '$.n', mode 'permissive'"
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT) USING `variant-shredded` OPTIONS ($options) " +
          "TBLPROPERTIES ('anything' = 'else')"
      )
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'))")
      assert(numbers(spark.table(t)) === Seq(1))
    }
    val path = written(rows(0, 3))
    withTable { t =>
      val statement = s"CREATE TABLE $t USING `variant-shredded` LOCATION '$path'"
      val bad = refused(s"$statement OPTIONS (shredding '{\"n\": \"a int\"}')")
      assert(bad.getCondition === "INVALID_SHREDDING_SPECIFICATION")
      assert(traces(t) === Set.empty)
      spark.sql(s"$statement OPTIONS (shredding '{\"v\": \"n int\"}')")
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("options are checked by ALTER TABLE SET TBLPROPERTIES") {
    withTable { t =>
      created(t)
      wrong.foreach { case (name, value, condition) =>
        val statement = s"ALTER TABLE $t SET TBLPROPERTIES ('$name' = '$value')"
        assert(refused(statement).getCondition === condition, statement)
      }
      val properties = spark.sql(s"SHOW TBLPROPERTIES $t").collect().map(_.getString(0)).toSet
      assert((properties & wrong.map(_._1).toSet) === Set.empty)
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('shredding' = 'n int', 'owner of' = 'x')")
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 3)")
      assert(numbers(spark.table(t)) === Seq(1))
      spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('shredding')")
      spark.sql(s"ALTER TABLE $t SET LOCATION '${written(rows(0, 3), "p")}'")
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("options are checked by ALTER TABLE ADD COLUMN with a Variant") {
    Seq("shredding" -> "n bigint", "bloomFilter" -> "$.n").foreach { case (option, value) =>
      withTable { t =>
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT) USING `variant-shredded` OPTIONS ('$option' = '$value')"
        )
        def insert(values: String) =
          spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{}')$values)")
        Seq("w VARIANT", "s STRUCT<w: VARIANT>", "a INT, w VARIANT").foreach { columns =>
          val error = messageOf(s"ALTER TABLE $t ADD COLUMNS ($columns)")
          assert(error.contains(option), columns)
        }
        insert("")
        spark.sql(s"ALTER TABLE $t ADD COLUMN a INT")
        insert(", 1")
        assert(spark.table(t).columns === Array("n", "v", "a"))
        spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('$option')")
        spark.sql(s"ALTER TABLE $t ADD COLUMN w VARIANT")
        insert(", 1, parse_json('{}')")
        assert(spark.table(t).count() === 3)
      }
    }
  }

  private def optionsOf(table: String): Map[String, String] = {
    val wanted = Set("compression", "validation", "option.compression", "option.validation")
    val all = spark.sql(s"SHOW TBLPROPERTIES $table").collect()
    all.map(row => row.getString(0) -> row.getString(1)).toMap.filter { case (name, _) =>
      wanted(name.toLowerCase(java.util.Locale.ROOT))
    }
  }

  private def both(name: String, value: String) = Map(name -> value, s"option.$name" -> value)

  test("an option that ALTER TABLE sets replaces the same option in other letters") {
    Seq("OPTIONS" -> true, "TBLPROPERTIES" -> false).foreach { case (clause, prefixed) =>
      withTable { t =>
        def stored(name: String, value: String) =
          if (prefixed) both(name, value) else Map(name -> value)
        spark.sql(
          s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded " +
            s"$clause ('compression' = 'gzip', 'validation' = 'strict')"
        )
        spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('COMPRESSION' = 'zstd')")
        spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('Validation' = 'permissive')")
        assert(optionsOf(t) === stored("COMPRESSION", "zstd") ++ stored("Validation", "permissive"))
        spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'))")
        assert(dataFiles(directory(t).toString).forall(_.endsWith(".zstd.parquet")))
        val shown = spark.sql(s"SHOW CREATE TABLE $t").head().getString(0)
        assert(shown.contains("'COMPRESSION' = 'zstd'") && !shown.contains("gzip"), shown)
        withTable { copy =>
          spark.sql(s"CREATE TABLE $copy LIKE $t")
          assert(optionsOf(copy) === (if (prefixed) optionsOf(t) else Map.empty))
        }
        spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('compression')")
        assert(optionsOf(t) === stored("Validation", "permissive"))
        spark.sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('VALIDATION')")
        assert(optionsOf(t) === Map.empty)
        withTable { copy =>
          spark.sql(s"CREATE TABLE $copy LIKE $t")
          assert(optionsOf(copy) === Map.empty)
        }
      }
    }
  }

  test("an option of a query replaces that of the table in other letters") {
    withTable { t =>
      spark.sql(
        s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded " +
          "OPTIONS (pathglobfilter 'a*', validation 'strict')"
      )
      Seq("a", "b").zipWithIndex.foreach { case (name, n) =>
        val file = onlyFile(written(rows(n, n + 1).select("n", "v")))
        java.nio.file.Files.move(file, directory(t).resolve(s"$name.parquet"))
      }
      assert(numbers(spark.table(t)) === Seq(0))
      assert(numbers(spark.read.option("pathGlobFilter", "b*").table(t)) === Seq(1))
      assert(numbers(spark.sql(s"SELECT * FROM $t WITH (PATHGLOBFILTER = 'b*')")) === Seq(1))
      // The option of the table would not be read.
      val error = intercept[VariantShreddedException] {
        spark.sql(s"SELECT * FROM $t WITH (VALIDATION = 'lenient')").collect()
      }
      assert(error.getMessage.contains("lenient"))
    }
  }

  test("an option is set on a table whose columns come from the files") {
    val path = newPath()
    writer(rows(0, 3).selectExpr("n", "v", "7 AS p")).save(s"$path/p=1")
    withTable { t =>
      spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$path'")
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('compression' = 'gzip')")
      assert(optionsOf(t) === Map("compression" -> "gzip"))
      val error = refused(s"ALTER TABLE $t SET TBLPROPERTIES ('compression' = 'zip')")
      assert(error.getCondition.nonEmpty)
      assert(optionsOf(t) === Map("compression" -> "gzip"))
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("a location is not a pattern, whatever characters it has") {
    val base = newPath()
    writer(rows(0, 3)).save(s"$base/a[1]")
    def created(table: String) =
      spark.sql(s"CREATE TABLE $table USING variant_shredded LOCATION '$base/a[1]'")
    withTable { t =>
      created(t)
      assert(numbers(spark.table(t)) === (0 until 3))
    }
    writer(rows(5, 6).withColumnRenamed("p", "q")).partitionBy("q").save(s"$base/a1")
    withTable { t =>
      created(t)
      assert(spark.table(t).columns.toSeq === Seq("n", "p", "v"))
      assert(numbers(spark.table(t)) === (0 until 3))
    }
    withTable { t =>
      spark.sql(s"CREATE TABLE $t (n INT, v VARIANT) USING variant_shredded LOCATION '$base/a[1]'")
      assert(spark.table(t).columns.toSeq === Seq("n", "v"))
    }
    writer(rows(0, 3).selectExpr("n", "v", "7 AS p")).mode("overwrite").save(s"$base/b[1]/p=1")
    withTable { t =>
      spark.sql(s"CREATE TABLE $t USING variant_shredded LOCATION '$base/b[1]'")
      assert(numbers(spark.table(t)) === (0 until 3))
    }
  }

  test("a table that was created with a wrong option can be read, mended and dropped") {
    withTable { t =>
      created(t)
      spark.sql(s"INSERT INTO $t VALUES (1, parse_json('{\"n\": 1}'), 3)")
      val catalog = spark match {
        case ours: classic.SparkSession => ours.sessionState.catalog
        case other                      => fail(other.toString)
      }
      val table = catalog.getTableMetadata(
        org.apache.spark.sql.catalyst.TableIdentifier(t, Some("default"))
      )
      catalog.alterTable(table.copy(properties = table.properties + ("shredding" -> "a what")))
      assert(numbers(spark.table(t)) === Seq(1))
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('anything' = 'else')")
      spark.sql(s"ALTER TABLE $t ADD COLUMN extra INT")
      assert(
        refused(s"INSERT INTO $t SELECT * FROM $t").getCondition ===
          "INVALID_SHREDDING_SPECIFICATION"
      )
      spark.sql(s"ALTER TABLE $t SET TBLPROPERTIES ('shredding' = 'a int')")
      spark.sql(s"INSERT INTO $t SELECT * FROM $t")
      assert(numbers(spark.table(t)) === Seq(1, 1))
    }
  }

  test("the first statement of a session is checked") {
    withTable { t =>
      val session = spark.newSession()
      val error = intercept[VariantShreddedException] {
        session.sql(
          s"CREATE TABLE $t (v VARIANT) USING `variant-shredded` OPTIONS (shredding 'a what')"
        )
      }
      assert(error.condition === "INVALID_SHREDDING_SPECIFICATION")
    }
  }
}

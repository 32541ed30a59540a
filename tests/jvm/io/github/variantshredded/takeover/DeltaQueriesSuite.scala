package io.github.variantshredded.takeover

import scala.util.{Random, Try}

import io.github.variantshredded.testing.Cases
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.scalatest.tagobjects.Slow

/** Random queries on Delta tables with a random history, with this source and without it. */
class DeltaQueriesSuite extends DeltaTables {

  private val seed = sys.env.get("SEED").fold(20261125L)(_.toLong)

  private val queries = Cases(6)

  override protected def sessionSettings: Map[String, String] =
    super.sessionSettings + ("spark.sql.shuffle.partitions" -> "2")

  Seq("none" -> Nil, "name" -> Seq(Slow), "id" -> Nil).foreach { case (mode, tags) =>
    test(s"columns mapped by $mode, seed $seed", tags: _*) {
      val random = new Random(seed + mode.hashCode)
      val table = s"random_$mode"
      create(table, mode, random)
      try {
        val answered = (1 to queries).count(_ => compare(query(table, random)))
        // The others end with the same error.
        assert(answered > queries / 2)
      } finally { val _ = spark.sql(s"DROP TABLE $table") }
    }
  }

  /** Compares the answers or the errors. Returns whether this source has read for an answer. */
  private def compare(text: String): Boolean = withClue(s"$text\nseed $seed\n") {
    def planned = Try(spark.sql(text)).toEither
    def answers(rows: Either[Throwable, DataFrame]) =
      rows.flatMap(rows => Try(answer(rows)).toEither).left.map(_.getClass.getName)
    val on = planned
    val wanted = withConf(off: _*)(answers(planned))
    assert(answers(on) == wanted)
    wanted.isRight && on.exists(
      _.queryExecution.optimizedPlan
        .collectWithSubqueries { case scan: DataSourceV2ScanRelation => scan }
        .nonEmpty
    )
  }

  private def one[A](values: A*)(implicit random: Random): A = values(random.nextInt(values.size))

  private def create(table: String, mode: String, random: Random): Unit = {
    implicit val source: Random = random
    val mapped = mode != "none"
    spark.sql(
      s"""CREATE TABLE $table (id BIGINT, p INT, v VARIANT, s STRUCT<w: VARIANT, n: INT>,
         |  l ARRAY<VARIANT>) USING delta PARTITIONED BY (p) TBLPROPERTIES (
         |  'delta.enableVariantShredding' = '${one("true", "false")}',
         |  'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = '$mode')""".stripMargin
    )
    def insert(from: Int, columns: String): Unit = {
      val document =
        """parse_json(CASE id % 9 WHEN 0 THEN '{}' WHEN 1 THEN '{"a": null, "c": [1, "x"]}'
          | WHEN 2 THEN concat('{"a": "', id, '"}') WHEN 3 THEN '[1, 2]' WHEN 4 THEN NULL
          | ELSE concat('{"a": ', id % 40, ', "b": {"c": "', id % 5, '", "d": ', id, '.5}}') END)
          |""".stripMargin.replace("\n", "")
      val _ = spark.sql(
        s"""INSERT INTO $table ($columns) SELECT /*+ REPARTITION(${1 + random.nextInt(2)}) */ id,
           |  CAST(IF(id % 4 = 3, NULL, id % 4) AS INT), $document,
           |  IF(id % 11 = 0, NULL, named_struct('w', $document, 'n', CAST(id % 13 AS INT))),
           |  IF(id % 6 = 0, NULL, array($document, NULL))
           |FROM range($from, ${from + 120})""".stripMargin
      )
    }
    def delete(): Unit = {
      val _ = spark.sql(s"DELETE FROM $table WHERE ${predicate("v", "s.w")}")
    }
    insert(0, "id, p, v, s, l")
    delete()
    if (mapped) {
      // `v` has another name in the files, and so has `s.w`, whose name in the files `s.n` has now.
      spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO x")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN l TO v")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN v TO l")
      spark.sql(s"ALTER TABLE $table RENAME COLUMN x TO v")
      spark.sql(s"ALTER TABLE $table DROP COLUMN l")
      spark.sql(s"ALTER TABLE $table ADD COLUMN l ARRAY<VARIANT>")
    }
    insert(100, "id, p, v, s, l")
    delete()
    if (random.nextBoolean()) spark.sql(s"OPTIMIZE $table WHERE p = 1"): Unit
    spark.sql(s"UPDATE $table SET v = s.w WHERE id % 17 = 0"): Unit
  }

  private def field(variant: String)(implicit random: Random): String = {
    val path = one("a", "b.c", "b.d", "c[0]", "c[1]", "z")
    val kind = one("int", "string", "double", "boolean", "decimal(10, 2)")
    one(
      s"try_variant_get($variant, '$$.$path', '$kind')",
      s"try_variant_get($variant, '$$.$path', '$kind')",
      s"to_json($variant:$path)",
      s"variant_get($variant, '$$.b.c', 'string')"
    )
  }

  private def predicate(variants: String*)(implicit random: Random): String = {
    def variant = one(variants: _*)
    one(
      s"try_variant_get($variant, '$$.a', 'int') ${one("<", ">=", "=")} ${random.nextInt(40)}",
      s"variant_get($variant, '$$.b.c', 'string') = '${random.nextInt(6)}'",
      s"$variant IS ${one("", "NOT")} NULL",
      s"id ${one("<", ">")} ${random.nextInt(220)}",
      s"p = ${random.nextInt(4)}",
      s"p IS NULL AND ${field(variant)} IS NOT NULL",
      s"id % ${2 + random.nextInt(5)} = 1",
      s"s.n IN (1, 5, ${random.nextInt(13)})",
      s"${field(variant)} IS NULL"
    )
  }

  private def query(table: String, source: Random): String = {
    implicit val random: Random = source
    def variant = one("v", "s.w", "l[0]")
    def test = predicate("v", "s.w", "l[0]") + one("", s" ${one("AND", "OR")} ${predicate("v")}")
    def version = one("", "", "", s" VERSION AS OF ${4 + random.nextInt(2)}")
    val from = s"$table$version"
    one(
      s"SELECT id, p, ${field(variant)} FROM $from WHERE $test",
      s"SELECT v, s, l FROM $from WHERE $test",
      s"SELECT p, count(*), max(${field(variant)}), sum(id) FROM $from WHERE $test GROUP BY p",
      s"SELECT x.id, ${field("y.v")} FROM $table x JOIN $from y ON x.id = y.id + 1 AND y.p = 1",
      s"SELECT id FROM $from WHERE id IN (SELECT try_variant_get(v, '$$.a', 'int') FROM $table " +
        s"WHERE $test)",
      s"SELECT id, (SELECT max(${field("y.v")}) FROM $table y WHERE y.p = x.p) FROM $table x " +
        s"WHERE EXISTS (SELECT 1 FROM $table z WHERE z.s.n = x.id % 13 AND ${predicate("z.v")
            .replace("id", "z.id")
            .replace("s.n", "z.s.n")})",
      s"SELECT count(${field(variant)}), (SELECT count(v:a) FROM $table WHERE $test) FROM $from",
      s"SELECT ${field(variant)} AS f FROM $from WHERE $test UNION ALL SELECT p FROM $table",
      s"SELECT _metadata.row_index, _metadata.file_name, ${field(variant)} FROM $from WHERE $test",
      s"SELECT id, e FROM $from LATERAL VIEW explode(l) t AS e WHERE $test"
    )
  }
}

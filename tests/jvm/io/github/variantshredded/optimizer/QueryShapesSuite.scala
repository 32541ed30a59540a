package io.github.variantshredded.optimizer

import org.apache.spark.sql.types.{DataType, StructType, VariantType}

/** Wherever in a query an extraction stands: the scan delivers it, and the answer is Spark's. */
class QueryShapesSuite extends ExtractionFixture {

  private def holdsVariant(dataType: DataType): Boolean = dataType match {
    case VariantType        => true
    case struct: StructType => struct.exists(field => holdsVariant(field.dataType))
    case _                  => false
  }

  /**
   * @param extractions
   *   names of the extractions of each scan of the plan, in any order
   */
  private def pushed(name: String, sql: String)(extractions: Set[String]*): Unit =
    test(name) {
      val found = scans(sameAnswers(sql))
      assert(
        found.map(_.pushed.extractions.map(_.name).toSet).sortBy(_.toString) ===
          extractions.sortBy(_.toString)
      )
      found.foreach { scan =>
        assert(!holdsVariant(scan.readDataSchema), scan.readDataSchema.simpleString)
        assert(scan.pushed.declined.isEmpty)
      }
    }

  pushed("a column of the result", "SELECT id, v:k::int AS k FROM t")(Set("v:k::int"))
  pushed("several paths", "SELECT v:k::int, v:name::string, v:o.p::double, v:l[1]::bigint FROM t")(
    Set("v:k::int", "v:name::string", "v:o.p::double", "v:l[1]::bigint")
  )
  pushed("a filter", "SELECT id FROM t WHERE v:k::int > 2 AND v:name::string = 'n1'")(
    Set("v:k::int", "v:name::string")
  )
  pushed("count", "SELECT count(*) FROM t WHERE v:k::int > 2")(Set("v:k::int"))
  pushed("an aggregate", "SELECT sum(v:k::bigint), min(v:name::string) FROM t")(
    Set("v:k::bigint", "v:name::string")
  )
  pushed("group by", "SELECT v:k::int, count(*), sum(v:o.p::double) FROM t GROUP BY v:k::int")(
    Set("v:k::int", "v:o.p::double")
  )
  pushed("having", "SELECT v:k::int k FROM t GROUP BY 1 HAVING max(v:name::string) > 'n1'")(
    Set("v:k::int", "v:name::string")
  )
  pushed("distinct", "SELECT DISTINCT v:k::int, v:name::string FROM t")(
    Set("v:k::int", "v:name::string")
  )
  pushed(
    "distinct aggregates",
    "SELECT count(DISTINCT v:k::int), count(DISTINCT v:name::string), sum(v:o.p::double) FROM t"
  )(Set("v:k::int", "v:name::string", "v:o.p::double"))
  pushed(
    "filter of an aggregate",
    "SELECT sum(v:k::int) FILTER (WHERE v:name::string = 'n1') FROM t GROUP BY i"
  )(Set("v:k::int", "v:name::string"))
  pushed(
    "rollup",
    "SELECT v:k::int, v:name::string, sum(v:o.p::double) FROM t GROUP BY ROLLUP (1, 2)"
  )(Set("v:k::int", "v:name::string", "v:o.p::double"))
  pushed(
    "grouping sets",
    "SELECT i, v:k::int, sum(v:o.p::double) FROM t GROUP BY GROUPING SETS ((i), (v:k::int), ())"
  )(Set("v:k::int", "v:o.p::double"))
  pushed("sort and limit", "SELECT id FROM t ORDER BY v:o.p::double DESC NULLS LAST LIMIT 5")(
    Set("v:o.p::double")
  )
  pushed(
    "sort, limit and a column",
    "SELECT v:name::string FROM t ORDER BY v:o.p::double DESC NULLS LAST, id LIMIT 5"
  )(Set("v:o.p::double", "v:name::string"))
  pushed(
    "limit below",
    "SELECT v:k::int FROM (SELECT * FROM t ORDER BY id LIMIT 9) WHERE v:name::string <> 'n2'"
  )(Set("v:k::int", "v:name::string"))
  pushed(
    "join on both sides",
    "SELECT a.v:name::string, b.v:name::string FROM t a JOIN u b ON a.v:k::int = b.v:k::int"
  )(Set("v:k::int", "v:name::string"), Set("v:k::int", "v:name::string"))
  pushed(
    "self-join",
    "SELECT a.v:name::string, b.v:o.p::double FROM t a JOIN t b ON a.v:k::int = b.id"
  )(Set("v:k::int", "v:name::string"), Set("v:o.p::double"))
  Seq("LEFT", "RIGHT", "FULL").foreach { kind =>
    pushed(
      s"$kind outer join",
      s"""SELECT a.id, b.id, b.v:name::string, a.v:o.p::double, b.v:y IS NULL, b.v:k IS NOT NULL,
         |  is_variant_null(a.v:o.q) FROM t a $kind JOIN u b ON a.id = b.id""".stripMargin
    )(
      Set("v:o.p::double", "is_variant_null(v:o.q)"),
      Set("v:name::string", "is_present(v:y)", "is_present(v:k)")
    )
  }
  pushed(
    "semi-join",
    "SELECT id FROM t LEFT SEMI JOIN u ON t.v:k::int = u.v:k::int AND u.v:name::string > 'u2'"
  )(Set("v:k::int"), Set("v:k::int", "v:name::string"))
  pushed("anti-join", "SELECT id FROM t LEFT ANTI JOIN u ON t.v:k::int = u.v:k::int")(
    Set("v:k::int"),
    Set("v:k::int")
  )
  pushed(
    "window",
    """SELECT id, row_number() OVER (PARTITION BY v:k::int ORDER BY v:o.p::double, id),
      |  sum(v:k::int) OVER (PARTITION BY v:name::string) FROM t""".stripMargin
  )(Set("v:k::int", "v:o.p::double", "v:name::string"))
  pushed(
    "top of each group",
    """SELECT id FROM (SELECT id, rank() OVER (PARTITION BY v:k::int ORDER BY v:o.p::double) r
      |  FROM t) WHERE r <= 2""".stripMargin
  )(Set("v:k::int", "v:o.p::double"))
  pushed(
    "scalar subquery",
    "SELECT id FROM t WHERE v:o.p::double > (SELECT avg(v:y::double) FROM u)"
  )(Set("v:o.p::double"), Set("v:y::double"))
  pushed(
    "correlated scalar subquery",
    "SELECT v:k::int, (SELECT max(u.v:y::double) FROM u WHERE u.v:k::int = t.id) FROM t"
  )(Set("v:k::int"), Set.empty, Set("v:k::int", "v:y::double"))
  pushed(
    "EXISTS",
    "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.v:k::int = t.v:k::int)"
  )(Set("v:k::int"), Set("v:k::int"))
  pushed("NOT EXISTS", "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.v:k::int = id)")(
    Set.empty,
    Set("v:k::int")
  )
  pushed("IN", "SELECT id FROM t WHERE v:k::int IN (SELECT v:k::int FROM u WHERE v:y::double > 3)")(
    Set("v:k::int"),
    Set("v:k::int", "v:y::double")
  )
  pushed(
    "NOT IN",
    "SELECT id FROM t WHERE v:k::int NOT IN (SELECT v:k::int FROM u WHERE v:y::double > 3)"
  )(Set("v:k::int"), Set("v:k::int", "v:y::double"))
  pushed(
    "IN within CASE",
    "SELECT CASE WHEN id IN (SELECT v:k::int FROM u) THEN v:name::string END FROM t"
  )(Set("v:name::string"), Set("v:k::int"))
  pushed(
    "union with an aggregate above",
    "SELECT sum(v:k::int), max(v:name::string) FROM (SELECT v FROM t UNION ALL SELECT v FROM u)"
  )(Set("v:k::int", "v:name::string"), Set("v:k::int", "v:name::string"))
  pushed(
    "union with a filter and columns of its own",
    """SELECT v:k::int, n FROM (SELECT v:name::string AS n, v FROM t WHERE v:o.p::double > 2
      |  UNION ALL SELECT v:y::string, v FROM u) WHERE n > 'n1'""".stripMargin
  )(Set("v:k::int", "v:name::string", "v:o.p::double"), Set("v:k::int", "v:y::string"))
  pushed(
    "union with what is no scan",
    """SELECT sum(v:k::int), count(v:zz), count_if(v:l IS NULL), count_if(is_variant_null(v:o.q)),
      |  max(try_variant_get(v, '$.x', 'int')), max(to_json(v:o)) FROM (SELECT v FROM t UNION ALL
      |  SELECT parse_json(concat('{"k":', id, ',"o":{"q":null}}')) FROM range(3))""".stripMargin
  )(
    Set(
      "v:k::variant",
      "v:zz::variant",
      "is_present(v:l)",
      "is_variant_null(v:o.q)",
      "try(v:x::int)",
      "v:o::variant"
    )
  )
  pushed(
    "INTERSECT and EXCEPT",
    "SELECT v:k::int FROM t INTERSECT SELECT v:k::int FROM u EXCEPT SELECT id FROM u"
  )(Set("v:k::int"), Set("v:k::int"), Set.empty)
  pushed(
    "common table expression, used twice",
    """WITH c AS (SELECT id, v AS w FROM t WHERE v:k::int > 1)
      |  SELECT a.w:name::string, b.w:o.p::double FROM c a JOIN c b ON a.id = b.id""".stripMargin
  )(Set("v:k::int", "v:name::string"), Set("v:k::int", "v:o.p::double"))
  pushed("CASE", "SELECT CASE WHEN v:k::int = 1 THEN v:name::string ELSE 'x' END FROM t")(
    Set("v:k::int", "v:name::string")
  )
  pushed(
    "explode of an extraction",
    "SELECT id, e FROM t LATERAL VIEW explode(v:l::array<int>) AS e"
  )(
    Set("v:l::array<int>")
  )
  pushed(
    "beside explode",
    "SELECT v:k::int, e FROM t LATERAL VIEW OUTER explode(array(id, i)) AS e WHERE e > 1"
  )(Set("v:k::int"))
  pushed(
    "variant_explode of an extraction",
    "SELECT id, x.key, x.value::string FROM t, LATERAL variant_explode(v:o) AS x"
  )(Set("v:o::variant"))
  pushed(
    "higher-order functions",
    """SELECT id, exists(variant_get(v, '$.l', 'array<int>'), x -> x > 20),
      |  transform(v:l::array<bigint>, x -> x + v:k::int) FROM t""".stripMargin
  )(Set("v:l::array<int>", "v:l::array<bigint>", "v:k::int"))
  pushed(
    "nested targets",
    """SELECT variant_get(v, '$.o', 'struct<p: double, q: variant>'), v:o::map<string, string>,
      |  v::struct<k: int, l: array<string>> FROM t""".stripMargin
  )(
    Set(
      "v:o::struct<p:double,q:variant>",
      "v:o::map<string,string>",
      "v::struct<k:int,l:array<string>>"
    )
  )
  pushed(
    "a renamed column",
    "SELECT w:k::int FROM (SELECT v AS w, id FROM t) WHERE w:o.p::int > 3"
  )(
    Set("v:k::int", "v:o.p::int")
  )
  pushed(
    "a path in two parts",
    "SELECT variant_get(variant_get(v, '$.o'), '$.p', 'double') FROM t"
  )(
    Set("v:o.p::double")
  )
  pushed(
    "a path in two parts, with an operator between",
    """SELECT o:p::double, o:p::string, is_variant_null(o:q) FROM (SELECT /*+ REPARTITION(2) */ v:o o
      |  FROM t)""".stripMargin
  )(Set("v:o.p::double", "v:o.p::string", "is_variant_null(v:o.q)"))
  pushed(
    "sub-values as Variants",
    "SELECT to_json(v:o), schema_of_variant(v:l), v:k FROM t WHERE v:o IS NOT NULL"
  )(
    Set("v:o::variant", "v:l::variant", "v:k::variant", "is_present(v:o)")
  )
  pushed(
    "is null",
    "SELECT v IS NULL, v:zz IS NULL, v:k IS NOT NULL, is_variant_null(v:o.q), is_variant_null(v) FROM t"
  )(
    Set(
      "is_present(v)",
      "is_present(v:zz)",
      "is_present(v:k)",
      "is_variant_null(v:o.q)",
      "is_variant_null(v)"
    )
  )
  pushed("is null in a filter", "SELECT id FROM t WHERE v IS NULL OR v:o.q IS NOT NULL")(
    Set("is_present(v)", "is_present(v:o.q)")
  )
  pushed("is not null alone", "SELECT count(*) FROM t WHERE v IS NOT NULL")(Set("is_present(v)"))
  pushed(
    "Variants within structs",
    "SELECT s.v:a::int, variant_get(s.d.w, '$[0]', 'int') FROM t WHERE s.v:a::int > 3"
  )(
    Set("s.v:a::int", "s.d.w:[0]::int")
  )
  pushed("structs beside their Variants", "SELECT s.v:a::int, s.n, s.d.m FROM t WHERE s.n > 4")(
    Set("s.v:a::int")
  )
  pushed(
    "other functions",
    "SELECT try_cast(v:x AS int), try_variant_get(v, '$.bad', 'int') FROM t"
  )(
    Set("try(v:x::int)", "try(v:bad::int)")
  )
  pushed("no column", "SELECT count(*) FROM t")(Set.empty)
  pushed(
    "sample, repartition, offset",
    """SELECT v:k::int FROM (SELECT /*+ REPARTITION(3, id) */ * FROM t) WHERE id < 20
      |  ORDER BY v:o.p::double OFFSET 2""".stripMargin
  )(Set("v:k::int", "v:o.p::double"))
  pushed(
    "lateral join",
    "SELECT t.id, x.n FROM t, LATERAL (SELECT u.v:name::string AS n FROM u WHERE u.id = t.v:k::int) x"
  )(Set("v:k::int"), Set("v:name::string"))
  pushed(
    "two scalar subqueries on one table",
    "SELECT (SELECT max(v:k::int) FROM t), (SELECT min(v:k::int) FROM t), (SELECT sum(v:o.p::int) FROM t)"
  )(Set("v:k::int"), Set("v:k::int"), Set("v:o.p::int"))

  Seq("LEFT" -> "b", "RIGHT" -> "a", "FULL" -> "b").foreach { case (join, side) =>
    Seq(s"$side.v:y IS NULL", s"NOT is_variant_null($side.v:y)").foreach { test =>
      val ids =
        s"SELECT coalesce(a.id, b.id) AS id FROM t a $join JOIN u b ON a.id = b.id WHERE $test"
      this.test(s"a subquery with a join of missing rows: $join JOIN, $test") {
        Seq(
          s"SELECT id FROM t WHERE id IN ($ids)",
          s"SELECT id FROM t WHERE id NOT IN ($ids)",
          s"SELECT id FROM t WHERE EXISTS (SELECT 1 FROM ($ids) x WHERE x.id = t.id)",
          s"SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM ($ids) x WHERE x.id = t.id)",
          s"SELECT i, (SELECT count(*) FROM ($ids) x WHERE x.id = t.i) FROM t",
          s"SELECT i, x.n FROM t, LATERAL (SELECT count(*) AS n FROM ($ids) y WHERE y.id > t.i) x"
        ).foreach(sameAnswers(_))
      }
    }
  }

  test("a generator in a subquery that is joined by another extraction") {
    for {
      exploded <- Seq("try_cast(u.v:l AS ARRAY<VARIANT>)", "u.v:l::array<int>")
      joined <- Seq("try_variant_get(u.v, '$.name', 'string')", "u.v:name::string")
      exists <- Seq("EXISTS", "NOT EXISTS")
    } sameAnswers(
      s"""SELECT count(*) FROM t WHERE $exists (SELECT 1 FROM u LATERAL VIEW posexplode($exploded) x
         |  AS pos, e WHERE $joined = concat('n', t.id) AND coalesce(u.id, 1) <> 7)""".stripMargin
    )
  }
}

package io.github.variantshredded.bench

/** Holds queries on the events of Bluesky: those of JSONBench and a few more. */
private[bench] object BlueskyQueries {

  /** Returns a query on a table with a column for each field. */
  def onColumns(query: String, table: String): String = text(query, table, identity)

  /** Returns a query on a table whose Variant `v` has the fields. */
  def onVariant(query: String, table: String): String =
    text(query, table, name => s"v:${PathOf(name)}")

  private def text(query: String, table: String, field: String => String): String =
    PathOf.keys.foldLeft(query.replace("{t}", table)) { (text, name) =>
      text.replace(s"{$name}", field(name))
    }

  private val PathOf = Map(
    "did" -> "did::string",
    "time_us" -> "time_us::bigint",
    "kind" -> "kind::string",
    "operation" -> "commit.operation::string",
    "collection" -> "commit.collection::string"
  )

  private val Created = "{kind} = 'commit' AND {operation} = 'create'"

  /** Title and text of each query, with `{t}` for the table and `{did}` for a field. */
  val All: Seq[(String, String)] = Seq(
    "sum of a bigint" -> "SELECT sum({time_us} - 1732206349000000) FROM {t}",
    "count where a bigint, skipping nothing" -> "SELECT count(*) FROM {t} WHERE {time_us} % 2 = 0",
    "count where a string, skipping nothing" -> "SELECT count(*) FROM {t} WHERE {did} LIKE '%z%'",
    "count, min and max" -> "SELECT count({did}), min({time_us}), max({time_us}) FROM {t}",
    "JSONBench Q1" ->
      "SELECT {collection} AS event, count(*) AS n FROM {t} GROUP BY event ORDER BY n DESC, event",
    "JSONBench Q2" ->
      s"""SELECT {collection} AS event, count(*) AS n, count(DISTINCT {did}) AS users FROM {t}
         |WHERE $Created GROUP BY event ORDER BY n DESC, event""".stripMargin,
    "JSONBench Q3" ->
      s"""SELECT {collection} AS event, hour(timestamp_micros({time_us})) AS hour, count(*) AS n
         |FROM {t} WHERE $Created AND {collection} IN ('app.bsky.feed.post', 'app.bsky.feed.repost',
         |'app.bsky.feed.like') GROUP BY event, hour ORDER BY hour, event""".stripMargin,
    "JSONBench Q4" ->
      s"""SELECT {did} AS who, min(timestamp_micros({time_us})) AS first FROM {t}
         |WHERE $Created AND {collection} = 'app.bsky.feed.post'
         |GROUP BY who ORDER BY first, who LIMIT 3""".stripMargin,
    "JSONBench Q5" ->
      s"""SELECT {did} AS who, max({time_us}) - min({time_us}) AS span FROM {t}
         |WHERE $Created AND {collection} = 'app.bsky.feed.post'
         |GROUP BY who ORDER BY span DESC, who LIMIT 3""".stripMargin
  )
}

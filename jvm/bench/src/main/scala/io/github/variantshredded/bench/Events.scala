package io.github.variantshredded.bench

import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Generates shop events: nested, with fields that are rare, null or of more than one type. The same
 * number of events is always the same data.
 */
object Events {

  /** Returns the shop events as JSON texts in the column `json`. */
  def json(spark: SparkSession, events: Long, files: Int): DataFrame =
    spark.range(0, events, 1, files).selectExpr(s"to_json($Event) AS json")

  /**
   * Returns posts, likes and similar events, in the shape of Bluesky's, as JSON texts in `json`.
   */
  def posts(spark: SparkSession, events: Long, files: Int): DataFrame =
    spark.range(0, events, 1, files).selectExpr(s"to_json($Post) AS json")

  /** Returns the shop events as ordinary typed columns. */
  def plain(spark: SparkSession, events: Long, files: Int): DataFrame =
    spark.range(0, events, 1, files).selectExpr(s"inline(array($Event))")

  private def hash(salt: Int, below: Long) = s"pmod(xxhash64(id, $salt), ${below}L)"

  private val text =
    Seq(1, 2, 3).map(i => s"hex(xxhash64(id, $i))").mkString("concat(", ",'-',", ")")

  private val item = s"""named_struct(
    'sku', concat('sku-', ${hash(10, 50000)}),
    'price', cast(${hash(11, 100000)} / 100.0 AS double),
    'quantity', 1 + ${hash(12, 5)})"""

  private val Event = s"""named_struct(
    'id', id,
    'at', 1700000000000000L + id * 351,
    'kind', element_at(array('view', 'view', 'view', 'view', 'click', 'click', 'buy', 'return'),
      cast(1 + ${hash(1, 8)} AS int)),
    'session', $text,
    'user', named_struct(
      'id', ${hash(2, 200000)},
      'country', element_at(array('de', 'fr', 'in', 'jp', 'us'), cast(1 + ${hash(3, 5)} AS int)),
      'premium', ${hash(4, 10)} = 0),
    'page', named_struct(
      'path', concat('/p/', ${hash(5, 3000)}),
      'referrer', if(${hash(6, 3)} = 0, concat('https://example.com/', ${hash(7, 500)}), null)),
    'items', if(${hash(8, 4)} = 0, array($item, $item), null),
    'tags', array(concat('t', ${hash(9, 40)}), concat('t', ${hash(13, 40)})),
    'score', cast(${hash(14, 1000000)} / 1e6 AS double))"""

  private val collection = s"""element_at(
      array('app.bsky.feed.post', 'app.bsky.feed.like', 'app.bsky.feed.like', 'app.bsky.feed.like',
        'app.bsky.feed.repost', 'app.bsky.graph.follow'), cast(1 + ${hash(21, 6)} AS int))"""

  private val Post = s"""named_struct(
    'did', concat('did:plc:', lower(hex(xxhash64(${hash(20, 100000)})))),
    'time_us', 1732206349000000L + id * 300,
    'kind', if(${hash(22, 50)} = 0, 'identity', 'commit'),
    'commit', if(${hash(22, 50)} = 0, null, named_struct(
      'rev', lower(hex(id)),
      'operation', if(${hash(23, 20)} = 0, 'delete', 'create'),
      'collection', $collection,
      'rkey', lower(hex(xxhash64(id, 24))),
      'record', if(${hash(23, 20)} = 0, null, named_struct(
        'createdAt', date_format(timestamp_micros(1732206349000000L + id * 300), "yyyy-MM-dd'T'HH:mm:ss"),
        'langs', array('en'),
        'subject', if(${hash(21, 6)} = 0, null, $text),
        'text', if(${hash(21, 6)} = 0, $text, null))),
      'cid', concat('bafyrei', lower($text)))))"""
}

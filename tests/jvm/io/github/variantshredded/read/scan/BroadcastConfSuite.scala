package io.github.variantshredded.read.scan

import io.github.variantshredded.testing.PathSuite
import org.apache.hadoop.conf.Configuration

class BroadcastConfSuite extends PathSuite {

  private def broadcast(values: (String, String)*) = {
    val conf = new Configuration(false)
    values.foreach { case (key, value) => conf.set(key, value) }
    BroadcastConf(spark.sparkContext, conf)
  }

  test("equal configurations share one broadcast") {
    assert(broadcast("a" -> "1", "b" -> "2") eq broadcast("b" -> "2", "a" -> "1"))
  }

  test("others do not") {
    val first = broadcast("a" -> "1")
    for (other <- Seq(broadcast("a" -> "2"), broadcast("a" -> "1", "b" -> "2"), broadcast())) {
      assert(other ne first)
      assert(other.value.value.get("a") != "1" || other.value.value.get("b") == "2")
    }
    assert(first.value.value.get("a") == "1")
  }

  test("a setting of the session reaches the next query") {
    val path = newPath()
    writer(spark.sql("SELECT parse_json('{\"A\": 1}') AS V")).save(path)
    def read = spark.read.format("variant-shredded").schema("v variant").load(path).collect()
    assert(!read.head.isNullAt(0))
    withConf("spark.sql.caseSensitive" -> "true")(assert(read.head.isNullAt(0)))
    assert(!read.head.isNullAt(0))
  }
}

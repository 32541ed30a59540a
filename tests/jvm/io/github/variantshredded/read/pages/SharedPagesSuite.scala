package io.github.variantshredded.read.pages

import io.github.variantshredded.testing.PathSuite

/** A leaf that is decoded twice: in the struct around a Variant, and for an extraction. */
class SharedPagesSuite extends PathSuite {

  Seq("true", "false").foreach { dictionary =>
    test(s"structs beside fields of their Variants, dictionary encoding $dictionary") {
      val path = newPath()
      val json = "concat('{\"a\":', id, ',\"b\":\"text ', id % 50, '\"}')"
      writer(
        spark
          .range(0, 20000, 1, 1)
          .selectExpr(s"named_struct('v', parse_json($json), 'n', id) AS s")
      )
        .option("shredding", """{"s.v": "a bigint, b string"}""")
        .option("parquet.page.size", "2000")
        .option("parquet.block.size", "100000")
        .option("parquet.enable.dictionary", dictionary)
        .save(path)
      val df = reader.load(path).selectExpr("s", "s.v:a::bigint AS a", "s.v:b::string AS b")
      val plan = df.queryExecution.optimizedPlan.toString
      assert(plan.contains("s.v:a::bigint"), plan)
      val wrong = df.selectExpr(
        "count(*)",
        "count_if(a = s.n AND b = concat('text ', s.n % 50) AND " +
          "to_json(s.v) = concat('{\"a\":', a, ',\"b\":\"', b, '\"}'))"
      )
      val row = df.collect()
      assert(row.length == 20000)
      assert(wrong.collect().map(r => (r.getLong(0), r.getLong(1))).toSeq == Seq((20000L, 20000L)))
      row.foreach(r => assert(r.getStruct(0).getLong(1) == r.getLong(1)))
    }
  }
}

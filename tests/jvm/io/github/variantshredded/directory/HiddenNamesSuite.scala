package io.github.variantshredded.directory

import java.nio.file.{Files, Path}

import io.github.variantshredded.errors.Causes
import io.github.variantshredded.testing.PathSuite
import org.apache.spark.sql.DataFrame

/** Partitions whose directories readers pass over are not written. */
class HiddenNamesSuite extends PathSuite {

  private def named(column: String): DataFrame =
    rows(0, 4).withColumnRenamed("p", column)

  private def refused(part: String)(body: => Any): Unit = {
    def causes(e: Throwable): Iterator[Throwable] =
      Causes.of(e)
    val error = intercept[Exception](body)
    val messages = causes(error).map(e => String.valueOf(e.getMessage)).mkString("\n")
    assert(messages.contains("[UNSUPPORTED_FEATURE]"))
    assert(messages.contains(part))
  }

  test("a column that begins with a dot is refused, before anything is written") {
    Seq("append", "overwrite").foreach { mode =>
      val path = newPath()
      refused("Partitioning by the column '.p'") {
        writer(named(".p")).mode(mode).partitionBy("`.p`").save(path)
      }
      assert(!Files.exists(Path.of(path)))
    }
  }

  test("other columns are read again, by this source and by Spark's") {
    Seq("_p", "p.", "x._COPYING_", "_temporary", "a b").foreach { column =>
      val path = newPath()
      writer(named(column)).partitionBy(s"`$column`").save(path)
      assert(numbers(reader.load(path)) === (0 until 4), column)
      assert(numbers(spark.read.parquet(path)) === (0 until 4), column)
      writer(named(column)).mode("append").save(path)
      assert(numbers(reader.load(path)).size === 8, column)
      writer(named(column)).mode("overwrite").partitionBy(s"`$column`").save(path)
      assert(numbers(reader.load(path)) === (0 until 4), column)
    }
  }

  test("a value that ends as the names of files that are being copied is refused") {
    val df = rows(0, 4).withColumn("p", org.apache.spark.sql.functions.lit("x._COPYING_"))
    val binary = df.withColumn("p", df("p").cast("binary"))
    for (values <- Seq(df, binary); columns <- Seq(Seq("p"), Seq("p", "n"), Seq("n", "p"))) {
      val path = newPath()
      refused("'p=x._COPYING_'")(writer(values).partitionBy(columns: _*).save(path))
      assert(!Files.exists(Path.of(path)))
    }
    val good = newPath()
    val other = df.withColumn("p", org.apache.spark.sql.functions.lit("._COPYING_x"))
    writer(other).partitionBy("p").save(good)
    assert(numbers(reader.load(good)) === (0 until 4))
  }
}

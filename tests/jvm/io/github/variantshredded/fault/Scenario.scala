package io.github.variantshredded.fault

import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Where a job of a [[Scenario]] writes to. */
final case class Place(spark: SparkSession, root: Path, scheme: String) {

  def path: String = s"$scheme://$root"

  def rows(from: Int, until: Int, tasks: Int): DataFrame =
    spark
      .range(from.toLong, until.toLong, 1, tasks)
      .selectExpr(
        "cast(id as int) as n",
        "cast(id % 2 as int) as p",
        "parse_json(concat('{\"a\":', id, '}')) as v"
      )

  def save(
      rows: DataFrame,
      mode: String,
      partitionBy: Seq[String],
      options: (String, String)*
  ): Unit =
    rows.write
      .format("variant-shredded")
      .mode(mode)
      .options(options.toMap)
      .partitionBy(partitionBy: _*)
      .save(path)

  /** Runs a statement, with the rows to write as the view `new_rows`. */
  def sql(rows: DataFrame, statement: String): Unit = {
    rows.createOrReplaceTempView("new_rows")
    spark.sql(statement.replace("{path}", s"variant_shredded.`$path`"))
    ()
  }
}

/**
 * A kind of write.
 *
 * @param before
 *   numbers that are there before; None if the directory is not
 * @param after
 *   numbers that are there when the job has succeeded
 */
final case class Scenario(
    name: String,
    before: Option[Seq[Int]],
    after: Seq[Int],
    partitioned: Boolean,
    run: Place => Unit
) {

  def partitionBy: Seq[String] = if (partitioned) Seq("p") else Nil

  /** Makes what is there before the job. */
  def prepare(place: Place): Unit =
    before.foreach { numbers =>
      place.save(place.rows(numbers.head, numbers.last + 1, Scenario.Tasks), "append", partitionBy)
    }
}

object Scenario {

  private final val Tasks = 3
  private val Old = 0 until 6
  private val New = 10 until 16

  private def news(place: Place): DataFrame = place.rows(New.head, New.last + 1, Tasks)

  private def both(name: String, before: Option[Seq[Int]], after: Seq[Int])(
      run: (Place, Seq[String]) => Unit
  ): Seq[Scenario] = Seq(false, true).map { partitioned =>
    val suffix = if (partitioned) " partitioned" else ""
    val columns = if (partitioned) Seq("p") else Nil
    Scenario(name + suffix, before, after, partitioned, run(_, columns))
  }

  val Append: Seq[Scenario] = both("append", Some(Old), Old ++ New) { (place, columns) =>
    place.save(news(place), "append", columns)
  }

  val Overwrite: Seq[Scenario] = both("overwrite", Some(Old), New) { (place, columns) =>
    place.save(news(place), "overwrite", columns)
  }

  val Create: Seq[Scenario] = both("new", None, New) { (place, columns) =>
    place.save(news(place), "errorifexists", columns)
  }

  /** The odd numbers are of the partition that gets rows. */
  private val Odd = Old.filter(_ % 2 == 1)
  private val Even = Old.filter(_ % 2 == 0)

  val Dynamic: Scenario = Scenario(
    "dynamic overwrite",
    Some(Old),
    Even ++ New.filter(_ % 2 == 1),
    partitioned = true,
    place =>
      place
        .save(
          news(place).where("p = 1"),
          "overwrite",
          Seq("p"),
          "partitionOverwriteMode" -> "dynamic"
        )
  )

  private val sqls: Seq[Scenario] = Seq(
    Scenario(
      "insert overwrite partition",
      Some(Old),
      Odd ++ New,
      partitioned = true,
      place =>
        place.sql(
          news(place).select("n", "v"),
          "INSERT OVERWRITE {path} PARTITION (p = 0) (n, v) SELECT n, v FROM new_rows"
        )
    ),
    Scenario(
      "insert overwrite",
      Some(Old),
      New,
      partitioned = false,
      place => place.sql(news(place), "INSERT OVERWRITE {path} SELECT * FROM new_rows")
    ),
    Scenario(
      "insert into",
      Some(Old),
      Old ++ New,
      partitioned = true,
      place => place.sql(news(place), "INSERT INTO {path} (n, p, v) SELECT n, p, v FROM new_rows")
    ),
    Scenario(
      "create table as select",
      None,
      New,
      partitioned = true,
      place =>
        place.sql(news(place), "CREATE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows")
    ),
    Scenario(
      "replace table as select",
      Some(Old),
      New,
      partitioned = true,
      place =>
        place.sql(
          news(place),
          "CREATE OR REPLACE TABLE {path} PARTITIONED BY (p) AS SELECT * FROM new_rows"
        )
    ),
    Scenario(
      "truncate",
      Some(Old),
      Nil,
      partitioned = true,
      place => place.sql(news(place), "TRUNCATE TABLE {path}")
    ),
    Scenario(
      "delete",
      Some(Old),
      Nil,
      partitioned = false,
      place => place.sql(news(place), "DELETE FROM {path}")
    ),
    Scenario(
      "overwrite from itself",
      Some(Old),
      Old.map(_ + 10),
      partitioned = false,
      place =>
        place.save(
          place.spark.read
            .format("variant-shredded")
            .load(place.path)
            .selectExpr(
              "n + 10 as n",
              "p",
              "parse_json(concat('{\"a\":', v:a::int + 10, '}')) as v"
            ),
          "overwrite",
          Nil
        )
    )
  )

  val ByPath: Seq[Scenario] = Append ++ Overwrite ++ Create ++ (Dynamic +: sqls)
}

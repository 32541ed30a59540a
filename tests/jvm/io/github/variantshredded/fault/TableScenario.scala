package io.github.variantshredded.fault

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{classic, DataFrame}

/** A write to a table by name, in a database whose directory is the place of the scenario. */
final case class TableScenario(
    name: String,
    before: Option[Seq[Int]],
    after: Seq[Int],
    job: Place => Unit
) extends Scenario {

  import TableScenario._

  override def prepare(place: Place): Unit = {
    place.spark.sql(s"DROP DATABASE IF EXISTS $Database CASCADE")
    place.spark.sql(s"CREATE DATABASE $Database LOCATION '${place.path}'")
    before.foreach { numbers =>
      save(place.rows(numbers.head, numbers.last + 1, Scenario.Tasks), "append")
    }
  }

  override def run(place: Place): Unit = job(place)

  override def read(place: Place): DataFrame = place.spark.table(Table)

  override def readBySpark(place: Place): DataFrame =
    place.spark.read.parquet(s"file://${place.root}/t")

  override def next: Seq[NextJob] = Seq("append", "overwrite").map { mode =>
    NextJob(
      mode,
      place => {
        removeLeft(place)
        save(place.rows(20, 22, 1), mode)
      },
      found => (if (mode == "append") found else Nil) ++ Seq(20, 21)
    )
  }

  override def keep(place: Place): () => Unit = {
    val session = place.spark.asInstanceOf[classic.SparkSession]
    val catalog = session.sharedState.externalCatalog
    def names: Seq[String] = catalog.listTables(Database)
    val tables = names.map(catalog.getTable(Database, _))
    () => {
      names.foreach(catalog.dropTable(Database, _, ignoreIfNotExists = true, purge = true))
      tables.foreach(catalog.createTable(_, ignoreIfExists = false))
      session.sessionState.catalog.invalidateAllCachedTables()
    }
  }

  /** An old table that was put aside gets its name back, unless the new one is complete. */
  override def putRight(place: Place): Unit =
    place.spark.sql(s"SHOW TABLES IN $Database").collect().map(_.getString(1)).foreach { found =>
      if (found.startsWith("t_replaced_") && !isWhole(place)) {
        place.spark.sql(s"DROP TABLE IF EXISTS $Table")
        place.spark.sql(s"ALTER TABLE $Database.$found RENAME TO $Table")
      }
    }

  /**
   * A task that was being killed may have made the directory of a table anew that was not created.
   * Spark makes no managed table there.
   */
  private def removeLeft(place: Place): Unit = {
    val directory = place.root.resolve("t").toFile
    val left = Option(directory.list()).toSeq.flatten
    if (
      !place.spark.catalog.tableExists(Table) && left.forall(Set("_temporary", "._temporary.crc"))
    )
      FileUtils.deleteDirectory(directory)
  }

  private def isWhole(place: Place): Boolean =
    place.spark.catalog.tableExists(Table) &&
      read(place).select("n").collect().map(_.getInt(0)).toSeq.sorted == after.sorted
}

object TableScenario {

  private final val Database = "faults"
  private final val Table = s"$Database.t"

  private def save(rows: DataFrame, mode: String): Unit =
    rows.write.format("variant-shredded").mode(mode).partitionBy("p").saveAsTable(Table)

  import Scenario.{news, New, Old}

  private[fault] def sql(statement: String)(place: Place): Unit =
    place.sql(news(place), statement.replace("{t}", Table))

  private final val Declared = s"TABLE $Table USING `variant-shredded` PARTITIONED BY (p)"

  val Overwrite: Scenario = TableScenario(
    "saveAsTable overwrite",
    Some(Old),
    New,
    place => save(news(place), "overwrite")
  )

  val All: Seq[Scenario] = Seq(
    Overwrite,
    TableScenario(
      "create table as select, by name",
      None,
      New,
      sql(s"CREATE $Declared AS SELECT * FROM new_rows")
    ),
    TableScenario(
      "replace table as select, by name",
      Some(Old),
      New,
      sql(s"CREATE OR REPLACE $Declared AS SELECT * FROM new_rows")
    ),
    TableScenario(
      "replace table from itself, by name",
      Some(Old),
      Old.filter(_ < 3),
      sql(s"CREATE OR REPLACE $Declared AS SELECT * FROM $Table WHERE n < 3")
    ),
    TableScenario(
      "insert into, by name",
      Some(Old),
      Old ++ New,
      sql("INSERT INTO {t} (n, p, v) SELECT n, p, v FROM new_rows")
    ),
    TableScenario(
      "insert overwrite, by name",
      Some(Old),
      New,
      sql("INSERT OVERWRITE {t} (n, p, v) SELECT n, p, v FROM new_rows")
    ),
    TableScenario("truncate, by name", Some(Old), Nil, sql("TRUNCATE TABLE {t}"))
  )
}

package io.github.variantshredded.fault

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{classic, DataFrame}

/** A write to a table by name, in a database whose directory is the target. */
final case class TableScenario(
    name: String,
    before: Option[Seq[Int]],
    after: Seq[Int],
    job: Target => Unit
) extends Scenario {

  import TableScenario._

  override def prepare(target: Target): Unit = {
    target.spark.sql(s"DROP DATABASE IF EXISTS $Database CASCADE")
    target.spark.sql(s"CREATE DATABASE $Database LOCATION '${target.path}'")
    before.foreach { numbers =>
      save(target.rows(numbers.head, numbers.last + 1, Scenario.Tasks), "append")
    }
  }

  override def run(target: Target): Unit = job(target)

  override def read(target: Target): DataFrame = target.spark.table(Table)

  override def readBySpark(target: Target): DataFrame =
    target.spark.read.parquet(s"file://${target.root}/t")

  override def next: Seq[NextJob] = Seq("append", "overwrite").map { mode =>
    NextJob(
      mode,
      target => {
        removeLeft(target)
        save(target.rows(20, 22, 1), mode)
      },
      found => (if (mode == "append") found else Nil) ++ Seq(20, 21)
    )
  }

  override def keep(target: Target): () => Unit = {
    val session = target.spark.asInstanceOf[classic.SparkSession]
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
  override def putRight(target: Target): Unit =
    target.spark.sql(s"SHOW TABLES IN $Database").collect().map(_.getString(1)).foreach { found =>
      if (found.startsWith("t_replaced_") && !isWhole(target)) {
        target.spark.sql(s"DROP TABLE IF EXISTS $Table")
        target.spark.sql(s"ALTER TABLE $Database.$found RENAME TO $Table")
      }
    }

  /**
   * A task that was being killed may have made the directory of a table anew that was not created.
   * Spark makes no managed table there.
   */
  private def removeLeft(target: Target): Unit = {
    val directory = target.root.resolve("t").toFile
    val left = Option(directory.list()).toSeq.flatten
    if (
      !target.spark.catalog.tableExists(Table) && left.forall(Set("_temporary", "._temporary.crc"))
    )
      FileUtils.deleteDirectory(directory)
  }

  private def isWhole(target: Target): Boolean =
    target.spark.catalog.tableExists(Table) &&
      read(target).select("n").collect().map(_.getInt(0)).toSeq.sorted == after.sorted
}

object TableScenario {

  private final val Database = "faults"
  private final val Table = s"$Database.t"

  private def save(rows: DataFrame, mode: String): Unit =
    rows.write.format("variant-shredded").mode(mode).partitionBy("p").saveAsTable(Table)

  import Scenario.{news, New, Old}

  private[fault] def sql(statement: String)(target: Target): Unit =
    target.sql(news(target), statement.replace("{t}", Table))

  private final val Declared = s"TABLE $Table USING `variant-shredded` PARTITIONED BY (p)"

  val Overwrite: Scenario = TableScenario(
    "saveAsTable overwrite",
    Some(Old),
    New,
    target => save(news(target), "overwrite")
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

package io.github.variantshredded.sparktests

import org.apache.spark.sql.execution.command.DDLCommandTestUtils

/**
 * Finds the directory of a partition in what `SHOW TABLE EXTENDED ... PARTITION` prints for tables of
 * the second version of Spark's interfaces. Spark's tests look for the line of the first version.
 */
trait PartitionLocations extends DDLCommandTestUtils {

  private val Location = "location: (?:file:)?([^,}]*)".r.unanchored

  override def getPartitionLocation(tableName: String, part: String): String = {
    val names = tableName.split('.')
    val in = if (names.length == 1) "" else s"IN ${names.init.mkString(".")}"
    val shown = sql(s"SHOW TABLE EXTENDED $in LIKE '${names.last}' PARTITION ($part)")
    shown.select("information").head().getString(0) match {
      case Location(path) => path
      case other          => sys.error(s"No location in $other")
    }
  }
}

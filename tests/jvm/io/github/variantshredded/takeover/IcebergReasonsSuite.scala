package io.github.variantshredded.takeover

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

class IcebergReasonsSuite extends AnyFunSuite {

  test("versions of Iceberg that have not been tested are declined") {
    Seq("1.12.0", "1.12.1").foreach { version =>
      assert(IcebergReasons.ofVersion(version).isEmpty, version)
    }
    Seq("1.11.0", "1.13.0", "1.120.0", "2.0.0", "unknown").foreach { version =>
      val reason = s"Iceberg is of version $version, and 1.12.x is known"
      assert(IcebergReasons.ofVersion(version).contains(reason))
    }
  }

  test("settings of file systems that only the catalog has, or only the session, differ") {
    def conf(settings: (String, String)*) = {
      val result = new Configuration
      settings.foreach { case (name, value) => result.set(name, value) }
      result
    }
    val key = "fs.s3a.access.key" -> "a"
    Seq(
      (conf(), conf(), false),
      (conf(key), conf(key), false),
      (conf(key), conf(), true),
      (conf(), conf(key), true),
      (conf(key), conf("fs.s3a.access.key" -> "b"), true),
      (conf(), conf("spark.sql.shuffle.partitions" -> "2"), false)
    ).foreach { case (catalog, session, expected) =>
      assert(IcebergReasons.differ(catalog, session) === expected)
    }
  }

  test("a reason is new once for each table") {
    val table = getClass.getName
    assert(WarnedReasons.isNew(table, "its option is false"))
    assert(!WarnedReasons.isNew(table, "its option is false"))
    assert(WarnedReasons.isNew(table, "it has equality deletes"))
    assert(WarnedReasons.isNew(s"$table.other", "it has equality deletes"))
  }
}

package io.github.variantshredded.table

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/**
 * Statements on tables that mean the same with Spark's Parquet source and with this source: the
 * files of `tests/statements`. The first line of each says what it is about.
 */
private[table] object TableStatements {

  val Scripts: Seq[(String, Seq[String])] = {
    val files = Files.list(Path.of("tests", "statements"))
    try
      files.iterator.asScala.toSeq.sorted.map { file =>
        val (title, statements) = Files.readString(file).span(_ != '\n')
        title.stripPrefix("-- ") -> statements.split(";\n").map(_.trim).filter(_.nonEmpty).toSeq
      }
    finally files.close()
  }
}

package io.github.variantshredded.sql

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** The tables of docs/sql.md, by their headings. */
object SqlPage {

  private lazy val lines = Files.readAllLines(Path.of("docs", "sql.md")).asScala.toSeq

  /** The cells of all rows below headings that begin with this cell, without backquotes. */
  def rows(heading: String): Seq[Seq[String]] = {
    val (_, found) = lines.foldLeft(("", Vector.empty[Seq[String]])) { case ((open, rows), line) =>
      if (!line.startsWith("|")) ("", rows)
      else {
        val row = cells(line)
        if (open.isEmpty) (row.head, rows)
        else if (row.head.startsWith("---") || open != heading) (open, rows)
        else (open, rows :+ row)
      }
    }
    found
  }

  private def cells(line: String): Seq[String] =
    line.stripPrefix("|").stripSuffix("|").split('|').toSeq.map(_.trim)

  /** The code that a cell is. */
  def code(cell: String): String = cell.stripPrefix("`").stripSuffix("`")

  /** The Variant `v` of the page. */
  lazy val example: String = lines
    .collectFirst { case line if line.startsWith("Below, `v` is `") => line.split('`')(3) }
    .getOrElse(throw new IllegalStateException("docs/sql.md does not say what v is"))
}

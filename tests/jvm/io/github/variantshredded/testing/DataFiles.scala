package io.github.variantshredded.testing

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/** The Parquet files of a table, as the file system lists them. */
object DataFiles {

  /** All below `folder`, sorted. */
  def below(folder: Path): Vector[Path] = {
    val all = Files.walk(folder)
    try
      all.iterator.asScala
        .filter(file => file.toString.endsWith(".parquet") && Files.isRegularFile(file))
        .toVector
        .sorted
    finally all.close()
  }

  /** The only one below `folder`. */
  def only(folder: Path): Path = below(folder) match {
    case Seq(file) => file
    case several   => throw new AssertionError(s"expected one data file, found $several")
  }
}

package io.github.variantshredded.fuzz.bytes

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

/** The inputs that every run of a target begins with. */
object Corpus {

  /** Inputs that are kept as files, those of former findings above all. */
  private val kept: Path = Paths.get("tests", "fuzz")

  /** Named inputs: the target's own seeds, and those that are kept. */
  def of(target: FuzzTarget): Seq[(String, Array[Byte])] = seedsOf(target) ++ keptOf(target)

  def seedsOf(target: FuzzTarget): Seq[(String, Array[Byte])] =
    target.seeds.zipWithIndex.map { case (data, i) => f"seed-$i%03d" -> data }

  def keptOf(target: FuzzTarget): Seq[(String, Array[Byte])] = {
    val folder = kept.resolve(target.name)
    val files =
      if (Files.isDirectory(folder)) Files.list(folder).iterator.asScala.toSeq.sorted else Nil
    files.map(file => file.getFileName.toString -> Files.readAllBytes(file))
  }
}

package io.github.variantshredded

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import com.tngtech.archunit.core.domain.JavaClass
import com.tngtech.archunit.core.importer.ClassFileImporter
import org.scalatest.funsuite.AnyFunSuite

/** Each package uses itself and earlier ones, in the order of the table in docs/design.md. */
class PackagesSuite extends AnyFunSuite {
  private val Root = "io.github.variantshredded"

  private lazy val sequence: Seq[String] = {
    val row = "\\| `([^`]+)` \\|.*".r
    Files
      .readAllLines(Path.of("docs", "design.md"))
      .asScala
      .toSeq
      .dropWhile(_ != "## Packages")
      .takeWhile(!_.startsWith("A field's way"))
      .collect { case row(name) => if (name == "(top)") Root else s"$Root.$name" }
  }

  private lazy val classes: Seq[JavaClass] = {
    val main = classOf[VariantShreddedSource].getProtectionDomain.getCodeSource.getLocation
    new ClassFileImporter()
      .importPath(Paths.get(main.toURI))
      .asScala
      .toSeq
      .filter(_.getPackageName.startsWith(Root))
  }

  test("the table has every package once, and no other") {
    assert(sequence.distinct === sequence)
    assert(sequence.toSet === classes.map(_.getPackageName).toSet)
  }

  test("no class uses one of a later package") {
    val index = sequence.zipWithIndex.toMap
    val wrong = for {
      from <- classes
      use <- from.getDirectDependenciesFromSelf.asScala
      to = use.getTargetClass.getBaseComponentType.getPackageName
      if to.startsWith(Root) && index(to) > index(from.getPackageName)
    } yield s"${from.getName} uses ${use.getTargetClass.getName}"
    assert(wrong.distinct.sorted === Nil)
  }
}

// The version's one home is the Python package; the Makefile reads it there too.
ThisBuild / version := {
  val home = (ThisBuild / baseDirectory).value / "python/src/variant_shredded/_version.py"
  """__version__ = "([^"]+)"""".r
    .findFirstMatchIn(IO.read(home))
    .fold(sys.error(s"no __version__ in $home"))(_.group(1))
}
ThisBuild / organization := "io.github.variantshredded"
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0.txt"))
ThisBuild / homepage := Some(url("https://github.com/variantshredded/variant-shredded"))
ThisBuild / scmInfo := Some(
  ScmInfo(
    url("https://github.com/variantshredded/variant-shredded"),
    "scm:git:https://github.com/variantshredded/variant-shredded.git"
  )
)
ThisBuild / developers := List(
  Developer(
    "variantshredded",
    "The variant-shredded maintainers",
    "",
    url("https://github.com/variantshredded")
  )
)
ThisBuild / versionScheme := Some("early-semver")
ThisBuild / scalaVersion := Dependencies.scala
ThisBuild / scalacOptions ++= Seq(
  "-release:17",
  "-encoding:utf-8",
  "-deprecation",
  "-feature",
  "-unchecked",
  "-Xlint",
  "-Wunused",
  "-Werror"
)

// As by default, but for two forked groups of tests at the same time.
Global / concurrentRestrictions := Seq(
  Tags.limitAll(math.max(2, java.lang.Runtime.getRuntime.availableProcessors)),
  Tags.limit(Tags.ForkedTestGroup, 2),
  Tags.exclusiveGroup(Tags.Clean)
)

lazy val temporaryFiles = settingKey[File]("Where the tests have their temporary files.")

lazy val variantShredded = (project in file("."))
  .aggregate(jvm, bench, sparkTests, takeOverTests)
  .settings(publish / skip := true)

lazy val jvm = (project in file("jvm"))
  .settings(
    name := "variant-shredded-spark",
    temporaryFiles := target.value / "tmp",
    description := "Spark data source for shredded Variants in Parquet",
    libraryDependencies ++= (Dependencies.sparkSql % Provided) +:
      (Dependencies.iceberg ++ Dependencies.test),
    Compile / compile / javacOptions ++= Seq(
      "--release",
      "17",
      "-Xlint:all,-processing,-classfile",
      "-Werror"
    ),
    Compile / resourceGenerators += Def.task {
      val copy = (Compile / resourceManaged).value / "META-INF" / "LICENSE"
      // With its time: sbt takes a new time for a change.
      IO.copyFile((ThisBuild / baseDirectory).value / "LICENSE", copy, preserveLastModified = true)
      Seq(copy)
    }.taskValue,
    Test / scalaSource := (ThisBuild / baseDirectory).value / "tests" / "jvm",
    Test / resourceDirectory := (ThisBuild / baseDirectory).value / "tests" / "jvm" / "resources",
    Test / fork := true,
    Test / forkOptions := {
      IO.delete(temporaryFiles.value)
      IO.createDirectory(temporaryFiles.value)
      (Test / forkOptions).value.withWorkingDirectory((ThisBuild / baseDirectory).value)
    },
    // Two processes at the same time, which take about as long as each other.
    Test / testGrouping := {
      val process = Tests.SubProcess((Test / forkOptions).value)
      val packages =
        "commit directory fuzz interop optimizer replace shredding spark sql takeover"
          .split(" ")
      val (first, second) = (Test / definedTests).value.partition { test =>
        packages.exists(name => test.name.contains(s".$name."))
      }
      Seq(
        Tests.Group(packages.mkString(", "), first, process),
        Tests.Group("others", second, process)
      )
    },
    Test / javaOptions ++= Jvm.testOptions ++
      Seq("-Xmx4g", s"-Djava.io.tmpdir=${temporaryFiles.value}"),
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    // `make test SLOW=1` runs those tagged as slow too.
    Test / testOptions ++= {
      if (sys.env.get("SLOW").exists(_.nonEmpty)) Nil
      else Seq(Tests.Argument(TestFrameworks.ScalaTest, "-l", "org.scalatest.tags.Slow"))
    },
    // Scaladoc would read the Java sources by Scala's rules of access, so it gets their classes.
    Compile / doc / sources :=
      (Compile / doc / sources).value.filterNot(_.getName.endsWith(".java")),
    Compile / doc / dependencyClasspath += Attributed.blank((Compile / classDirectory).value),
    // The resources are copied first: a change of the directory would make sbt document all again.
    Compile / doc := (Compile / doc).dependsOn(Compile / products).value,
    publishMavenStyle := true,
    publishConfiguration := publishConfiguration.value.withOverwrite(true),
    pomIncludeRepository := (_ => false),
    pomPostProcess := Pom.withoutTests,
    assembly / assemblyOption := (assembly / assemblyOption).value.withIncludeScala(false),
    assembly / assemblyMergeStrategy := {
      case "META-INF/LICENSE" => MergeStrategy.first // the default would give it another name
      case path               => (assembly / assemblyMergeStrategy).value(path)
    },
    assembly / assemblyOutputPath := target.value / s"${name.value}_2.13-${version.value}.jar"
  )

lazy val bench = (project in file("jvm/bench"))
  .enablePlugins(JmhPlugin)
  .dependsOn(jvm)
  .settings(
    libraryDependencies += Dependencies.sparkSql,
    publish / skip := true,
    run / fork := true,
    run / baseDirectory := (ThisBuild / baseDirectory).value,
    run / javaOptions ++= Jvm.moduleOptions :+ "-Xmx4g",
    Jmh / javaOptions ++= Jvm.moduleOptions :+ "-Xmx4g"
  )

// Spark's own tests, with this source in the place of `parquet`; see docs/development.md.
lazy val sparkTests = (project in file("tests/spark"))
  .dependsOn(jvm)
  .settings(ownTestsOfSpark(SparkTests.inPlaceOfParquet))

// The same with Spark's Parquet source, and the extension that reads its Variants through this one.
lazy val takeOverTests = (project in file("tests/takeover"))
  .dependsOn(jvm)
  .settings(ownTestsOfSpark(SparkTests.takeOver))
  .settings(
    Test / unmanagedSources ++= {
      val shared = (sparkTests / Test / scalaSource).value / "io/github/variantshredded/sparktests"
      Seq("Judged", "ExpectedFailures", "Repository").map(name => shared / s"$name.scala")
    }
  )

def ownTestsOfSpark(settingsOfSessions: Map[String, String]): Seq[Setting[_]] = Seq(
  libraryDependencies ++= Dependencies.sparkTestLibraries ++ Dependencies.sparkTests,
  publish / skip := true,
  Test / scalaSource := baseDirectory.value / "scala",
  Test / resourceDirectory := (ThisBuild / baseDirectory).value / "tests" / "spark" / "resources",
  // The tests read files beside their classes, and take the names of these files for paths.
  Test / unmanagedClasspath += {
    val directory = target.value / "resources"
    val jars = update.value.select(artifact = artifactFilter(classifier = "tests"))
    val _ = FileFunction.cached(streams.value.cacheDirectory / "resources") { jars =>
      IO.delete(directory)
      val resources =
        new SimpleFilter(name => !name.endsWith(".class") && !name.startsWith("META-INF"))
      jars.flatMap(IO.unzip(_, directory, resources))
    }(jars.toSet)
    Attributed.blank(directory)
  },
  Test / fork := true,
  Test / parallelExecution := false,
  // Suites with Hive's metastore share one Spark context, and the others have one each.
  Test / testGrouping := {
    val process = Tests.SubProcess((Test / forkOptions).value)
    val (hive, others) = (Test / definedTests).value.partition(_.name.contains(".hive."))
    Seq(Tests.Group("spark", others, process), Tests.Group("hive", hive, process))
  },
  // The tests leave files where they run.
  Test / forkOptions := {
    val directory = target.value / "work"
    IO.createDirectory(directory)
    (Test / forkOptions).value.withWorkingDirectory(directory)
  },
  Test / javaOptions ++= Jvm.testOptions ++ SparkTests.javaOptions(settingsOfSessions) ++ Seq(
    s"-Dvariantshredded.repository=${(ThisBuild / baseDirectory).value}",
    s"-Dvariantshredded.tests=${baseDirectory.value.getName}"
  ),
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD")
)

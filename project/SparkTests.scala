/** Options of the JVMs that run Spark's own tests. */
object SparkTests {

  // Spark's builds set these too.
  private val testing = Map(
    "spark.testing" -> "1",
    "spark.port.maxRetries" -> "100",
    "spark.ui.enabled" -> "false",
    "spark.ui.showConsoleProgress" -> "false",
    "spark.unsafe.exceptionOnMemoryLeak" -> "true",
    "spark.hadoop.hadoop.security.key.provider.path" -> "test:///",
    "derby.system.durability" -> "test",
    "java.awt.headless" -> "true"
  )

  // Every SparkConf starts with the properties of its JVM.
  val inPlaceOfParquet: Map[String, String] = Map(
    "spark.sql.sources.default" -> "variant_shredded",
    "spark.sql.extensions" -> "io.github.variantshredded.sparktests.FormatInCatalog"
  )

  val takeOver: Map[String, String] = Map(
    "spark.sql.extensions" -> "io.github.variantshredded.VariantShreddedExtensions"
  )

  def javaOptions(settingsOfSessions: Map[String, String]): Seq[String] =
    (testing ++ settingsOfSessions).map { case (name, value) => s"-D$name=$value" }.toSeq ++
      Seq("-Xmx4g", "-Xss4m")
}

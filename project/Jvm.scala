/** Options of every JVM that the build forks with Spark in it. */
object Jvm {

  /** What Spark's own launcher passes on Java 17 (`JavaModuleOptions.defaultModuleOptions`). */
  val moduleOptions: Seq[String] = Seq(
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-modules=jdk.incubator.vector",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "--enable-native-access=ALL-UNNAMED",
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED"
  ) ++ Seq(
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar"
  ).map(name => s"--add-opens=java.base/$name=ALL-UNNAMED")

  /**
   * Those of a JVM that runs tests, in which C2 takes more CPU time than it saves. Without C2 the
   * default is 48 MB for compiled code, which the code that Spark generates fills: the JVM would
   * discard and compile methods all the time. The parallel collector takes less CPU time than G1.
   */
  val testOptions: Seq[String] =
    moduleOptions ++
      Seq("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=512m", "-XX:+UseParallelGC")
}

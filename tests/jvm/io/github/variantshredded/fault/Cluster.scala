package io.github.variantshredded.fault

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.spark.sql.SparkSession

/**
 * A standalone cluster of Spark on this machine: a master and workers, each a process of its own.
 * They have the class path of this process.
 *
 * @param folder
 *   for their logs and the executors' directories
 */
final class Cluster(folder: Path) extends AutoCloseable {

  private val loopback = InetAddress.getLoopbackAddress
  private val port = Using.resource(new ServerSocket(0, 1, loopback))(_.getLocalPort)
  private val host = loopback.getHostAddress
  private val url = s"spark://$host:$port"
  private val classPath = System.getProperty("java.class.path")

  // Spark looks for its JARs there, and finds them in the class path.
  private val home = Files.createDirectories(folder.resolve("home/jars")).getParent

  private val master = start(
    "master",
    "org.apache.spark.deploy.master.Master",
    Seq("--host", host, "--port", port.toString, "--webui-port", "0")
  )

  private var workers: Seq[Process] = Nil

  private val cleaning = new Thread(() => close())
  Runtime.getRuntime.addShutdownHook(cleaning)

  private def start(name: String, main: String, arguments: Seq[String]): Process = {
    val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
    val options = "-Xmx256m" +: FaultChild.moduleOptions
    val builder = new ProcessBuilder((Seq(java) ++ options ++ (main +: arguments)): _*)
    builder.environment.putAll(
      Map(
        "CLASSPATH" -> classPath,
        "SPARK_HOME" -> home.toString,
        "SPARK_LOCAL_IP" -> host,
        "SPARK_SCALA_VERSION" -> "2.13"
      ).asJava
    )
    builder.redirectErrorStream(true).redirectOutput(folder.resolve(s"$name.log").toFile)
    builder.start()
  }

  /**
   * Starts a worker with one core. Every second one calls its machine by another name: Spark runs no
   * task a second time on the same machine because it is slow.
   */
  def startWorker(): Unit = {
    val name = s"worker-${workers.size + 1}"
    val machine = if (workers.size % 2 == 0) host else "localhost"
    val arguments = Seq("--host", machine, "--cores", "1", "--memory", "1g", "--webui-port", "0") ++
      Seq("--work-dir", folder.resolve(name).toString, url)
    workers :+= start(name, "org.apache.spark.deploy.worker.Worker", arguments)
  }

  /** Kills the worker that has the process `executor`, with all its processes. */
  def killWorkerOf(executor: Long): Unit = {
    val worker = workers
      .find(_.descendants.anyMatch(_.pid == executor))
      .getOrElse(throw new IllegalStateException(s"no worker has the process $executor"))
    kill(worker)
  }

  /**
   * A session whose jobs run on the workers.
   *
   * @throws java.io.IOException
   *   if the cluster does not come up
   */
  def session(executors: Int, settings: (String, String)*): SparkSession = {
    await("the master is reached")(Try(connect()).isSuccess)
    val spark = settings
      .foldLeft(SparkSession.builder()) { case (builder, (key, value)) =>
        builder.config(key, value)
      }
      .master(url)
      .appName("cluster")
      .config("spark.ui.enabled", "false")
      .config("spark.driver.host", host)
      .config("spark.driver.bindAddress", host)
      .config("spark.executor.memory", "512m")
      .config("spark.executor.extraClassPath", classPath)
      .config(
        "spark.executor.extraJavaOptions",
        "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
      )
      .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri.toString)
      .getOrCreate()
    // The driver is among them.
    await(s"$executors executors are there") {
      spark.sparkContext.statusTracker.getExecutorInfos.length > executors
    }
    spark
  }

  private def connect(): Unit =
    Using.resource(new Socket)(_.connect(new InetSocketAddress(loopback, port), 1000))

  private def await(what: String)(condition: => Boolean): Unit = {
    val until = System.nanoTime + TimeUnit.SECONDS.toNanos(60)
    while (!condition) {
      val ended = (master +: workers).find(!_.isAlive)
      if (ended.isDefined || System.nanoTime > until)
        throw new IOException(
          s"Not so that $what; ended: $ended\n" + Files
            .list(folder)
            .filter(_.toString.endsWith(".log"))
            .iterator
            .asScala
            .map(log => s"$log:\n" + Files.readString(log).linesIterator.toSeq.takeRight(5))
            .mkString("\n")
        )
      Thread.sleep(100)
    }
  }

  private def kill(process: Process): Unit = {
    val all = process.descendants.toList.asScala.toSeq
    process.destroyForcibly().waitFor()
    all.foreach(_.destroyForcibly())
  }

  override def close(): Unit = (workers :+ master).foreach(kill)
}

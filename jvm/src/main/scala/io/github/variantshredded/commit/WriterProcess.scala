package io.github.variantshredded.commit

import java.net.InetAddress
import java.nio.file.{Files, Paths}

import scala.jdk.OptionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * The process that commits a job, so that another one can tell whether it still runs.
 *
 * @param machine
 *   host name and, on Linux, the namespace of process ids: two containers of one host can both have
 *   a process 1
 * @param started
 *   when the process started, in milliseconds since 1970: process ids are used again
 */
private[commit] final case class WriterProcess(machine: String, pid: Long, started: Long) {

  /** Whether the process runs; None if it belongs to another machine. */
  def runs: Option[Boolean] =
    if (machine != WriterProcess.current.machine) None
    else Some(WriterProcess.startOf(pid).contains(started))

  def isCurrent: Boolean = this == WriterProcess.current

  def write(node: ObjectNode): Unit = {
    node.put("machine", machine).put("pid", pid).put("started", started)
    ()
  }

  override def toString: String = s"process $pid of $machine"
}

private[commit] object WriterProcess {

  val current: WriterProcess = {
    val pid = ProcessHandle.current.pid
    WriterProcess(machine, pid, startOf(pid).getOrElse(0L))
  }

  def read(node: JsonNode): Option[WriterProcess] =
    if (Seq("machine", "pid", "started").forall(node.has))
      Some(
        WriterProcess(
          node.get("machine").asText,
          node.get("pid").asLong,
          node.get("started").asLong
        )
      )
    else None

  private def machine: String = {
    val host = Try(InetAddress.getLocalHost.getHostName).getOrElse("unknown host")
    val namespace = Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString)
    host + namespace.fold(_ => "", " " + _)
  }

  // None if no such process runs; 0 if the operating system does not say when it started.
  private def startOf(pid: Long): Option[Long] =
    ProcessHandle.of(pid).toScala.filter(_.isAlive).map { process =>
      process.info.startInstant.toScala.fold(0L)(_.toEpochMilli)
    }
}

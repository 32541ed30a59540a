package io.github.variantshredded.commit

import java.net.InetAddress
import java.nio.file.{Files, Paths}

import scala.jdk.OptionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * Identifies the process that commits a job, so that other processes can find out whether it still
 * runs.
 *
 * @param machine
 *   identifies the system whose processes can be seen: the host's name, the user and, on Linux, the
 *   boot of the machine, because names are not unique, and the namespace of process ids, because
 *   two containers of one host can both have a process 1
 * @param started
 *   start time of the process, because process ids are reused: on Linux in ticks since the boot,
 *   which do not change when the clock is set, elsewhere in milliseconds since 1970
 */
private[commit] final case class WriterProcess(machine: String, pid: Long, started: Long) {

  /** Returns whether the process runs; None if it belongs to another machine. */
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

  /** Returns a process of this machine, if it runs. */
  def of(pid: Long): Option[WriterProcess] = startOf(pid).map(WriterProcess(machine, pid, _))

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
    val user = System.getProperty("user.name")
    val boot = Try(Files.readString(Paths.get("/proc/sys/kernel/random/boot_id")).trim)
    val namespace = Try(Files.readSymbolicLink(Paths.get("/proc/self/ns/pid")).toString)
    (Seq(host, user) ++ boot.toOption ++ namespace.toOption).mkString(" ")
  }

  // None if the process does not run; 0 if the operating system does not report its start time.
  private def startOf(pid: Long): Option[Long] =
    Try(Files.readString(Paths.get(s"/proc/$pid/stat"))).toOption match {
      case Some(stat) => startOf(stat)
      case None       =>
        ProcessHandle.of(pid).toScala.filter(_.isAlive).map { process =>
          process.info.startInstant.toScala.fold(0L)(_.toEpochMilli)
        }
    }

  // The fields after the name in parentheses, which may contain parentheses itself: see proc(5).
  private def startOf(stat: String): Option[Long] = {
    val fields = stat.drop(stat.lastIndexOf(')') + 2).split(' ')
    // A process that has ended stays in the list until its parent reads its status.
    if (Set("Z", "X", "x")(fields(0))) None else Some(fields(19).toLong)
  }
}

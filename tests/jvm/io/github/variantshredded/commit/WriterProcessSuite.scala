package io.github.variantshredded.commit

import java.nio.file.{Files, Path}

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

/** Whether a process still runs. */
class WriterProcessSuite extends AnyFunSuite {

  private def start(command: String*): Process = new ProcessBuilder(command: _*).start()

  private def assumeLinux(): Unit = {
    assume(Files.exists(Path.of("/proc/self/stat")))
    ()
  }

  test("this process runs, and is this one after it was written and read") {
    val node = new ObjectMapper().createObjectNode
    WriterProcess.current.write(node)
    val read = WriterProcess.read(node).get
    assert(read.isCurrent)
    assert(read.runs === Some(true))
  }

  test("a process that was killed does not run, and neither does a later one of the same number") {
    val process = start("sleep", "1000")
    val writer = WriterProcess.of(process.pid).get
    assert(writer.runs === Some(true))
    assert(writer.copy(started = writer.started + 1).runs === Some(false))
    process.destroyForcibly().waitFor()
    assert(writer.runs === Some(false))
  }

  test("a process that has ended does not run, even if its parent has not taken note") {
    assumeLinux()
    // The shell becomes a process that does not wait for the one in the background.
    val process = start("bash", "-c", "sleep 1000 & echo $!; exec sleep 1000")
    try {
      val pid = process.inputReader.readLine().toLong
      val writer = WriterProcess.of(pid).get
      assert(writer.runs === Some(true))
      start("kill", "-9", pid.toString).waitFor()
      val zombie = Path.of(s"/proc/$pid/stat")
      val deadline = System.nanoTime + 10000000000L
      while (!Files.readString(zombie).contains(") Z ") && System.nanoTime < deadline)
        Thread.sleep(5)
      assert(ProcessHandle.of(pid).isPresent)
      assert(writer.runs === Some(false))
    } finally {
      process.destroyForcibly()
      ()
    }
  }

  test("nothing is known of processes of other machines, other boots and other users") {
    assumeLinux()
    val boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim
    val machine = WriterProcess.current.machine
    val user = System.getProperty("user.name")
    assert(machine.contains(boot) && machine.contains(user))
    val process = WriterProcess.current.copy(pid = 1L << 40)
    assert(process.runs === Some(false))
    assert(process.copy(machine = machine.replace(boot, "another")).runs === None)
  }
}

package io.github.variantshredded.simulation

import java.io.IOException
import java.util.concurrent.{Executors, TimeUnit}

import scala.collection.mutable
import scala.util.Random

import io.github.variantshredded.commit.CommitClock

/** Ends a simulated process: it is thrown by each of its operations, and nothing catches it. */
final class Killed extends LinkageError("killed")

/**
 * What happens to the processes of a simulation besides their own steps.
 *
 * @param kills
 *   how many processes may die
 * @param suspensions
 *   how often a process may be suspended for seconds or minutes
 * @param faults
 *   how many operations may throw an exception, before or after they are carried out
 */
final case class Disturbances(kills: Int, suspensions: Int, faults: Int)

/**
 * Runs processes step by step in an order that `random` chooses, in simulated time.
 *
 * A step of a process goes from one operation on files to the next one, and no two run at the same
 * time. So a simulation of hours takes milliseconds, and the same seed gives the same order.
 */
final class Simulation(random: Random, disturbances: Disturbances) {

  import Simulation._

  private val lock = new Object
  private val log = mutable.ArrayBuffer.empty[String]
  private val running = new ThreadLocal[Process]
  private var millis = 0L
  @volatile private var isRunning = false
  private var left = disturbances

  // Files get times that are not long ago.
  private val began = System.currentTimeMillis

  /** The simulated time in milliseconds since 1970. */
  def now: Long = began + lock.synchronized(millis)

  /** The number of steps up to now: an order of events. */
  def steps: Int = lock.synchronized(log.size)

  /** What has happened. */
  def trace: String = lock.synchronized(log.mkString("\n"))

  /** The process that calls this. */
  def current: Process = running.get

  /** Ends all disturbances. */
  def calm(): Unit = lock.synchronized { left = Disturbances(0, 0, 0) }

  def note(event: String): Unit = lock.synchronized {
    val _ = log += f"$millis%8d $event"
  }

  /** A process with one thread, and at most one heartbeat. */
  final class Process(val name: String, val isReader: Boolean) {
    private[Simulation] var state: State = Before("start")
    private[Simulation] var suspendedUntil = 0L
    private[Simulation] var isKilled = false
    private[Simulation] var fault: Option[Boolean] = None
    private[Simulation] var heartbeat: Option[Heartbeat] = None

    private[Simulation] var hadFault = false
    private[Simulation] var wasSuspended = false

    /** Returns whether an operation of the process has failed. */
    def hadFaults: Boolean = lock.synchronized(hadFault)

    /** Returns whether the process was killed, or one of its operations has failed. */
    def isFaulty: Boolean = lock.synchronized(isKilled || hadFault)

    /** Returns whether the process was suspended, or is faulty. */
    def isDisturbed: Boolean = lock.synchronized(wasSuspended || isFaulty)

    val clock: CommitClock = new CommitClock {
      override def nanos: Long = now * 1000000L
      override def sleep(millis: Long): Unit = pause(Process.this, Asleep(now - began + millis))
      override def sleepUpTo(millis: Long): Unit = sleep(millis * 3 / 4)
      override def every(millis: Long)(action: => Unit): AutoCloseable = {
        val added = new Heartbeat(millis, () => action)
        lock.synchronized {
          added.next = Simulation.this.millis + millis
          heartbeat = Some(added)
        }
        () =>
          lock.synchronized {
            // A call that runs at this moment may end later.
            if (random.nextInt(8) == 0) {
              added.isLast = true
              added.next = Simulation.this.millis + random.nextInt(100).toLong
            } else heartbeat = None
          }
      }
    }
  }

  final private class Heartbeat(val period: Long, val action: () => Unit) {
    var next = 0L
    var isLast = false
  }

  /** Waits until it is the turn of the calling process, and carries out an operation on files. */
  def operation[T](what: String)(carryOut: => T): T = {
    val process = running.get
    if (process == null) {
      require(!isRunning, s"$what: a thread that is no process of the simulation")
      carryOut
    } else if (lock.synchronized(process.state == Beating)) carryOut
    else {
      pause(process, Before(what))
      lock.synchronized(process.fault) match {
        case Some(true) =>
          carryOut
          throw new IOException(s"injected after $what")
        case Some(false) => throw new IOException(s"injected before $what")
        case None        => carryOut
      }
    }
  }

  private def pause(process: Process, state: State): Unit = lock.synchronized {
    process.state = state
    lock.notifyAll()
    while (process.state != Running) lock.wait()
    if (process.isKilled) {
      process.state = Running
      throw new Killed
    }
  }

  /** Runs one thread for each of the bodies until all have ended. */
  def run(bodies: Seq[(Process, () => Unit)]): Unit = {
    val pool = Executors.newCachedThreadPool()
    isRunning = true
    try {
      bodies.foreach { case (process, body) =>
        pool.execute { () =>
          running.set(process)
          try {
            lock.synchronized { while (process.state != Running) lock.wait() }
            body()
          } finally
            lock.synchronized {
              process.state = Ended
              process.heartbeat = None
              lock.notifyAll()
            }
        }
      }
      while (step(bodies.map(_._1))) ()
    } finally {
      isRunning = false
      pool.shutdownNow()
      pool.awaitTermination(10, TimeUnit.SECONDS)
      ()
    }
  }

  /** Lets one process take one step; false if all have ended. */
  private def step(all: Seq[Process]): Boolean = lock.synchronized {
    while (all.exists(_.state == Running)) lock.wait()
    if (log.size > MaxSteps) throw new IllegalStateException("The processes do not end.")
    val alive = all.filterNot(_.state == Ended)
    alive.nonEmpty && {
      val ready = alive.filter(process => dueAt(process) <= millis)
      val beating = alive.filter { process =>
        !process.isKilled && process.suspendedUntil <= millis &&
        process.heartbeat.exists(_.next <= millis)
      }
      if (beating.nonEmpty && random.nextBoolean()) beat(beating(random.nextInt(beating.size)))
      else if (ready.nonEmpty) go(ready(random.nextInt(ready.size)))
      else if (beating.nonEmpty) beat(beating(random.nextInt(beating.size)))
      else {
        val moments = alive.map(dueAt) ++ alive
          .filterNot(_.isKilled)
          .flatMap(process =>
            process.heartbeat.map(one => math.max(one.next, process.suspendedUntil))
          )
        millis = math.max(millis + 1, moments.min)
      }
      true
    }
  }

  private def dueAt(process: Process): Long = {
    val wake = process.state match {
      case Asleep(until) => until
      case _             => 0L
    }
    if (process.isKilled) 0L else math.max(wake, process.suspendedUntil)
  }

  /** Rewrites the heartbeat of a process. */
  private def beat(process: Process): Unit = {
    val heartbeat = process.heartbeat.get
    if (heartbeat.isLast) process.heartbeat = None else heartbeat.next = millis + heartbeat.period
    val before = process.state
    process.state = Beating
    running.set(process)
    try heartbeat.action()
    finally {
      running.remove()
      process.state = before
    }
    note(s"${process.name} writes its heartbeat")
  }

  private def go(process: Process): Unit = {
    millis += 1 + (if (random.nextInt(12) == 0) random.nextInt(3000) else random.nextInt(30))
    process.fault = None
    if (process.isKilled) letGo(process)
    else {
      val what = process.state
      def describe = s"${process.name} $what"
      if (!process.isReader && left.kills > 0 && random.nextInt(40) == 0) {
        left = left.copy(kills = left.kills - 1)
        note(s"${process.name} dies before $what")
        process.isKilled = true
        letGo(process)
      } else if (left.suspensions > 0 && random.nextInt(25) == 0) {
        left = left.copy(suspensions = left.suspensions - 1)
        process.wasSuspended = true
        process.suspendedUntil = millis + Suspensions(random.nextInt(Suspensions.size))
        note(s"${process.name} is suspended until ${process.suspendedUntil} before $what")
      } else {
        if (left.faults > 0 && what.isInstanceOf[Before] && random.nextInt(30) == 0) {
          left = left.copy(faults = left.faults - 1)
          process.fault = Some(random.nextBoolean())
          process.hadFault = true
          note(s"$describe FAILS ${if (process.fault.contains(true)) "after" else "before"}")
        } else note(describe)
        letGo(process)
      }
    }
  }

  private def letGo(process: Process): Unit = {
    process.state = Running
    lock.notifyAll()
    while (process.state == Running) lock.wait()
  }
}

private object Simulation {

  sealed trait State
  case object Running extends State
  case object Beating extends State
  case object Ended extends State
  final case class Before(what: String) extends State {
    override def toString: String = what
  }
  final case class Asleep(until: Long) extends State {
    override def toString: String = "wakes up"
  }

  final val MaxSteps = 20000

  val Suspensions: Seq[Long] = Seq(3000L, 30000L, 61000L, 70000L, 130000L, 400000L)
}

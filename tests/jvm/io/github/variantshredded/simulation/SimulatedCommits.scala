package io.github.variantshredded.simulation

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.github.variantshredded.commit.{CommitPatience, ExclusiveCommit, PendingCommits}
import io.github.variantshredded.directory.DataFiles
import io.github.variantshredded.errors.{Causes, VariantShreddedException}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * Several processes commit to one directory, and others read it, in a [[Simulation]]: they are slow,
 * suspended for minutes, or die, and their operations fail. What they end with, and what readers
 * see, must be possible if the jobs had run one after the other.
 */
final class SimulatedCommits(seed: Int) {

  import SimulatedCommits._

  private val random = new Random(seed)
  private val simulation = new Simulation(
    random,
    Disturbances(
      kills = random.nextInt(3),
      suspensions = random.nextInt(3),
      faults = random.nextInt(3)
    )
  )
  private val files = new SimulatedFiles(simulation, isStore = random.nextBoolean())
  private val name = s"seed$seed"
  private val conf = new Configuration(false)
  conf.set(s"fs.${SimulatedFileSystem.Scheme}.impl", classOf[SimulatedFileSystem].getName)
  conf.setBoolean(s"fs.${SimulatedFileSystem.Scheme}.impl.disable.cache", true)
  private val root = new Path(s"${SimulatedFileSystem.Scheme}://$name/table")
  private val events = new ConcurrentLinkedQueue[Event]
  private val looks = new ConcurrentLinkedQueue[Look]
  private val failures = new ConcurrentLinkedQueue[Failure]
  private val unclear = new ConcurrentLinkedQueue[Throwable]

  private val old = Job("old", overwrites = false, 1 + random.nextInt(2))
  private val jobs = Seq.tabulate(2 + random.nextInt(3)) { i =>
    val overwrites = random.nextInt(3) > 0
    // One that adds nothing deletes all rows.
    val count = if (overwrites && random.nextInt(4) == 0) 0 else 1 + random.nextInt(2)
    Job(s"job${('A' + i).toChar}", overwrites, count)
  }
  private val last = Job("last", overwrites = false, 1)

  /** Runs the simulation, and throws an error with all that happened if a rule is broken. */
  def check(): Unit = {
    SimulatedFiles.add(name, files)
    try {
      old.names.foreach(file => files.write(s"/table/$file", file.getBytes))
      if (random.nextInt(4) == 0)
        files.write("/table/_variant_shredded_commits/_old.last", Array.empty)
      val writers = jobs.map { job =>
        val process = new simulation.Process(job.id, isReader = false)
        process -> (() => write(job, process))
      }
      val readers = Seq.tabulate(1 + random.nextInt(2)) { i =>
        val process = new simulation.Process(s"reader$i", isReader = true)
        val count = 1 + random.nextInt(4)
        process -> (() => read(count))
      }
      simulation.run(writers ++ readers)
      val found = visible()
      rule(isHistory(found), s"the rows of $found")
      simulation.calm()
      val process = new simulation.Process(last.id, isReader = false)
      simulation.run(Seq(process -> (() => write(last, process))))
      val next = visible()
      rule(next == found + last.id, s"the rows of $next after $found and an append")
      val present = DataFiles.below(fileSystem, root).map(_.getPath.getName).toSet
      rule(jobsOf(present) == next, s"files of ${jobsOf(present)} where readers see $next")
      val notes = files.files.keys.filter(file => CommitNotes.exists(file.endsWith(_)))
      rule(notes.isEmpty, s"the notes $notes")
      rule(unclear.isEmpty, s"the errors ${unclear.asScala.mkString(", ")}")
    } finally SimulatedFiles.remove(name)
  }

  private def rule(holds: Boolean, found: => String): Unit =
    if (!holds)
      throw new IllegalStateException(
        s"seed $seed: $found in\n${simulation.trace}\n${events.asScala.mkString("\n")}"
      )

  private def isHistory(found: Set[String]): Boolean = {
    val judged = looks.asScala.toSeq.filterNot(look => failures.asScala.exists(mayShow(look, _)))
    SerialHistory.explains(
      events.asScala.toSeq ++
        judged.map(look => Event.Look(jobsOf(look.names), look.start, look.end)),
      Set(old.id),
      found
    )
  }

  /** Returns whether a reader may have seen what a job did before it failed and withdrew that. */
  private def mayShow(look: Look, failure: Failure): Boolean =
    look.start <= failure.end && look.end >= failure.start &&
      (failure.job.count == 0 || failure.job.names.exists(look.names))

  private def fileSystem: FileSystem = root.getFileSystem(conf)

  private def write(job: Job, process: simulation.Process): Unit = {
    val start = simulation.steps
    def add(isCertain: Boolean, end: Int): Unit = {
      events.add(Event.Write(job.id, job.overwrites, job.count > 0, isCertain, start, end))
      ()
    }
    try {
      commit(job, process)
      add(isCertain = true, simulation.steps)
      simulation.note(s"${job.id} has succeeded")
    } catch {
      case _: Killed =>
        // It may have died while it withdrew what it had done.
        if (process.hadFaults) failures.add(Failure(job, start, simulation.steps))
        add(isCertain = false, Int.MaxValue)
      case e: Throwable =>
        simulation.note(s"${job.id} has failed: $e")
        failures.add(Failure(job, start, simulation.steps))
        if (!isClear(e) || !process.isDisturbed) unclear.add(e)
        if (process.isFaulty || isInDoubt(e)) add(isCertain = false, Int.MaxValue)
    }
  }

  /** Returns whether an error says what has happened: one of this source's, or an injected one. */
  private def isClear(e: Throwable): Boolean = Causes.of(e).exists { cause =>
    cause.isInstanceOf[VariantShreddedException] ||
    String.valueOf(cause.getMessage).contains("injected")
  }

  private def isInDoubt(e: Throwable): Boolean = e match {
    case known: VariantShreddedException =>
      known.condition == "FILE_SYSTEM_ERROR" || known.getMessage.contains("or finished it")
    case _ => false
  }

  private def commit(job: Job, process: simulation.Process): Unit = {
    val fs = fileSystem
    ExclusiveCommit(root, conf, job.id, CommitPatience(clock = process.clock)) { commit =>
      val replaced =
        if (job.overwrites) DataFiles.below(fs, root).toSeq else Seq.empty[FileStatus]
      if (job.count > 0)
        commit.add(job.names.foreach(file => fs.create(new Path(root, file), false).close()))
      commit.replace(replaced, None)
    }
  }

  private def read(count: Int): Unit = (1 to count).foreach { _ =>
    val start = simulation.steps
    try {
      val names = visibleNames()
      simulation.note(s"${simulation.current.name} has seen $names")
      looks.add(Look(names, start, simulation.steps))
      ()
    } catch {
      case e: Throwable =>
        simulation.note(s"${simulation.current.name} has failed: $e")
        if (!simulation.current.isFaulty) {
          val _ = unclear.add(e)
        }
    }
  }

  private def visible(): Set[String] = jobsOf(visibleNames())

  private def visibleNames(): Set[String] =
    PendingCommits
      .visible(Seq(root), conf)(() => DataFiles.below(fileSystem, root).toSeq)
      .map(_.getPath.getName)
      .toSet

  /** The jobs that wrote the files, of which none is there in part. */
  private def jobsOf(names: Set[String]): Set[String] = {
    val found = (jobs :+ old :+ last).filter(job => job.names.exists(names))
    found.foreach(job => rule(job.names.forall(names), s"a part of ${job.id}, $names,"))
    found.map(_.id).toSet
  }
}

object SimulatedCommits {

  private val CommitNotes = Seq(".adding", ".replacing")

  /** The names of the files that a reader has found between two moments. */
  private final case class Look(names: Set[String], start: Int, end: Int)

  /** A job that has ended with an error. */
  private final case class Failure(job: Job, start: Int, end: Int)

  private final case class Job(id: String, overwrites: Boolean, count: Int) {
    def names: Seq[String] = (0 until count).map(i => s"part-$i-$id.parquet")
  }
}

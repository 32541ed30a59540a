package io.github.variantshredded.fault

import java.io.IOException
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/**
 * An operation of a file system.
 *
 * @param number
 *   1 for the first one that is watched
 * @param changes
 *   whether it changes files or directories; the others look only
 * @param refusable
 *   whether it has an answer that says that it was not carried out
 */
final case class Operation(
    number: Int,
    kind: String,
    path: Path,
    changes: Boolean,
    refusable: Boolean = false
) {
  override def toString: String = s"$number $kind ${path.toUri.getPath}"
}

/** What is done to the operations on the files below a directory. */
trait Watcher {

  /** Carries out `operation`; `refused` is the answer of a file system that does not do it. */
  def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T
}

/** The watcher of all [[FaultFileSystem]]s of this process. */
object Faults {

  private final case class Watch(root: String, watcher: Watcher, count: AtomicInteger)

  @volatile private var current: Option[Watch] = None

  /** Runs `body` while `watcher` watches what happens below `root`. */
  def watched[T](root: String, watcher: Watcher)(body: => T): T = {
    current = Some(Watch(root, watcher, new AtomicInteger))
    try body
    finally current = None
  }

  def operation[T](kind: String, path: Path, changes: Boolean, refused: Option[T] = None)(
      carryOut: => T
  ): T = current match {
    case Some(watch) if (path.toUri.getPath + "/").startsWith(watch.root + "/") =>
      val number = watch.count.incrementAndGet()
      val found = Operation(number, kind, path, changes, refused.isDefined)
      watch.watcher.around(found, refused)(carryOut)
    case _ => carryOut
  }
}

/** How a file system fails. */
sealed trait Fault {

  /** Whether the fault is another one at `operation` than at the one before, or than another fault. */
  def isOwn(operation: Operation): Boolean = true

  /** Whether what follows in the process fails too, so that nothing is put right. */
  def lasts: Boolean = false

  /** Whether a job cannot find out if an operation that decides about it was carried out. */
  def leavesInDoubt: Boolean = false
}

object Fault {

  /** The operation is not carried out, and raises an exception. */
  case object Before extends Fault

  /** The operation is carried out, and raises an exception. */
  case object After extends Fault {
    // Whether a status was looked at before its exception makes no difference.
    override def isOwn(operation: Operation): Boolean = operation.changes
  }

  /** The operation is not carried out; what Java's `File` answers then, where it has an answer. */
  case object Refused extends Fault {
    override def isOwn(operation: Operation): Boolean = operation.refusable
  }

  /** From here on, nothing can be written to files; they can be deleted and renamed. */
  case object DiskFull extends Fault {
    override def isOwn(operation: Operation): Boolean = operation.kind == "write"
  }

  /** From here on, every operation raises an exception: the connection is gone. */
  case object Gone extends Fault {
    override def lasts: Boolean = true
  }

  /** The operation is carried out, but from its answer on, the connection is gone. */
  case object GoneAfter extends Fault {
    override def isOwn(operation: Operation): Boolean = operation.changes
    override def lasts: Boolean = true
    override def leavesInDoubt: Boolean = true
  }

  /** The operation takes a while. */
  case object Slow extends Fault

  /** The process ends. */
  case object Halt extends Fault {
    override def lasts: Boolean = true
  }

  val InProcess: Seq[Fault] = Seq(Before, After, Refused, DiskFull, Gone, GoneAfter, Slow)

  def apply(name: String): Fault = (Halt +: InProcess).find(_.toString == name).get
}

/** Remembers the operations. */
final class Recording extends Watcher {
  private val all = new ConcurrentLinkedQueue[Operation]

  def operations: Seq[Operation] = all.asScala.toSeq

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    all.add(operation)
    carryOut
  }
}

/** Does `action` once, before or after the first operation that `isDue` selects. */
final class ActingOnce(isDue: Operation => Boolean, isBefore: Boolean)(action: => Unit)
    extends Watcher {
  private var isDone = false

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T =
    if (isDone || !isDue(operation)) carryOut
    else {
      isDone = true
      if (isBefore) action
      val result = carryOut
      if (!isBefore) action
      result
    }
}

/** Does `fault` to the operation with the number `at`. */
final class Failing(at: Int, fault: Fault) extends Watcher {

  @volatile var met: Option[Operation] = None

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    if (operation.number == at) met = Some(operation)
    def fail = throw new IOException(s"injected: $fault at operation $operation")
    fault match {
      case Fault.DiskFull if operation.number >= at && operation.kind == "write" => fail
      case Fault.Gone if operation.number >= at                                  => fail
      case Fault.GoneAfter if operation.number > at                              => fail
      case _ if operation.number != at                                           => carryOut
      case Fault.Before                                                          => fail
      case Fault.After | Fault.GoneAfter                                         =>
        carryOut
        fail
      case Fault.Refused => refused.getOrElse(fail)
      case Fault.Slow    =>
        Thread.sleep(50)
        carryOut
      case Fault.Halt =>
        Runtime.getRuntime.halt(Failing.Halted)
        carryOut
      case Fault.DiskFull | Fault.Gone => carryOut
    }
  }
}

object Failing {

  /** The exit code of a process that a fault has ended. */
  final val Halted = 87
}

/** Counts operations. */
final class Counting extends Watcher {

  private val seen = new java.util.concurrent.ConcurrentLinkedQueue[Operation]

  def operations: Seq[Operation] = seen.toArray(Array.empty[Operation]).toSeq.sortBy(_.number)

  override def around[T](operation: Operation, refused: Option[T])(carryOut: => T): T = {
    seen.add(operation)
    carryOut
  }
}

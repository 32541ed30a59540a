package io.github.variantshredded.fuzz

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** Hears what Spark logs about batches of its optimizer that do not come to an end. */
final class OptimizerWarnings {

  private val heard = new ConcurrentLinkedQueue[String]

  private val appender =
    new AbstractAppender("optimizer-warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = {
        val message = event.getMessage.getFormattedMessage
        if (message.startsWith("Max iterations")) heard.add(message)
      }
    }

  private def root: Logger = LogManager.getRootLogger match {
    case logger: Logger => logger
    case other          => throw new IllegalStateException(s"not log4j: $other")
  }

  /** Hears warnings while `body` runs; other logs are kept quiet. */
  def during[T](body: => T): T = {
    val others = root.getAppenders.values.asScala.toVector
    val level = root.getLevel
    appender.start()
    root.setLevel(Level.WARN)
    root.addAppender(appender)
    others.foreach(root.removeAppender(_))
    try body
    finally {
      root.setLevel(level)
      root.removeAppender(appender)
      others.foreach(root.addAppender(_))
    }
  }

  /** What was heard since it was asked for last. */
  def take(): Vector[String] =
    Iterator.continually(heard.poll()).takeWhile(_ != null).toVector
}

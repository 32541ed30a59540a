package io.github.variantshredded.testing

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** The warnings that a class writes to the log. */
object Warnings {

  /** Returns the warnings of a logger while `body` runs, in their order. */
  def of(name: String)(body: => Unit): Seq[String] = {
    val found = new ConcurrentLinkedQueue[String]
    val appender = new AbstractAppender("warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        if (event.getLevel == Level.WARN) {
          val _ = found.add(event.getMessage.getFormattedMessage)
        }
    }
    LogManager.getLogger(name) match {
      case logger: Logger =>
        appender.start()
        logger.addAppender(appender)
        val level = logger.getLevel
        logger.setLevel(Level.WARN)
        try body
        finally {
          logger.setLevel(level)
          logger.removeAppender(appender)
          appender.stop()
        }
      case other => throw new IllegalStateException(s"${other.getClass} has no appenders")
    }
    found.asScala.toSeq
  }
}

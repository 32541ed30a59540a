package io.github.variantshredded.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamOptions;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource;

/**
 * Deletes or archives the files that a stream has read, if the option {@code cleanSource} says so.
 * It is written in Java, because in Scala Spark's class is private to Spark's packages.
 */
public final class ReadFilesCleaner {
  private final scala.Option<FileStreamSource.FileStreamSourceCleaner> cleaner;

  public ReadFilesCleaner(
      FileSystem fs, Path path, FileStreamOptions options, Configuration conf) {
    cleaner = FileStreamSource.FileStreamSourceCleaner$.MODULE$.apply(fs, path, options, conf);
  }

  /** Returns whether files are deleted or archived. */
  public boolean isOn() {
    return cleaner.isDefined();
  }

  /** Deletes or archives a file. */
  public void clean(FileStreamSource.FileEntry file) {
    if (isOn()) {
      cleaner.get().clean(file);
    }
  }

  public void stop() {
    if (isOn()) {
      cleaner.get().stop();
    }
  }
}

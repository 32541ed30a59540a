package io.github.variantshredded.spark;

import io.github.variantshredded.errors.CommitErrors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.parquet.hadoop.ParquetOutputCommitter;

import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Commits a job as Parquet's committer does, but gives each job its own directory in
 * {@code _temporary}.
 *
 * <p>In Hadoop's committer, all jobs share {@code _temporary/0}. So a job that commits also commits
 * the files that the tasks of a killed job have left there, and it removes the files that another
 * job is writing. With this committer, a job commits and removes only its own files.
 */
public final class IsolatedOutputCommitter extends ParquetOutputCommitter {

  private static final int MAX_ATTEMPTS = 10;

  private static final String BINDING =
      "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter";

  public IsolatedOutputCommitter(Path output, TaskAttemptContext context) throws IOException {
    super(output, context);
  }

  /**
   * Makes the job that is configured so use this committer, unless {@code key} names another one
   * than Parquet's, or than the one of Spark that asks Hadoop's factories. Commit protocols that
   * ask these factories get it too, unless there is one for the directory {@code output}.
   */
  public static void use(Configuration job, String key, Path output) {
    String named = job.get(key, "");
    boolean isParquets = named.equals(ParquetOutputCommitter.class.getName());
    if (isParquets || named.equals(BINDING)) {
      if (isParquets) {
        job.setClass(key, IsolatedOutputCommitter.class, OutputCommitter.class);
      }
      if (!hasFactory(job, output)) {
        job.set(
            PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS,
            PathOutputCommitterFactory.NAMED_COMMITTER_FACTORY);
        job.setClass(
            PathOutputCommitterFactory.NAMED_COMMITTER_CLASS,
            IsolatedOutputCommitter.class,
            PathOutputCommitter.class);
      }
      useInTask(job, key);
      job.setInt(
          MRJobConfig.APPLICATION_ATTEMPT_ID,
          ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE));
    }
  }

  /** Whether {@code key} names this committer. */
  public static boolean isUsed(Configuration job, String key) {
    return job.get(key, "").equals(IsolatedOutputCommitter.class.getName());
  }

  /** Does the same for the configuration as it has come to a task. */
  public static void useInTask(Configuration job, String key) {
    if (isUsed(job, key) || isUsed(job, PathOutputCommitterFactory.NAMED_COMMITTER_CLASS)) {
      // Spark looks the class up with the loader of the configuration.
      job.setClassLoader(IsolatedOutputCommitter.class.getClassLoader());
    }
  }

  private static boolean hasFactory(Configuration job, Path output) {
    String ofScheme =
        String.format(
            PathOutputCommitterFactory.COMMITTER_FACTORY_SCHEME_PATTERN,
            output.toUri().getScheme());
    return !job.getTrimmed(PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS, "").isEmpty()
        || !job.getTrimmed(ofScheme, "").isEmpty();
  }

  @Override
  @SuppressWarnings("deprecation") // it is what commits and aborts call
  public void cleanupJob(JobContext context) throws IOException {
    Path own = getJobAttemptPath(context);
    FileSystem fs = own.getFileSystem(context.getConfiguration());
    fs.delete(own, true);
    Path shared = own.getParent();
    try {
      EmptyDirectories.remove(fs, shared);
    } catch (IOException e) {
      if (fs.listStatus(shared).length == 0) {
        throw e;
      }
    }
  }

  /**
   * Creates the directory of this job, again if another job removes the shared one meanwhile, and a
   * file in it.
   */
  @Override
  public void setupJob(JobContext context) throws IOException {
    Path shared = getJobAttemptPath(context).getParent();
    FileSystem fs = shared.getFileSystem(context.getConfiguration());
    for (int attempt = 1; ; attempt++) {
      try {
        super.setupJob(context);
        fs.create(started(context), true).close();
        return;
      } catch (IOException e) {
        if (attempt == MAX_ATTEMPTS || fs.exists(shared)) {
          throw e;
        }
      }
    }
  }

  /**
   * Commits the job, if its directory is still the one in which it began: if the table has been
   * replaced meanwhile, the files of some tasks are gone.
   */
  @Override
  public void commitJob(JobContext context) throws IOException {
    Path started = started(context);
    if (!started.getFileSystem(context.getConfiguration()).exists(started)) {
      throw CommitErrors.directoryReplaced(getOutputPath().toString());
    }
    super.commitJob(context);
  }

  // Beside the directories of tasks that have not committed: Hadoop takes all that is beside those
  // of committed tasks for files of the job.
  private Path started(JobContext context) {
    return new Path(getJobAttemptPath(context), PENDING_DIR_NAME + "/.started");
  }
}

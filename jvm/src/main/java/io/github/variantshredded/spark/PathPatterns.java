package io.github.variantshredded.spark;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.execution.datasources.DataSource$;

import scala.collection.immutable.Seq;

/** Resolves the paths of a read as Spark's file sources do. */
public final class PathPatterns {
  private static final String NAME = "checkAndGlobPathIfNecessary";

  /** It has a parameter more since Spark 4.3. */
  private static final Method RESOLVE =
      Arrays.stream(DataSource$.class.getMethods())
          .filter(method -> method.getName().equals(NAME))
          .findFirst()
          .orElseThrow(() -> new NoSuchMethodError(NAME));

  /** A path without wildcards. A backslash escapes them. */
  private static final Pattern FIXED = Pattern.compile("(?s)(?:[^\\\\*?\\[{]|\\\\.)*");

  private PathPatterns() {}

  /**
   * Returns the paths that exist and match.
   *
   * @param patterns whether the paths may be patterns such as {@code day=2026-*}
   * @throws org.apache.spark.sql.AnalysisException {@code PATH_NOT_FOUND} if there is none
   */
  @SuppressWarnings("unchecked")
  public static Seq<Path> resolve(Seq<String> paths, Configuration conf, boolean patterns)
      throws Throwable {
    Object[] arguments = new Object[RESOLVE.getParameterCount()];
    Object[] own = {paths, conf, true, true, defaultOf(5), patterns};
    System.arraycopy(own, 0, arguments, 0, own.length);
    for (int i = own.length; i < arguments.length; i++) {
      arguments[i] = defaultOf(i + 1);
    }
    try {
      return (Seq<Path>) RESOLVE.invoke(DataSource$.MODULE$, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Returns whether a path has the wildcards of a pattern. */
  public static boolean isPattern(String path) {
    return SparkHadoopUtil.get().isGlobPath(new Path(path));
  }

  /** Returns the path before the first name with a wildcard, or the whole path without one. */
  public static Path fixed(String path, Configuration conf) throws IOException {
    Path found = new Path(path);
    while (found.getParent() != null && !FIXED.matcher(found.toString()).matches()) {
      found = found.getParent();
    }
    String text = found.toString().replaceAll("(?s)\\\\(.)", "$1");
    // The directory above a relative name has no name.
    Path unescaped = new Path(text.isEmpty() ? Path.CUR_DIR : text);
    return unescaped.getFileSystem(conf).makeQualified(unescaped);
  }

  /** Returns the paths that match a pattern; there may be none. */
  public static Seq<Path> matching(String pattern, Configuration conf) throws IOException {
    Path asked = new Path(pattern);
    FileSystem fs = asked.getFileSystem(conf);
    return SparkHadoopUtil.get().globPath(fs, fs.makeQualified(asked));
  }

  /** Returns the value of a parameter that the caller leaves out, counted from one. */
  private static Object defaultOf(int parameter) throws ReflectiveOperationException {
    Method value = DataSource$.class.getMethod(NAME + "$default$" + parameter);
    return value.invoke(DataSource$.MODULE$);
  }
}

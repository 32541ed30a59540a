package io.github.variantshredded.spark;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import org.apache.spark.sql.catalyst.DataSourceOptions;
import org.apache.spark.sql.catalyst.csv.CSVOptions$;
import org.apache.spark.sql.catalyst.json.JSONOptions$;
import org.apache.spark.sql.catalyst.xml.XmlOptions$;
import org.apache.spark.sql.execution.datasources.FileIndexOptions$;
import org.apache.spark.sql.execution.datasources.orc.OrcOptions$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions$;
import org.apache.spark.sql.execution.datasources.text.TextOptions$;

/**
 * Lists the names of the options that Spark's readers and writers of files know, whatever the
 * format: code that reads several formats passes the same options to all of them.
 */
public final class SparkOptionNames {

  /** Options that Spark reads without a list of them: of files, of streams, and of its own tests. */
  private static final String[] UNLISTED = {
    "path",
    "paths",
    // Streams that read files (FileStreamOptions).
    "maxFilesPerTrigger",
    "maxBytesPerTrigger",
    "maxFileAge",
    "latestFirst",
    "fileNameOnly",
    "cleanSource",
    "sourceArchiveDir",
    "archivePathFilter", // from Spark 4.3 on
    "maxCachedFiles",
    "discardCachedInputRatio",
    "withEventTimeOrder",
    // Streams that write.
    "queryName",
    "checkpointLocation",
    "retention",
    "asyncProgressTrackingEnabled",
    "asyncProgressTrackingCheckpointIntervalMs",
    // Tables by name, and sources that Spark asks to infer less or more.
    "comment",
    "collation",
    "maxRecordsPerFile",
    "partitionOverwriteMode",
    "samplingRatio",
    "dataSchema",
  };

  private static final Set<String> NAMES = names();

  private SparkOptionNames() {}

  /** Returns whether Spark has an option of this name, in any case, or uses such names itself. */
  public static boolean contains(String name) {
    return name.startsWith("_") || NAMES.contains(name.toLowerCase(Locale.ROOT));
  }

  private static Set<String> names() {
    Set<String> names = new TreeSet<>();
    for (String name : UNLISTED) {
      names.add(name.toLowerCase(Locale.ROOT));
    }
    DataSourceOptions[] listed = {
      FileIndexOptions$.MODULE$,
      ParquetOptions$.MODULE$,
      OrcOptions$.MODULE$,
      TextOptions$.MODULE$,
      CSVOptions$.MODULE$,
      JSONOptions$.MODULE$,
      XmlOptions$.MODULE$,
    };
    for (DataSourceOptions source : listed) {
      source.getAllOptions().foreach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    }
    return names;
  }
}

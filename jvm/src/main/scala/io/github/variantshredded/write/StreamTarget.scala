package io.github.variantshredded.write

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * Describes the directory that a streaming query writes to.
 *
 * @param conf
 *   settings of the file system
 * @param options
 *   the options of the table and of the query
 */
private[variantshredded] final case class StreamTarget(
    session: SparkSession,
    root: Path,
    conf: Configuration,
    options: CaseInsensitiveStringMap
)

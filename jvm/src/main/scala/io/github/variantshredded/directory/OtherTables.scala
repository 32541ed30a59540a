package io.github.variantshredded.directory

import java.io.FileNotFoundException

import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

/** Recognizes tables of Delta Lake and Hudi, whose files only these may change. */
private[variantshredded] object OtherTables {
  private val Logs = Map("_delta_log" -> "Delta Lake", ".hoodie" -> "Hudi")

  /**
   * Refuses to write to a directory that is such a table.
   *
   * @param entries
   *   the files and directories in `root`
   * @throws io.github.variantshredded.errors.VariantShreddedException
   *   `UNSUPPORTED_FEATURE`
   */
  def refuse(root: Path, entries: Seq[FileStatus]): Unit =
    entries
      .find(entry => entry.isDirectory && Logs.contains(entry.getPath.getName))
      .foreach { log =>
        throw VariantShreddedErrors.unsupported(
          s"Writing files to $root, which is a table of ${Logs(log.getPath.getName)},",
          "Write with the format of the table, or choose another directory."
        )
      }

  /** Does the same with a listing of `root`, if it exists. */
  def refuseDirectory(root: Path, conf: Configuration): Unit = {
    val entries =
      try root.getFileSystem(conf).listStatus(root).toSeq
      catch { case _: FileNotFoundException => Nil }
    refuse(root, entries)
  }
}

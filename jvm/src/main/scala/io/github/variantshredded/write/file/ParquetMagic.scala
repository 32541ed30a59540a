package io.github.variantshredded.write.file

import java.util.Arrays

import scala.util.Using

import org.apache.hadoop.fs.{FileStatus, FileSystem}
import org.apache.parquet.hadoop.ParquetFileWriter

/** Recognizes Parquet files by their last bytes. */
private[write] object ParquetMagic {

  /** Returns whether the file ends as a complete Parquet file does. */
  def isAtEnd(fs: FileSystem, file: FileStatus): Boolean = {
    val magic = new Array[Byte](ParquetFileWriter.MAGIC.length)
    file.getLen > magic.length && {
      Using.resource(fs.open(file.getPath))(_.readFully(file.getLen - magic.length, magic))
      Arrays.equals(magic, ParquetFileWriter.MAGIC) || Arrays.equals(
        magic,
        ParquetFileWriter.EFMAGIC
      )
    }
  }
}

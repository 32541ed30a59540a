package io.github.variantshredded.spark;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;

/** Removes directories that are empty, and never the files that another job has just put there. */
public final class EmptyDirectories {

  private EmptyDirectories() {}

  /**
   * Removes a directory if it is empty.
   *
   * <p>Hadoop's local file system checks that a directory is empty, and then removes it recursively,
   * with the files that were created in between. So the directory is removed by the operating system
   * here, which does both at once.
   *
   * @return whether the directory was removed
   */
  public static boolean remove(FileSystem fs, Path directory) throws IOException {
    if (fs instanceof LocalFileSystem) {
      java.nio.file.Path local = ((LocalFileSystem) fs).pathToFile(directory).toPath();
      try {
        return Files.isDirectory(local, LinkOption.NOFOLLOW_LINKS) && Files.deleteIfExists(local);
      } catch (DirectoryNotEmptyException e) {
        return false;
      }
    }
    try {
      return fs.listStatus(directory).length == 0 && fs.delete(directory, false);
    } catch (FileNotFoundException | PathIsNotEmptyDirectoryException e) {
      return false;
    }
  }
}

package io.github.variantshredded.read.footer

import java.io.{FileNotFoundException, IOException}

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.scalatest.funsuite.AnyFunSuite

/** Whether a file is still what its listing says. */
class ListedFilesSuite extends AnyFunSuite {

  private def file(length: Long, time: Long) =
    new FileStatus(length, false, 1, 1, time, new Path("s3a://bucket/file"))

  private def tagged(length: Long, time: Long, tag: String) = new Tagged(length, time, tag)

  private final class Tagged(length: Long, time: Long, tag: String)
      extends FileStatus(length, false, 1, 1, time, new Path("s3a://bucket/file"))
      with EtagSource {
    override def getEtag: String = tag
  }

  test("two ETags decide, whatever the precision of the times") {
    assert(ListedFiles.isSame(tagged(10, 1234, "a"), tagged(10, 1000, "a")))
    assert(!ListedFiles.isSame(tagged(10, 1000, "a"), tagged(10, 1000, "b")))
    assert(!ListedFiles.isSame(tagged(10, 1000, "a"), tagged(11, 1000, "a")))
  }

  test("without two ETags, the times decide") {
    for (tag <- Seq("", null)) {
      assert(ListedFiles.isSame(tagged(10, 1000, "a"), tagged(10, 1000, tag)))
      assert(!ListedFiles.isSame(tagged(10, 1234, "a"), tagged(10, 1000, tag)))
    }
    assert(ListedFiles.isSame(file(10, 1234), file(10, 1234)))
    assert(!ListedFiles.isSame(file(10, 1234), file(10, 1000)))
    assert(!ListedFiles.isSame(file(10, 1234), file(11, 1234)))
  }

  test("without two ETags, the seconds may decide between times of different precision") {
    assert(ListedFiles.isSameBySeconds(file(10, 1234), tagged(10, 1000, "a")))
    assert(!ListedFiles.isSameBySeconds(file(10, 1234), file(10, 1235)))
    assert(!ListedFiles.isSameBySeconds(file(10, 1234), file(10, 2000)))
    assert(!ListedFiles.isSameBySeconds(file(10, 1234), file(11, 1000)))
    assert(!ListedFiles.isSameBySeconds(tagged(10, 1234, "b"), tagged(10, 1000, "a")))
  }

  test("a file that cannot be read by its listing is read again if it may be another one now") {
    val failure = new IllegalStateException("the file cannot be read")
    def isReadAgain(listed: FileStatus, now: FileStatus): Boolean =
      try ListedFiles.changed(listed, failure)(now) eq now
      catch { case `failure` => false }
    Seq(
      (tagged(10, 1000, "a"), tagged(10, 1000, "a"), false),
      (tagged(10, 1000, "a"), tagged(10, 1000, "b"), true),
      (tagged(10, 1000, "a"), file(10, 1000), false),
      (file(10, 1000), file(10, 1000), false),
      (file(10, 1000), file(10, 2000), true),
      (file(10, 1000), file(11, 1000), true),
      // The client of the store may have read a former object.
      (file(10, 1000), tagged(10, 1000, "a"), true),
      // The time of the listing is not known.
      (file(10, 0), file(10, 1000), false),
      (file(10, 0), file(11, 1000), true),
      (file(10, 0), tagged(10, 1000, "a"), true)
    ).foreach { case (listed, now, expected) =>
      assert(isReadAgain(listed, now) === expected, s"$listed, $now")
    }
  }

  test("a file whose status cannot be asked for has its own error, a missing one is missing") {
    val failure = new IllegalStateException("the file cannot be read")
    def error(ofStatus: Exception) = intercept[Exception](
      ListedFiles.changed(file(10, 1000), failure)(throw ofStatus)
    )
    assert(error(new IOException("no answer")) eq failure)
    val missing = new FileNotFoundException("gone")
    assert(error(missing) eq missing)
  }
}

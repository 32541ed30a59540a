package io.github.variantshredded.read.footer

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
}

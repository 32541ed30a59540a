package io.github.variantshredded.variant

import java.nio.charset.StandardCharsets.UTF_8
import java.time.LocalDateTime

import org.scalatest.funsuite.AnyFunSuite

class ByteHashSuite extends AnyFunSuite {

  private def hash(text: String): Int = {
    val bytes = s"..$text..".getBytes(UTF_8)
    ByteHash.of(bytes, 2, bytes.length - 4)
  }

  private val start = LocalDateTime.of(2024, 11, 21, 16, 25)

  // What differs stands at the end, in the middle, at the start; in a last word that is full, or not.
  Seq[(String, Int => String)](
    "times to the millisecond" -> (i => s"${start.plusNanos(i * 1000000L)}Z"),
    "times of 24 bytes" -> (i => f"2024-11-21T16:25:46.$i%03dZ"),
    "numbers in 8 bytes" -> (i => f"$i%08d"),
    "numbers in 13 bytes" -> (i => f"3lbhuv$i%07d"),
    "numbers in 16 bytes" -> (i => f"$i%06dabcdefghij"),
    "one byte, of several lengths" -> (i => "x" * i)
  ).foreach { case (title, text) =>
    test(s"$title spread over a table that is half full") {
      val hashes = (1 to 1000).map(i => hash(text(i)))
      // 787 slots are to be expected.
      assert(hashes.map(_ & 2047).distinct.size > 700)
      assert(hashes.distinct.size > 990)
    }
  }

  test("bytes around the range do not matter") {
    assert(hash("abcdefghijk") === ByteHash.of("abcdefghijk".getBytes(UTF_8), 0, 11))
  }
}

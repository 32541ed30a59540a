package io.github.variantshredded.read.footer

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.funsuite.AnyFunSuite

/** The schema with some of the leaf columns of a file. */
class LeafIndexSuite extends AnyFunSuite {

  private val schema = MessageTypeParser.parseMessageType(
    """message m {
      |  optional int64 a;
      |  optional group l (LIST) {
      |    repeated group list { optional int64 x; required group y { optional binary z (STRING); } }
      |  }
      |  required group v {
      |    required binary metadata;
      |    optional group typed_value { required group a { optional int32 typed_value; } }
      |  }
      |}""".stripMargin
  )

  private val all: Seq[Seq[String]] = schema.getPaths.asScala.toSeq.map(_.toSeq)

  test("no leaf columns") {
    assert(new LeafIndex(schema, Set.empty).projection.getFieldCount === 0)
  }

  test("the leaf columns keep their types and levels") {
    val random = new Random(7)
    (all.map(Set(_)) ++ Seq.fill(20)(all.filter(_ => random.nextBoolean()).toSet)).foreach {
      leaves =>
        val projection = new LeafIndex(schema, leaves).projection
        assert(projection.getPaths.asScala.map(_.toSeq).toSet === leaves)
        leaves.map(_.toArray).foreach { path =>
          assert(projection.getColumnDescription(path) === schema.getColumnDescription(path))
          assert(projection.getType(path: _*) === schema.getType(path: _*))
          assert(
            projection.getMaxDefinitionLevel(path: _*) === schema.getMaxDefinitionLevel(path: _*)
          )
          assert(
            projection.getMaxRepetitionLevel(path: _*) === schema.getMaxRepetitionLevel(path: _*)
          )
        }
    }
  }
}

package io.github.variantshredded.fuzz

import java.nio.file.Path
import java.sql.DriverManager

import scala.util.Using

import io.github.variantshredded.testing.VariantTree
import io.github.variantshredded.testing.VariantTree.{Arr, Obj}
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.VariantVal

/** Files that DuckDB writes. */
object DuckDbFile {

  /**
   * Writes the rows of a file anew.
   *
   * @param shredding
   *   what the column `v` is shredded to; None for what DuckDB takes from the rows
   * @param rowGroup
   *   number of rows in a row group, at least 2048
   */
  def rewrite(
      from: Path,
      to: Path,
      shredding: Option[DataType],
      rowGroup: Int = 122880
  ): Unit =
    Using.resource(DriverManager.getConnection("jdbc:duckdb:")) { connection =>
      Using.resource(connection.createStatement()) { statement =>
        statement.execute("SET threads = 1")
        statement.execute("SET TimeZone = 'UTC'")
        val option = shredding.fold("")(wanted => s", SHREDDING {v: ${quoted(typeOf(wanted))}}")
        statement.execute(
          s"COPY (SELECT * FROM read_parquet(${quoted(from.toString)})) " +
            s"TO ${quoted(to.toString)} (FORMAT parquet, ROW_GROUP_SIZE $rowGroup$option)"
        )
      }
    }

  /** DuckDB calls a shredded field whose name is empty `element4`, and so changes the Variant. */
  def requireNames(row: Row): Unit = row.toSeq.foreach {
    case variant: VariantVal =>
      require(hasNames(VariantTree.decode(variant.getMetadata, variant.getValue)), "an empty name")
    case _ => ()
  }

  private def hasNames(tree: VariantTree): Boolean = tree match {
    case Obj(fields)   => fields.forall { case (name, value) => name.nonEmpty && hasNames(value) }
    case Arr(elements) => elements.forall(hasNames)
    case _             => true
  }

  private def typeOf(dataType: DataType): String = dataType match {
    case ByteType              => "TINYINT"
    case ShortType             => "SMALLINT"
    case IntegerType           => "INTEGER"
    case LongType              => "BIGINT"
    case TimestampType         => "TIMESTAMPTZ"
    case TimestampNTZType      => "TIMESTAMP"
    case BinaryType            => "BLOB"
    case StringType            => "VARCHAR"
    case ArrayType(element, _) => s"${typeOf(element)}[]"
    case StructType(fields)    =>
      fields
        .map(field => s"${name(field.name)} ${typeOf(field.dataType)}")
        .mkString("STRUCT(", ", ", ")")
    case other => other.sql
  }

  private def name(text: String): String = "\"" + text.replace("\"", "\"\"") + "\""

  private def quoted(text: String): String = s"'${text.replace("'", "''")}'"
}

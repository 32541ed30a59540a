package io.github.variantshredded.write

import java.nio.file.{Files, Path}

import io.github.variantshredded.testing.{
  DataFiles,
  LocalParquet,
  SparkSuite,
  TemporaryFolder,
  VariantTree
}
import io.github.variantshredded.write.file.WriteOnlySource
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.ParquetReader
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.{Column, DataFrame, DataFrameWriter, Row}
import org.apache.spark.sql.functions
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.VariantVal

/** What suites of written files share. */
abstract class WriteSuite extends SparkSuite with TemporaryFolder {

  /** The name of a directory that does not exist yet. */
  protected def newPath(): Path =
    Files.createTempDirectory(folder, "path").resolve("table")

  protected def writer(
      df: DataFrame,
      path: Path,
      options: (String, String)*
  ): DataFrameWriter[Row] =
    df.write
      .format(classOf[WriteOnlySource].getName)
      .mode("append")
      .option("path", path.toString)
      .options(options.toMap)

  /** Writes and gives the path. */
  protected def written(df: DataFrame, options: (String, String)*): Path = {
    val path = newPath()
    writer(df, path, options: _*).save()
    path
  }

  /** The data files, sorted, relative to the table. */
  protected def files(path: Path): Seq[Path] = DataFiles.below(path).map(path.relativize(_))

  protected def onlyFile(path: Path): Path = DataFiles.only(path)

  protected def footer(file: Path): ParquetMetadata = {
    val reader = LocalParquet.open(file)
    try reader.getFooter
    finally reader.close()
  }

  protected def fileSchema(file: Path): String =
    footer(file).getFileMetaData.getSchema.toString

  protected def groups(file: Path): Seq[Group] = {
    val reader = ParquetReader.builder(new GroupReadSupport, new HadoopPath(file.toUri)).build()
    try Iterator.continually(reader.read()).takeWhile(_ != null).toVector
    finally reader.close()
  }

  protected def json(texts: String*): DataFrame = {
    val session = spark
    import session.implicits._
    texts.zipWithIndex
      .toDF("text", "n")
      .repartition(1)
      .orderBy("n")
      .select(functions.col("n"), functions.parse_json(functions.col("text")).as("v"))
  }

  /** One column `v` of the trees, None for SQL NULL, and a number `n`, in one task. */
  protected def variants(trees: Option[VariantTree]*): DataFrame = {
    val rows = trees.zipWithIndex.map { case (tree, i) =>
      Row(i, tree.map(value).orNull)
    }
    spark.createDataFrame(
      spark.sparkContext.parallelize(rows, 1),
      StructType.fromDDL("n int, v variant")
    )
  }

  protected def value(tree: VariantTree): VariantVal = {
    val (metadata, value) = VariantTree.encode(tree)
    new VariantVal(value, metadata)
  }

  protected def tree(value: Any): Option[VariantTree] = Option(value).map {
    case variant: VariantVal => VariantTree.decode(variant.getMetadata, variant.getValue)
    case other               => fail(s"not a Variant: $other")
  }

  /** The Variants of a column as Spark's own Parquet source reads them, in the order of `n`. */
  protected def bySpark(path: Path, column: Column = functions.col("v")): Seq[Option[VariantTree]] =
    spark.read
      .parquet(path.toString)
      .orderBy("n")
      .select(column)
      .collect()
      .toSeq
      .map(row => tree(row.get(0)))
}

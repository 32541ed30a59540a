package io.github.variantshredded.testing

import io.github.variantshredded.json.JsonOptions
import io.github.variantshredded.options.OptionEntry
import io.github.variantshredded.read.options.ReadOptions
import io.github.variantshredded.write.options.WriteOptions

/** Generates `docs/options.md`, and the table in `README.md`, from the declarations of options. */
object OptionsPage {

  /** The entries of the first table in `docs/options.md`, and of that in `README.md`. */
  val mostUsed: Seq[OptionEntry[_]] = Seq(
    WriteOptions.Shredding,
    WriteOptions.Include,
    WriteOptions.Exclude,
    WriteOptions.Pin,
    WriteOptions.MaxShreddedColumns,
    WriteOptions.Layout,
    WriteOptions.BloomFilter,
    WriteOptions.Clustering,
    WriteOptions.ClusterBy,
    WriteOptions.Compression,
    WriteOptions.PartitionOverwrite,
    ReadOptions.Schema,
    ReadOptions.Validation
  )

  /** Returns the text of the page `docs/options.md`. */
  def text: String = {
    val introduction =
      """# Options
        |
        |This page is for everybody who reads or writes with this format. After reading it, you know every option, its values
        |and its default.
        |
        |- Options have the same names in Scala and in SQL (`OPTIONS`, `TBLPROPERTIES`). The names are not case-sensitive. In
        |  Python, `read_variant` and `write_variant` take the options as keywords in snake case, without the prefix
        |  `shredding.`: `clusterBy` is `cluster_by`, and `shredding.include` is `include`. `retention` is no keyword, because
        |  it is for streams.
        |- An invalid value is refused, and so is the name of an option that neither this source nor Spark has, such as
        |  `bloomFilters`. The options of Spark's file sources are accepted. Names with a dot (they may belong to Hadoop or Parquet)
        |  and the properties of tables (`TBLPROPERTIES`) are accepted unless they are very close to the name of an option.
        |  [JSON files](#json-files) take fewer options.
        |- A default that begins with `spark.` is the name of a setting of the session; the default is the value of this setting.
        |
        |## Most used
        |
        |The sections after this one list all options, in groups.
        |
        |""".stripMargin
    val ofReading =
      """
        |## Reading
        |
        |""".stripMargin
    val writing =
      """
        |## Writing
        |
        |Every option that begins with `parquet.` is passed to Parquet, such as `parquet.block.size` (the size of a row
        |group in bytes), `parquet.page.size` and `parquet.page.row.count.limit` (the size of a page in bytes and in rows,
        |5000 by default; smaller pages let readers skip more), `parquet.dictionary.page.size`, and
        |`parquet.enable.dictionary#v.value` (for one column).
        |
        |""".stripMargin
    val groups = WriteOptions.Groups.map { case (title, entries) =>
      s"### $title\n\n${markdown(entries)}"
    }
    val ofFiles =
      """
        |## What files hold
        |
        |The format [`variant-shredded-files`](tools.md) takes these options and those of reading.
        |
        |""".stripMargin
    val ofJsonFiles =
      """
        |## JSON files
        |
        |The format `variant-shredded-json`, which [`load_json`](api.md#load_json) reads, takes these options, and names with a
        |dot, which may belong to Hadoop. It refuses all others, also those of Spark's JSON source. Three of these have an
        |equivalent: use `malformed` instead of `mode`, `records` instead of `multiLine`, and `malformedColumn` instead of
        |`columnNameOfCorruptRecord`.
        |
        |""".stripMargin
    val ofSession =
      """
        |## Settings of the session
        |
        |Set them with `SET` or `spark.conf.set`. They apply to the queries that follow.
        |
        |""".stripMargin
    val ofOtherSources =
      """
        |## Existing tables
        |
        |A table or path of another source whose Variants this source [reads](existing-tables.md) takes this option.
        |
        |""".stripMargin
    introduction + markdown(mostUsed) + ofReading + markdown(ReadOptions.reading) + writing +
      groups.mkString("\n") + ofFiles + markdown(ReadOptions.inspecting) + ofJsonFiles + markdown(
        JsonOptions.All
      ) +
      ofSession + markdown(ReadOptions.settings) + ofOtherSources + markdown(
        Seq(ReadOptions.TakeOverOption)
      )
  }

  /** Returns the entries as a Markdown table. */
  def markdown(entries: Seq[OptionEntry[_]]): String = {
    def cell(text: String): String = text.replace("|", "\\|")
    val rows = entries.map { entry =>
      val cells = Seq(s"`${entry.name}`", entry.expected, entry.defaultText, entry.doc)
      cells.map(cell).mkString("| ", " | ", " |")
    }
    (Seq("| option | values | default | meaning |", "|---|---|---|---|") ++ rows)
      .mkString("", "\n", "\n")
  }
}

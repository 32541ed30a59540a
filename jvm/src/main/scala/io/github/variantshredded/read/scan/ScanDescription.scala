package io.github.variantshredded.read.scan

import io.github.variantshredded.options.Format
import io.github.variantshredded.read.file.SummaryPlan
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** Describes a scan for EXPLAIN. */
private[scan] object ScanDescription {

  // No more texts are shown than fit on a screen.
  private final val MaxShown = 25

  /** Returns the entries that EXPLAIN shows beside those of Spark's own file scans. */
  def apply(
      columns: ScannedColumns,
      pushed: PushedDown,
      options: CaseInsensitiveStringMap
  ): Map[String, String] = {
    import pushed.filters.conjuncts
    Map(
      "Format" -> Format.Name,
      "PushedExtractions" -> list(pushed.extractions.map(_.name)),
      "DeclinedExtractions" -> list(pushed.declined),
      "PushedPredicates" -> list(conjuncts.pushed.flatMap(_.texts)),
      "DeclinedPredicates" -> list(conjuncts.declined)
    ) ++ pushed.limit.map(rows => "PushedLimit" -> rows.toString) ++
      columns.metadataFields.map { fields =>
        "ReadMetadata" -> list(fields.fieldNames.toSeq)
      } ++
      pushed.summary.map { plan =>
        "AggregatedFromFooters" -> list(summarized(plan, columns, pushed))
      } ++
      Option.when(pushed.filters.ofFiles.nonEmpty)(
        "FilterOfFiles" -> list(pushed.filters.ofFiles)
      ) ++
      Option(options.get(Format.TakenOverFrom)).map("TakenOverFrom" -> _)
  }

  /** Describes what the footers may answer. */
  private def summarized(
      plan: SummaryPlan,
      columns: ScannedColumns,
      pushed: PushedDown
  ): Seq[String] = "rows" +: plan.columns.map { column =>
    val name = column match {
      case SummaryPlan.OfData(index, _, _)       => columns.data(index).name
      case SummaryPlan.OfExtraction(index, _, _) => pushed.extractions(index).name
    }
    if (column.needsBounds) s"values and bounds of $name" else s"values of $name"
  }

  private def list(texts: Seq[String]): String = {
    val more = if (texts.size > MaxShown) Seq(s"... ${texts.size - MaxShown} more") else Nil
    (texts.take(MaxShown) ++ more).mkString("[", ", ", "]")
  }
}

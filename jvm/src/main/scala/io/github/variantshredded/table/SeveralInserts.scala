package io.github.variantshredded.table

import io.github.variantshredded.spark.TableInternals
import io.github.variantshredded.write.VariantWrite
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.{
  Command,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  Union,
  WithCTE
}
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.write.Write
import org.apache.spark.sql.execution.command.InsertIntoDataSourceDirCommand
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, V2SessionCatalog}

/**
 * Checks a statement with several inserts, `FROM ... INSERT ... INSERT ...`. Spark runs them one
 * after the other. The first one may replace the files that it reads, but the files are gone when
 * the others run: they would fail, or take the new rows for the old ones.
 */
private[variantshredded] object SeveralInserts {

  /** Describes files that an insert replaces. */
  private final case class Replaced(
      directory: TableDirectory,
      selects: Path => Boolean,
      error: () => Throwable
  )

  /** Refuses the statement if an insert reads a file that an earlier one may replace. */
  def refuse(session: classic.SparkSession, statement: LogicalPlan): Unit = {
    val (several, shared) = statement match {
      case cte: WithCTE => (cte.plan, cte.cteDefs)
      case plan         => (plan, Nil)
    }
    several match {
      case union: Union if union.children.forall(_.isInstanceOf[Command]) =>
        val _ = union.children.foldLeft(Seq.empty[Replaced]) { (replaced, insert) =>
          if (replaced.nonEmpty) (queries(insert) ++ shared).foreach(refuse(session, replaced, _))
          replaced ++ replacedBy(session, insert)
        }
      case _ => ()
    }
  }

  /** Returns the queries of an insert. Spark plans those of some commands when it runs them. */
  private def queries(insert: LogicalPlan): Seq[LogicalPlan] =
    if (insert.children.nonEmpty) insert.children
    else insert.innerChildren.collect { case query: LogicalPlan => query }

  private def refuse(
      session: classic.SparkSession,
      replaced: Seq[Replaced],
      query: LogicalPlan
  ): Unit = {
    val unplanned = OverwrittenTable.readPaths(query)
    val planned =
      if (!replaced.exists(one => unplanned.exists(one.directory.overlaps))) query
      else session.sessionState.executePlan(query).optimizedPlan
    // The commit of an overwrite lets cached queries read the files again.
    val files = OverwrittenTable.readFiles(planned)
    replaced
      .find(one => files.exists(file => one.directory.contains(file) && one.selects(file)))
      .foreach(one => throw one.error())
  }

  private def replacedBy(session: classic.SparkSession, insert: LogicalPlan): Option[Replaced] = {
    def ofPath(path: Path) = {
      val directory = new TableDirectory(session.sessionState.newHadoopConf(), path.toUri)
      Replaced(directory, _ => true, () => TableInternals.overwrittenWhileRead(directory.path))
    }
    insert match {
      case overwrite: OverwriteByExpression => ofTable(session, overwrite.table, overwrite.write)
      case overwrite: OverwritePartitionsDynamic =>
        ofTable(session, overwrite.table, overwrite.write)
      case directory: InsertIntoDataSourceDirCommand if directory.overwrite =>
        directory.storage.locationUri.map(location => ofPath(new Path(location)))
      case other =>
        val saved = TableInternals.replacedPath(other)
        Option.when(saved.isPresent)(ofPath(saved.get.path))
    }
  }

  private def ofTable(
      session: classic.SparkSession,
      target: LogicalPlan,
      write: Option[Write]
  ): Option[Replaced] = (target, write) match {
    case (relation: DataSourceV2Relation, Some(write: VariantWrite)) =>
      relation.table match {
        case table: CatalogedTable =>
          table.directory.map { path =>
            val directory = new TableDirectory(session.sessionState.newHadoopConf(), path.toUri)
            def error = (relation.catalog, relation.identifier) match {
              case (Some(_: V2SessionCatalog), Some(name)) =>
                val known = TableInternals.identifier(name)
                TableInternals.overwrittenWhileRead(
                  session.sessionState.catalog.getTableMetadata(known).identifier
                )
              case _ => TableInternals.overwrittenWhileRead(path)
            }
            Replaced(directory, write.mayReplace, () => error)
          }
        case _ => None
      }
    case _ => None
  }
}

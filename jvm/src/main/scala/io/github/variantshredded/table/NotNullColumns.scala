package io.github.variantshredded.table

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  Expression,
  GetStructField,
  If,
  IsNotNull,
  IsNull,
  Literal,
  NamedExpression,
  Or
}
import org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical.{Project, V2WriteCommand}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/**
 * `NOT NULL` in tables of files. As for Spark's own file sources, it is checked when rows are
 * inserted, if the session asks for it (`spark.sql.fileSource.insert.enforceNotNull`). Reads regard
 * every column as nullable, because other writers may have written the files. Fields of structs are
 * checked too, but not those of structs in arrays and maps.
 */
private[variantshredded] object NotNullColumns {

  /** Returns the write with a check of the rows. */
  def asserted(write: V2WriteCommand): V2WriteCommand = declared(write) match {
    case Some(schema) if DeclaredTable.enforcesNotNull && schema.exists(requires) =>
      write.query match {
        case Project(columns, _) if columns.exists(_.exists(_.isInstanceOf[AssertNotNull])) => write
        case query                                                                          =>
          val checked = query.output.map[NamedExpression] { column =>
            schema.find(field => SQLConf.get.resolver(field.name, column.name)) match {
              case Some(field) if requires(field) =>
                Alias(check(column, field), column.name)(
                  exprId = column.exprId,
                  qualifier = column.qualifier,
                  explicitMetadata = Some(column.metadata)
                )
              case _ => column
            }
          }
          if (checked == query.output) write else write.withNewQuery(Project(checked, query))
      }
    case _ => write
  }

  private def requires(field: StructField): Boolean = !field.nullable || isStrict(field.dataType)

  private def isStrict(dataType: DataType): Boolean = dataType match {
    case StructType(fields) => fields.exists(requires)
    case _                  => false
  }

  private def check(column: Attribute, field: StructField): Expression = {
    val path = Seq(column.name)
    val value = if (field.nullable) column else AssertNotNull(column, path)
    if (!isStrict(field.dataType)) value
    else {
      val raised = AssertNotNull(Literal(null, column.dataType), path)
      If(lacksField(column, field.dataType), raised, value)
    }
  }

  /** Whether a struct that is not null lacks a field that it needs. */
  private def lacksField(value: Expression, dataType: DataType): Expression = {
    val lacks = dataType match {
      case StructType(fields) =>
        fields.toSeq.zipWithIndex.filter { case (field, _) => requires(field) }.map {
          case (field, i) =>
            val inner = GetStructField(value, i)
            if (field.nullable) lacksField(inner, field.dataType)
            else Or(IsNull(inner), lacksField(inner, field.dataType))
        }
      case _ => Nil
    }
    And(IsNotNull(value), lacks.reduceOption(Or).getOrElse(FalseLiteral))
  }

  private def declared(write: V2WriteCommand): Option[StructType] = write.table match {
    case relation: DataSourceV2Relation =>
      relation.table match {
        case table: CatalogedTable => Some(table.declaredSchema)
        case _                     => None
      }
    case _ => None
  }
}

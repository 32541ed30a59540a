package io.github.variantshredded.table

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  ArrayExists,
  Attribute,
  Expression,
  GetStructField,
  If,
  IsNotNull,
  IsNull,
  LambdaFunction,
  Literal,
  MapKeys,
  MapValues,
  NamedExpression,
  NamedLambdaVariable,
  Or
}
import org.apache.spark.sql.catalyst.expressions.Literal.FalseLiteral
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical.{Project, V2WriteCommand}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructField, StructType}

/**
 * Handles `NOT NULL` in tables of files. As for Spark's own file sources, it is checked when rows
 * are inserted, if the session asks for it (`spark.sql.fileSource.insert.enforceNotNull`). Reads
 * regard every column as nullable, because other writers may have written the files. Fields of
 * structs, elements of arrays and values of maps are checked too.
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
    case StructType(fields)                => fields.exists(requires)
    case ArrayType(element, containsNull)  => !containsNull || isStrict(element)
    case MapType(key, value, containsNull) => !containsNull || isStrict(key) || isStrict(value)
    case _                                 => false
  }

  private def check(column: Attribute, field: StructField): Expression = {
    val path = Seq(column.name)
    val value = if (field.nullable) column else AssertNotNull(column, path)
    if (!isStrict(field.dataType)) value
    else {
      val raised = AssertNotNull(Literal(null, column.dataType), path)
      If(lacksValue(column, field.dataType), raised, value)
    }
  }

  /** Returns whether a value that is not null lacks a part that it needs. */
  private def lacksValue(value: Expression, dataType: DataType): Expression = {
    val parts = dataType match {
      case StructType(fields) =>
        fields.toSeq.zipWithIndex.collect {
          case (field, i) if requires(field) =>
            lacks(GetStructField(value, i), field.dataType, field.nullable)
        }
      case ArrayType(element, containsNull)   => lacksElement(value, element, containsNull).toSeq
      case MapType(key, mapped, containsNull) =>
        lacksElement(MapKeys(value), key, nullable = true) ++
          lacksElement(MapValues(value), mapped, containsNull)
      case _ => Nil
    }
    And(IsNotNull(value), parts.reduceOption(Or).getOrElse(FalseLiteral))
  }

  private def lacks(value: Expression, dataType: DataType, nullable: Boolean): Expression =
    if (nullable) lacksValue(value, dataType) else Or(IsNull(value), lacksValue(value, dataType))

  /** Returns whether one of the elements of an array lacks a part; None if they need none. */
  private def lacksElement(
      array: Expression,
      element: DataType,
      nullable: Boolean
  ): Option[Expression] = Option.when(!nullable || isStrict(element)) {
    val variable = NamedLambdaVariable("element", element, nullable = true)
    ArrayExists(
      array,
      LambdaFunction(lacks(variable, element, nullable), Seq(variable)),
      followThreeValuedLogic = true
    )
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

package io.github.variantshredded.sql

import java.util.Locale

import io.github.variantshredded.SessionSetup
import io.github.variantshredded.errors.VariantShreddedErrors
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, TableFunctionRegistry}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Generator}

/**
 * Registers SQL functions on Variants that Spark does not have. docs/sql.md lists them.
 *
 * {{{
 * VariantFunctions.register(spark)
 * spark.sql("SELECT object_keys(v), vs_array_size(v:list) FROM events")
 * }}}
 *
 * Each function is registered as a temporary function under its name with the prefix `vs_`, and
 * under the plain name if neither Spark nor the user has a function of this name.
 */
object VariantFunctions {

  /** Registers the functions in a classic session, and returns their names; may be repeated. */
  def register(session: SparkSession): Seq[String] =
    registerAll(SessionSetup.classicSession(session)).flatMap(_.names)

  /**
   * Describes a function that was registered.
   *
   * @param names
   *   the names by which it can be called
   */
  private[variantshredded] final case class Registered(
      function: VariantFunction,
      names: Seq[String]
  )

  private[variantshredded] def registerAll(session: classic.SparkSession): Seq[Registered] =
    VariantFunctionList.all.map { function =>
      val names = Seq(function.longName) ++
        Some(function.name).filter(name => name != function.longName)
      val registry = session.sessionState.functionRegistry
      val free = names.filter(isFree(session, _))
      free.foreach { name =>
        registry.createOrReplaceTempFunction(name, Builder(name, function), "scala_udf")
        describe(registry, name, function)
      }
      Registered(function, free)
    }

  /** Registers the function again, under the name that Spark has given it, with its description. */
  private def describe(
      registry: FunctionRegistry,
      name: String,
      function: VariantFunction
  ): Unit =
    registry.listFunction().filter(isNamed(_, name)).filter(isOurs(registry, _)).foreach { id =>
      val info = new ExpressionInfo(
        BuilderClass,
        id.database.orNull,
        name,
        s"$name(${function.arguments}) - ${function.summary}",
        "",
        VariantExamples.text(function),
        "",
        "variant_funcs",
        "",
        "",
        "scala_udf"
      )
      registry.registerFunction(id, info, Builder(name, function))
    }

  private def isOurs(registry: FunctionRegistry, id: FunctionIdentifier): Boolean =
    registry.lookupFunction(id).exists(_.getClassName == BuilderClass)

  // The registry has Spark's functions, those of extensions, and the temporary ones of the user;
  // versions differ in how they qualify the names.
  private def isFree(session: classic.SparkSession, name: String): Boolean = {
    val state = session.sessionState
    val plain = FunctionIdentifier(name)
    !state.catalog.isPersistentFunction(plain) &&
    !FunctionRegistry.builtin.functionExists(plain) &&
    !TableFunctionRegistry.builtin.functionExists(plain) &&
    !state.tableFunctionRegistry.listFunction().exists(isNamed(_, name)) &&
    state.functionRegistry
      .listFunction()
      .filter(isNamed(_, name))
      .forall(isOurs(state.functionRegistry, _))
  }

  private def isNamed(id: FunctionIdentifier, name: String): Boolean =
    id.funcName.toLowerCase(Locale.ROOT) == name

  /** Marks the functions of this project in Spark's registry. */
  private final case class Builder(name: String, function: VariantFunction)
      extends (Seq[Expression] => Expression) {
    override def apply(arguments: Seq[Expression]): Expression = built(arguments) match {
      case call: VariantCall    => call
      case generator: Generator => generator
      case expression           => NamedCall(name, arguments, expression)
    }

    private def built(arguments: Seq[Expression]): Expression =
      function.build.applyOrElse(
        arguments,
        (_: Seq[Expression]) =>
          throw VariantShreddedErrors.functionArgument(
            function.longName,
            s"takes (${function.arguments}), not ${arguments.length} arguments"
          )
      )
  }

  private val BuilderClass: String = {
    val builder = classOf[Builder]
    Option(builder.getCanonicalName).getOrElse(builder.getName)
  }
}

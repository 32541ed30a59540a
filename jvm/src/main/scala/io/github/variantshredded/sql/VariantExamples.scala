package io.github.variantshredded.sql

/** Holds an example of each function, which `DESCRIBE FUNCTION EXTENDED` shows. */
private[variantshredded] object VariantExamples {

  /**
   * Holds a call and its result; a Variant is shown as JSON.
   *
   * @param call
   *   an expression on [[Document]], which is called `v`
   */
  final case class Example(call: String, result: String)

  /** The Variant of the examples. */
  val Document: String =
    """{"id": 7, "name": "Ann", "o": {"Q": null, "p": 1.5}, "t": true, "tags": ["a", null, "b"]}"""

  /** The examples by the names of [[VariantFunctionList.all]]. */
  val All: Map[String, Example] = Map(
    "array_append" -> Example("""vs_array_append(v:tags, 1)""", """["a",null,"b",1]"""),
    "array_cat" -> Example(
      """array_cat(v:tags, array_construct(1, 2))""",
      """["a",null,"b",1,2]"""
    ),
    "array_compact" -> Example("""vs_array_compact(v:tags)""", """["a","b"]"""),
    "array_construct" -> Example("""array_construct(1, 'x', NULL)""", """[1,"x",null]"""),
    "array_construct_compact" -> Example(
      """array_construct_compact(1, 'x', NULL)""",
      """[1,"x"]"""
    ),
    "array_insert" -> Example("""vs_array_insert(v:tags, 1, 'x')""", """["a","x",null,"b"]"""),
    "array_prepend" -> Example(
      """vs_array_prepend(v:tags, v:o)""",
      """[{"Q":null,"p":1.5},"a",null,"b"]"""
    ),
    "array_remove_at" -> Example("""array_remove_at(v:tags, 0)""", """[null,"b"]"""),
    "array_size" -> Example("""vs_array_size(v:tags)""", """3"""),
    "array_slice" -> Example("""array_slice(v:tags, 1, 3)""", """[null,"b"]"""),
    "as_array" -> Example("""as_array(v:tags)""", """["a",null,"b"]"""),
    "as_binary" -> Example("""hex(as_binary(to_variant(X'0A')))""", """0A"""),
    "as_boolean" -> Example("""as_boolean(v:t)""", """true"""),
    "as_char" -> Example("""as_char(v:name)""", """Ann"""),
    "as_date" -> Example("""as_date(to_variant(DATE'2024-05-01'))""", """2024-05-01"""),
    "as_decimal" -> Example("""as_decimal(v:o.p, 4, 2)""", """1.50"""),
    "as_double" -> Example("""as_double(v:id)""", """7.0"""),
    "as_float" -> Example("""as_float(v:o.p)""", """1.5"""),
    "as_integer" -> Example("""as_integer(v:id)""", """7"""),
    "as_object" -> Example("""as_object(v:tags)""", """NULL"""),
    "as_real" -> Example("""as_real(v:id)""", """7.0"""),
    "as_string" -> Example("""as_string(v:name)""", """Ann"""),
    "as_timestamp_ltz" -> Example(
      """as_timestamp_ltz(to_variant(TIMESTAMP'2024-05-01 00:00:00Z'))""",
      """2024-05-01 00:00:00"""
    ),
    "as_timestamp_ntz" -> Example(
      """as_timestamp_ntz(to_variant(TIMESTAMP_NTZ'2024-05-01 00:00:00'))""",
      """2024-05-01 00:00:00"""
    ),
    "as_varchar" -> Example("""as_varchar(v:name)""", """Ann"""),
    "get_ignore_case" -> Example("""get_ignore_case(v, 'NAME')""", """"Ann""""),
    "get_path" -> Example("""get_path(v, 'o.p')""", """1.5"""),
    "is_array" -> Example("""is_array(v:tags)""", """true"""),
    "is_binary" -> Example("""is_binary(to_variant(X'00'))""", """true"""),
    "is_boolean" -> Example("""is_boolean(v:t)""", """true"""),
    "is_char" -> Example("""is_char(v:name)""", """true"""),
    "is_date" -> Example("""is_date(to_variant(DATE'2024-05-01'))""", """true"""),
    "is_decimal" -> Example("""is_decimal(v:o.p)""", """true"""),
    "is_double" -> Example("""is_double(v:id) AND is_real(v:id)""", """true"""),
    "is_float" -> Example("""is_float(v:o.p)""", """true"""),
    "is_integer" -> Example("""is_integer(v:id)""", """true"""),
    "is_null_value" -> Example("""is_null_value(v:o.Q)""", """true"""),
    "is_object" -> Example("""is_object(v:tags)""", """false"""),
    "is_real" -> Example("""is_real(v:id)""", """true"""),
    "is_string" -> Example(
      """is_string(v:name) AND is_varchar(v:name) AND is_char(v:name)""",
      """true"""
    ),
    "is_timestamp_ltz" -> Example(
      """is_timestamp_ltz(to_variant(TIMESTAMP'2024-05-01 00:00:00Z'))""",
      """true"""
    ),
    "is_timestamp_ntz" -> Example(
      """is_timestamp_ntz(to_variant(TIMESTAMP_NTZ'2024-05-01 00:00:00'))""",
      """true"""
    ),
    "is_varchar" -> Example("""is_varchar(v:name)""", """true"""),
    "json_typeof" -> Example("""json_typeof(v:o.p)""", """number"""),
    "object_construct" -> Example("""object_construct('b', 1, 'a', 'x')""", """{"a":"x","b":1}"""),
    "object_construct_keep_null" -> Example(
      """object_construct_keep_null('a', NULL)""",
      """{"a":null}"""
    ),
    "object_delete" -> Example(
      """object_delete(v, 'o', 'tags')""",
      """{"id":7,"name":"Ann","t":true}"""
    ),
    "object_insert" -> Example("""object_insert(v:o, 'n', 2)""", """{"Q":null,"n":2,"p":1.5}"""),
    "object_keys" -> Example("""object_keys(v)""", """[id, name, o, t, tags]"""),
    "object_pick" -> Example("""object_pick(v, 'id', 't')""", """{"id":7,"t":true}"""),
    "strip_null_value" -> Example("""strip_null_value(v:o.Q)""", """NULL"""),
    "to_variant" -> Example("""to_variant('abc')""", """"abc""""),
    "typeof" -> Example("""vs_typeof(v:id)""", """INTEGER"""),
    "flatten" -> Example("""transform(vs_flatten(v:o), r -> r.key)""", """[Q, p]""")
  )

  /** Returns the example of a function in the form that Spark prints. */
  def text(function: VariantFunction): String = All.get(function.name).fold("") { example =>
    s"""
       |    Examples:
       |      > SELECT ${example.call} FROM VALUES (parse_json('$Document')) AS t(v);
       |       ${example.result}
       |  """.stripMargin
  }
}

package io.github.variantshredded.read

final case class VariantReadOptions(
    strict: Boolean,
    maxDepth: Int,
    ignoreCorruptFiles: Boolean,
    ignoreMissingFiles: Boolean,
    datetimeRebaseMode: String,
    int96RebaseMode: String,
    batchSize: Int,
    offHeap: Boolean,
    int96Conversion: Boolean,
    sessionTimeZone: String,
    caseSensitive: Boolean
)

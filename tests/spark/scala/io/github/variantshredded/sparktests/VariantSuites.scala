package io.github.variantshredded.sparktests

import org.apache.spark.sql

// Variants.

class VariantSuite extends sql.VariantSuite with Judged

class VariantShreddingSuite extends sql.VariantShreddingSuite with Judged

class VariantInferShreddingSuite
    extends sql.execution.datasources.parquet.VariantInferShreddingSuite
    with Judged

class PushVariantIntoScanSuite
    extends sql.execution.datasources.PushVariantIntoScanSuite
    with Judged

class PushVariantIntoScanVectorizedSuite
    extends sql.execution.datasources.PushVariantIntoScanVectorizedSuite
    with Judged

class PushVariantIntoScanV2Suite
    extends sql.execution.datasources.PushVariantIntoScanV2Suite
    with Judged

class PushVariantIntoScanV2VectorizedSuite
    extends sql.execution.datasources.PushVariantIntoScanV2VectorizedSuite
    with Judged

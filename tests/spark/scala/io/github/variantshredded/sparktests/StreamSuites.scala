package io.github.variantshredded.sparktests

import org.apache.spark.sql.streaming

// Streams that write files and streams that read them.

class FileStreamSinkV1Suite extends streaming.FileStreamSinkV1Suite with Judged

class FileStreamSinkV2Suite extends streaming.FileStreamSinkV2Suite with Judged

class FileStreamSourceSuite extends streaming.FileStreamSourceSuite with Judged

class FileStreamStressSuite extends streaming.FileStreamStressSuite with Judged

class TriggerAvailableNowSuite extends streaming.TriggerAvailableNowSuite with Judged

class DataStreamTableAPISuite extends streaming.test.DataStreamTableAPISuite with Judged

class DataStreamReaderWriterSuite extends streaming.test.DataStreamReaderWriterSuite with Judged

class StreamSuite extends streaming.StreamSuite with Judged

package io.github.variantshredded.read.pages

import java.io.ByteArrayInputStream

import shaded.parquet.org.apache.thrift.TConfiguration
import shaded.parquet.org.apache.thrift.protocol.{TCompactProtocol, TProtocol}
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport

/**
 * Creates Thrift protocols for reading Parquet's structures from bytes in memory. Lists and strings
 * that claim to be longer than these bytes are refused; parquet-java would allocate memory for
 * them.
 */
private[read] object ThriftInput {
  private final val MaxDepth = 16

  def apply(in: ByteArrayInputStream): TProtocol = {
    val size = in.available
    val transport = new TIOStreamTransport(new TConfiguration(size, size, MaxDepth), in)
    new TCompactProtocol(transport, size.toLong, size.toLong)
  }
}

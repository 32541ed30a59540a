package io.github.variantshredded.read.pages

import java.io.ByteArrayInputStream

import shaded.parquet.org.apache.thrift.TConfiguration
import shaded.parquet.org.apache.thrift.protocol.{TCompactProtocol, TProtocol}
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport

/**
 * Parquet's structures in bytes that are all there: lists and texts that claim to be longer are
 * refused, where parquet-java would take memory for them.
 */
private[read] object ThriftInput {
  private final val MaxDepth = 16

  def apply(in: ByteArrayInputStream): TProtocol = {
    val size = in.available
    val transport = new TIOStreamTransport(new TConfiguration(size, size, MaxDepth), in)
    new TCompactProtocol(transport, size.toLong, size.toLong)
  }
}

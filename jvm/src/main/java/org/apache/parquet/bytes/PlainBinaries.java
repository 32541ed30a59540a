package org.apache.parquet.bytes;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.io.ParquetDecodingException;

/**
 * Passes a page of byte arrays in the encoding PLAIN to Spark's decoder. The decoder requests two
 * slices for each value, its length and its bytes, and has finished with one before it requests the
 * next. So this class returns the same buffer for all slices, whereas Parquet's own stream makes new
 * objects for each.
 *
 * <p>The class is in this package because {@code BytesInput} has an abstract method that is visible
 * only there. At run time this JAR has a class loader of its own, so the class is not in Parquet's
 * package then. This does not matter: that method is not called on a page that is being read.
 */
public final class PlainBinaries extends BytesInput {
  private final ByteBuffer page;

  /**
   * Creates the input of one page.
   *
   * @param page all of the page that is to be decoded, from the buffer's position to its limit
   */
  public PlainBinaries(ByteBuffer page) {
    this.page = page;
  }

  @Override
  public ByteBufferInputStream toInputStream() {
    return new Stream(page.duplicate());
  }

  @Override
  public long size() {
    return page.remaining();
  }

  @Override
  public void writeAllTo(OutputStream out) throws IOException {
    Channels.newChannel(out).write(page.duplicate());
  }

  @Override
  void writeInto(ByteBuffer buffer) {
    buffer.put(page.duplicate());
  }

  @SuppressWarnings("deprecation")
  private static final class Stream extends ByteBufferInputStream {
    private final ByteBuffer rest;
    private final ByteBuffer view;
    private final int start;
    private int marked = -1;

    Stream(ByteBuffer rest) {
      super(rest);
      this.rest = rest;
      view = rest.duplicate();
      start = rest.position();
    }

    /** Returns an object that is valid until the next slice. */
    @Override
    public ByteBuffer slice(int length) throws EOFException {
      int from = advance(length);
      return view.limit(from + length).position(from);
    }

    private int advance(long length) throws EOFException {
      if (length < 0 || length > rest.remaining()) {
        throw new EOFException("Asked for " + length + " bytes of " + rest.remaining());
      }
      int from = rest.position();
      rest.position(from + (int) length);
      return from;
    }

    @Override
    public ByteBuffer toByteBuffer() {
      return rest.slice();
    }

    @Override
    public long position() {
      return rest.position() - start;
    }

    @Override
    public void skipFully(long length) throws IOException {
      advance(length);
    }

    /**
     * Skips exactly {@code length} bytes, and fails like a slice if it cannot. Spark's decoder does
     * not look at the result.
     */
    @Override
    public long skip(long length) {
      try {
        advance(length);
        return length;
      } catch (EOFException e) {
        throw new ParquetDecodingException("Failed to read " + length + " bytes", e);
      }
    }

    @Override
    public List<ByteBuffer> sliceBuffers(long length) throws EOFException {
      List<ByteBuffer> buffers = new ArrayList<>();
      if (length > 0) {
        buffers.add(rest.slice(advance(length), (int) length));
      }
      return buffers;
    }

    @Override
    public ByteBufferInputStream sliceStream(long length) throws EOFException {
      return ByteBufferInputStream.wrap(sliceBuffers(length));
    }

    @Override
    public List<ByteBuffer> remainingBuffers() {
      List<ByteBuffer> buffers = new ArrayList<>();
      if (rest.hasRemaining()) {
        buffers.add(rest.slice());
        rest.position(rest.limit());
      }
      return buffers;
    }

    @Override
    public ByteBufferInputStream remainingStream() {
      return ByteBufferInputStream.wrap(remainingBuffers());
    }

    @Override
    public int read() throws IOException {
      if (!rest.hasRemaining()) {
        throw new EOFException("Cannot read beyond the end of a page");
      }
      return rest.get() & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      if (!rest.hasRemaining()) {
        return -1;
      }
      int count = Math.min(length, rest.remaining());
      rest.get(bytes, offset, count);
      return count;
    }

    @Override
    public int read(ByteBuffer out) {
      if (!out.hasRemaining()) {
        return 0;
      }
      if (!rest.hasRemaining()) {
        return -1;
      }
      int count = Math.min(out.remaining(), rest.remaining());
      out.put(rest.slice(rest.position(), count));
      rest.position(rest.position() + count);
      return count;
    }

    @Override
    public int available() {
      return rest.remaining();
    }

    @Override
    public boolean markSupported() {
      return true;
    }

    @Override
    public void mark(int limit) {
      marked = rest.position();
    }

    @Override
    public void reset() throws IOException {
      if (marked < 0) {
        throw new IOException("No mark was set");
      }
      rest.position(marked);
    }
  }
}

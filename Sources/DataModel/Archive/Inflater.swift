internal import CZlib

/// Unpacks raw DEFLATE, which has neither header nor checksum: the form in which Core Data keeps models in stores.
final class Inflater {
  /// zlib keeps the address of its stream, which must not move.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  private init() {
    stream.initialize(to: z_stream())
  }

  deinit {
    // Ends a stream that never began with an error, and nothing else.
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Unpacks a whole stream.
  ///
  /// What follows the end of the stream is not looked at.
  ///
  /// - Parameter limit: The most bytes that may come out; a few kilobytes of zeros could unpack to gigabytes.
  static func inflate(_ bytes: [UInt8], limit: Int) throws(ModelFileProblem) -> [UInt8] {
    let limit = max(limit, 0)
    guard let count = UInt32(exactly: bytes.count) else { throw .unpacksBeyond(limit: limit) }
    let inflater = Inflater()
    guard czlib_inflate_init_raw(inflater.stream) == Z_OK else { throw .unpackable }
    let (output, status) = bytes.withUnsafeBufferPointer { input in
      inflater.stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      inflater.stream.pointee.avail_in = count
      return inflater.run(limit: limit)
    }
    guard output.count <= limit else { throw .unpacksBeyond(limit: limit) }
    guard status == Z_STREAM_END else { throw .unpackable }
    return output
  }

  /// Unpacks until the stream ends, stops making sense, runs out of input, or exceeds the limit by one byte.
  private func run(limit: Int) -> (output: [UInt8], status: Int32) {
    var output: [UInt8] = []
    var status = Z_OK
    while status == Z_OK, output.count <= limit {
      let room = min((1 << 16) - 1, limit - output.count) + 1
      output += [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(room)
        status = CZlib.inflate(stream, Z_NO_FLUSH)
        count = room - Int(stream.pointee.avail_out)
      }
    }
    return (output, status)
  }
}

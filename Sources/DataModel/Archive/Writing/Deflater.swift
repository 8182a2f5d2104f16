internal import CZlib

/// Packs bytes as raw DEFLATE, which has neither header nor checksum: the form in which Core Data keeps models in stores.
final class Deflater {
  /// zlib keeps the address of its stream, which must not move.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  private init() {
    stream.initialize(to: z_stream())
  }

  deinit {
    // Ends a stream that never began with an error, and nothing else.
    deflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Packs a whole stream, at the level that Apple's systems use.
  ///
  /// - Parameter limit: The most bytes to take: no more than can be unpacked again.
  static func deflate(_ bytes: [UInt8], limit: Int = 64 << 20) throws(ModelFileProblem) -> [UInt8] {
    guard bytes.count <= limit, let count = UInt32(exactly: bytes.count) else { throw .unpacksBeyond(limit: limit) }
    let deflater = Deflater()
    let stream = deflater.stream
    let began = czlib_deflate_init_raw(stream, 5)
    // Only a lack of memory can be in the way here.
    precondition(began == Z_OK, "zlib cannot begin a stream")
    let bound = Int(deflateBound(stream, UInt(count)))
    return bytes.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = count
      return [UInt8](unsafeUninitializedCapacity: bound) { buffer, packedCount in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(clamping: bound)
        // The bound is what zlib itself says is enough.
        let status = CZlib.deflate(stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib cannot end a stream")
        packedCount = bound - Int(stream.pointee.avail_out)
      }
    }
  }
}

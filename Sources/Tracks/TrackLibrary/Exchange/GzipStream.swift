internal import CTracksZlib
internal import MigrationDiagnostics

/// Unpacks gzip data: one member after the other, as `cat` joins them.
final class GzipStream {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let name: String
  /// Whether all that was taken so far is complete.
  private(set) var isBetweenMembers = false

  init(_ name: String) throws(MigrationError) {
    self.name = name
    stream.initialize(to: z_stream())
    guard czlib_inflate_init_gzip(stream) == Z_OK else { throw MigrationError(.outOfMemory, path: name) }
  }

  deinit {
    _ = inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  var needsInput: Bool { stream.pointee.avail_in == 0 }

  /// Takes packed bytes, which must stay where they are until they are used up.
  func take(_ bytes: UnsafeMutableRawBufferPointer) {
    stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(clamping: bytes.count)
  }

  /// Unpacks as much as there is room for.
  func unpack(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    if isBetweenMembers {
      // Padding, as tapes leave it.
      while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
        stream.pointee.next_in += 1
        stream.pointee.avail_in -= 1
      }
      if needsInput { return 0 }
      _ = inflateReset(stream)
      isBetweenMembers = false
    }
    let size = UInt32(clamping: room.count)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = size
    let status = inflate(stream, Z_NO_FLUSH)
    isBetweenMembers = status == Z_STREAM_END
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
      throw error(stream.pointee.msg.map { "its gzip data is damaged: \(String(cString: $0))" } ?? "it is damaged")
    }
    return Int(size - stream.pointee.avail_out)
  }

  func error(_ detail: String) -> MigrationError { MigrationError(.unusableFeed, path: name, detail: detail) }
}

internal import CTracksZlib
internal import MigrationDiagnostics

/// The bytes that gzip has packed: one member after the other, as `cat` joins them.
final class GzipBytes: FeedBytes {
  private let packed: any FeedBytes
  private let name: String
  private let stream: Inflation
  /// Whether all that was taken so far is complete.
  private var isBetweenMembers = false

  init(_ packed: any FeedBytes, name: String) throws(MigrationError) {
    (self.packed, self.name) = (packed, name)
    stream = try Inflation(name, czlib_inflate_init_gzip)
  }

  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    while true {
      if stream.needsInput, try stream.refill(from: packed) == 0 {
        guard isBetweenMembers else { throw feedError(name, "it ends in the middle of the gzip data") }
        return 0
      }
      if isBetweenMembers {
        // Padding, as tapes leave it.
        stream.skipZeros()
        if stream.needsInput { continue }
        stream.reset()
      }
      let (count, isComplete) = try stream.unpack(into: room)
      isBetweenMembers = isComplete
      if count > 0 { return count }
    }
  }
}

/// Packed bytes that zlib unpacks.
final class Inflation {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private let name: String

  init(
    _ name: String, _ begin: (UnsafeMutablePointer<z_stream>) -> Int32
  ) throws(MigrationError) {
    self.name = name
    stream.initialize(to: z_stream())
    guard begin(stream) == Z_OK else { throw MigrationError(.outOfMemory, path: name) }
  }

  deinit {
    _ = inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
    input.deallocate()
  }

  var needsInput: Bool { stream.pointee.avail_in == 0 }

  /// Takes more packed bytes, and returns their number.
  func refill(from packed: any FeedBytes) throws(MigrationError) -> Int {
    let count = try packed.read(into: input)
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
    return count
  }

  func skipZeros() {
    while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    }
  }

  func reset() { _ = inflateReset(stream) }

  /// Unpacks as much as there is room for; `isComplete` says whether that was the end.
  func unpack(
    into room: UnsafeMutableRawBufferPointer
  ) throws(MigrationError) -> (count: Int, isComplete: Bool) {
    let size = UInt32(clamping: room.count)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = size
    let status = inflate(stream, Z_NO_FLUSH)
    let count = Int(size - stream.pointee.avail_out)
    // What stands before damage counts first: the next call finds it again.
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR || count > 0 else {
      let reason = stream.pointee.msg.map { ": \(String(cString: $0))" } ?? ""
      throw feedError(name, "its compressed data is damaged\(reason)")
    }
    return (count, status == Z_STREAM_END)
  }
}

/// The error of a feed that cannot be read.
func feedError(_ name: String, _ detail: String, _ advice: Advice? = nil) -> MigrationError {
  var error = MigrationError(.unusableFeed, path: name, detail: detail)
  if let advice { error.advice = advice }
  return error
}

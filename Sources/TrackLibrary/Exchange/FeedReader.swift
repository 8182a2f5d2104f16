internal import CTracksZlib
internal import MigrationDiagnostics
internal import Policies
internal import SystemC

/// Reads the lines of a file, a pipe or standard input, unpacked if they are packed by gzip.
///
/// Memory is bounded by the longest line.
final class FeedReader: TrackFeed {
  let name: String
  private(set) var lineNumber = 0
  private let descriptor: Int32
  private let cancellation: () -> Bool
  private let onProgress: ((_ lineCount: Int) -> Void)?
  /// Called with the bytes of the file as they are read.
  private let onBytes: ((UnsafeRawBufferPointer) -> Void)?
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  /// Unpacked bytes, of which those before `start` are used up.
  private var lines = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private var (start, end) = (0, 0)
  private var isAtEnd = false
  private var gzip: GzipStream?

  /// A longer line is most likely not one of many.
  private static let longestLine = 512 << 20

  /// Opens a file; `-` is standard input.
  init(
    path: String, onProgress: ((_ lineCount: Int) -> Void)? = nil, onBytes: ((UnsafeRawBufferPointer) -> Void)? = nil,
    isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    name = path == "-" ? "standard input" : path
    (cancellation, self.onProgress, self.onBytes) = (isCancelled, onProgress, onBytes)
    descriptor = path == "-" ? dup(0) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    // Throwing from here on runs `deinit`, which closes the file.
    var count = 0
    while count < 2 {
      let step = try read(into: UnsafeMutableRawBufferPointer(rebasing: lines[count...]))
      if step == 0 { break }
      count += step
    }
    guard count >= 2, lines[0] == 0x1F, lines[1] == 0x8B else {
      end = count
      return
    }
    let stream = try GzipStream(name)
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: lines[..<count]))
    stream.take(UnsafeMutableRawBufferPointer(rebasing: input[..<count]))
    gzip = stream
  }

  deinit {
    close(descriptor)
    input.deallocate()
    lines.deallocate()
  }

  /// Blank lines are counted, and passed over.
  func nextLine() throws(MigrationError) -> UnsafeRawBufferPointer? {
    while let line = try nextWholeLine() {
      lineNumber += 1
      if lineNumber.isMultiple(of: 256) { onProgress?(lineNumber) }
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return line }
    }
    return nil
  }

  private func nextWholeLine() throws(MigrationError) -> UnsafeRawBufferPointer? {
    var searched = start
    while true {
      if searched < end, let base = lines.baseAddress, let newline = memchr(base + searched, 0x0A, end - searched) {
        let place = UnsafeRawPointer(newline) - UnsafeRawPointer(base)
        defer { start = place + 1 }
        return UnsafeRawBufferPointer(rebasing: lines[start..<place])
      }
      searched = end
      if isAtEnd {
        defer { start = end }
        // The last line may lack its end.
        return start < end ? UnsafeRawBufferPointer(rebasing: lines[start..<end]) : nil
      }
      searched -= start
      try refill()
    }
  }

  private func refill() throws(MigrationError) {
    if start > 0, let base = lines.baseAddress {
      memmove(base, base + start, end - start)
      (start, end) = (0, end - start)
    }
    if end == lines.count {
      guard lines.count < Self.longestLine else {
        var error = MigrationError(
          .unusableFeed, path: name, detail: "line \(lineNumber + 1) is longer than 512 MiB")
        error.advice = "Nothing was changed. Write one JSON object per line, for instance with: jq -c '.[]'"
        throw error
      }
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: lines.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(lines))
      lines.deallocate()
      lines = larger
    }
    let room = UnsafeMutableRawBufferPointer(rebasing: lines[end...])
    let count = if let gzip { try unpack(gzip, into: room) } else { try read(into: room) }
    end += count
    isAtEnd = count == 0
  }

  private func unpack(_ stream: GzipStream, into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    while true {
      if stream.needsInput {
        let count = try read(into: input)
        stream.take(UnsafeMutableRawBufferPointer(rebasing: input[..<count]))
        if count == 0 {
          guard stream.isBetweenMembers else { throw stream.error("it ends in the middle of the gzip data") }
          return 0
        }
      }
      let count = try stream.unpack(into: room)
      if count > 0 { return count }
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    while true {
      let count = SystemC.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        onBytes?(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        return count
      }
      guard errno == EINTR else { throw failure() }
      if cancellation() { throw MigrationError(.interrupted, path: name) }
    }
  }
}

extension FeedReader {
  /// What the system says of the last call.
  private func failure() -> MigrationError {
    var error = MigrationError(
      errno == ENOENT ? .missing : .unreadable, path: name, detail: String(cString: strerror(errno)))
    error.advice = "Nothing was changed. Name a feed: a file with one JSON object per line, or - for standard input."
    return error
  }
}

/// Unpacks gzip data: one member after the other, as `cat` joins them.
private final class GzipStream {
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

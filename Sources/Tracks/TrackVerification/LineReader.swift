internal import CTracksZlib
internal import JSONPresets
internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import Verification

/// The lines of a file, which may be packed by gzip, without those that are blank.
final class LineReader {
  /// The number of the last line, from 1.
  private(set) var number = 0
  private let path: String
  private let advice: Advice
  private let isCancelled: () -> Bool
  private let file: gzFile
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var (start, end) = (0, 0)

  /// - Parameters:
  ///   - advice: What to do if the file cannot be read.
  ///   - isFile: Whether it must be a regular file, as one that is read twice.
  ///   - isCancelled: Asked when a signal has ended a wait for a pipe.
  init(
    _ path: String, advice: Advice, isFile: Bool = false, isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    (self.path, self.advice, self.isCancelled) = (path, advice, isCancelled)
    var descriptor: Int32 = -1
    repeat {
      descriptor =
        isFile ? openRegularFile(path, O_RDONLY, followsLinks: true) : open(path, O_RDONLY | O_CLOEXEC)
      if descriptor < 0, errno == EINTR, isCancelled() { throw MigrationError(.interrupted, path: path) }
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      let number = errno
      var error = FileSystem.failure(number == ENOENT ? .missing : .unreadable, path, number: number)
      if [ENOENT, EISDIR, notARegularFile].contains(number) { error.advice = advice }
      throw error
    }
    guard let file = gzdopen(descriptor, "rb") else {
      close(descriptor)
      throw MigrationError(.outOfMemory, path: path)
    }
    self.file = file
  }

  deinit { gzclose(file) }

  func next() throws(MigrationError) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if start == end {
        try fill()
        if end == 0 {
          guard !line.isEmpty else { return nil }
          number += 1
          return Self.isBlank(line) ? nil : line
        }
      }
      guard let place = lineEnd else {
        // What is packed can be a thousand times as long as its file.
        guard line.count < FeedFormat.longestLine else {
          var error = MigrationError(
            .unusableFeed, path: path, detail: "line \(number + 1) is longer than 512 MiB")
          error.advice = advice
          throw error
        }
        line += buffer[start..<end]
        start = end
        continue
      }
      line += buffer[start..<place]
      start = place + 1
      number += 1
      if !Self.isBlank(line) { return line }
      line.removeAll(keepingCapacity: true)
    }
  }

  /// The end of the line in the buffer.
  private var lineEnd: Int? {
    buffer[start..<end].withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, 0x0a, bytes.count) else { return nil }
      return start + (UnsafeRawPointer(found) - base)
    }
  }

  private static func isBlank(_ line: [UInt8]) -> Bool { line.allSatisfy { [0x20, 0x09, 0x0d].contains($0) } }

  private func fill() throws(MigrationError) {
    let count = Int(gzread(file, &buffer, UInt32(buffer.count)))
    let number = errno
    var problem: Int32 = Z_OK
    _ = gzerror(file, &problem)
    guard problem == Z_OK || problem == Z_STREAM_END else {
      // zlib loses what it had read before the signal, so there is no reading on.
      if problem == Z_ERRNO, isCancelled() { throw MigrationError(.interrupted, path: path) }
      var error =
        problem == Z_ERRNO
        ? FileSystem.failure(.unreadable, path, number: number)
        : MigrationError(.unreadable, path: path, detail: "its gzip data is damaged or cut off")
      if problem != Z_ERRNO || number == EISDIR { error.advice = advice }
      throw error
    }
    (start, end) = (0, max(0, count))
  }
}

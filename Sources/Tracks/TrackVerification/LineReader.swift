package import FeedFiles
package import MigrationDiagnostics
internal import SystemC

/// The lines of a feed, without those that are blank.
package final class LineReader {
  /// The number of the last line, from 1.
  package private(set) var number = 0
  private let path: String
  private let advice: Advice
  private let file: FeedFile
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var (start, end) = (0, 0)

  /// - Parameters:
  ///   - advice: What to do if the file cannot be read.
  ///   - isFile: Whether it must be a regular file, as one that is read twice.
  ///   - isCancelled: Asked when a signal has ended a wait for a pipe.
  package init(
    _ source: FeedSource, advice: Advice, isFile: Bool = false, isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    (path, self.advice) = (source.path, advice)
    file = try FeedFile(source, isFile: isFile, advice: advice, isCancelled: isCancelled)
  }

  package func next() throws(MigrationError) -> [UInt8]? {
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
    let count = try buffer.withUnsafeMutableBufferPointer { room throws(MigrationError) in
      try file.read(into: UnsafeMutableRawBufferPointer(room))
    }
    (start, end) = (0, count)
  }
}

package import MigrationDiagnostics

/// The lines of a feed.
///
/// They are taken either one by one or in blocks.
package protocol TrackFeed: AnyObject {
  /// The number of the line that `nextLine` read last, from 1.
  var lineNumber: Int { get }
  /// The feed's name in messages.
  var name: String { get }
  /// Reads the next line that is not blank, whose bytes are valid until the next call; `nil` at the end.
  func nextLine() throws(MigrationError) -> UnsafeRawBufferPointer?
  /// Reads the next lines, and waits until there are many or the feed ends; `nil` at the end.
  func nextBlock() throws(MigrationError) -> FeedBlock?
}

/// Whole lines of a feed, which stand one after the other in memory.
package struct FeedBlock: Sendable {
  /// The number of its first line.
  package let firstLine: Int
  private let buffer: FeedBuffer
  private let start: Int
  /// The ends of the lines: each line but the first begins one byte behind the end of the one before.
  private let lineEnds: [Int]

  /// Creates a block.
  ///
  /// - Parameters:
  ///   - start: Where the first line begins.
  ///   - lineEnds: Where each line ends, with one byte before the next line.
  package init(_ buffer: FeedBuffer, from start: Int, lineEnds: [Int], firstLine: Int) {
    (self.buffer, self.start, self.lineEnds, self.firstLine) = (buffer, start, lineEnds, firstLine)
  }

  /// The number of lines.
  package var lineCount: Int { lineEnds.count }

  /// The number of bytes.
  package var byteCount: Int { (lineEnds.last ?? start) - start }

  /// The bytes of a line, valid as long as the block exists.
  package subscript(place: Int) -> UnsafeRawBufferPointer {
    let lineStart = place == 0 ? start : lineEnds[place - 1] + 1
    return UnsafeRawBufferPointer(rebasing: buffer.bytes[lineStart..<lineEnds[place]])
  }

  /// A line that is not blank; `nil` if it is.
  package func line(at place: Int) -> UnsafeRawBufferPointer? {
    let line = self[place]
    return line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ? nil : line
  }
}

/// Memory into which a feed is read, and which its blocks share.
///
/// One thread fills it; what a block refers to never changes after that.
package final class FeedBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer

  package init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { bytes.deallocate() }
}

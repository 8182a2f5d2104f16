internal import FeedFiles
internal import MigrationDiagnostics
internal import Policies
internal import SystemC

/// Cuts a feed into its lines.
///
/// Memory is bounded by the longest line, and by the blocks that are in use.
final class FeedReader: TrackFeed {
  private(set) var lineNumber = 0
  private let file: FeedFile
  private let onProgress: ((_ lineCount: Int) -> Void)?
  /// Called with the bytes of the lines.
  private let onContent: ((UnsafeRawBufferPointer) -> Void)?
  /// Unpacked bytes up to `end`, of which those before `start` belong to blocks.
  private var buffer = FeedBuffer(byteCount: FeedReader.bufferSize)
  private var (start, end) = (0, 0)
  private var isAtEnd = false
  /// The reason why nothing more can be read, once there are no whole lines left.
  private var failure: MigrationError?
  /// The number of lines in the blocks so far.
  private var lineCount = 0
  /// The block of which lines are taken one by one, and how many were.
  private var taken: (block: FeedBlock, count: Int)?

  /// Large enough that handing over a block costs nothing, small enough for the processor's cache.
  private static let bufferSize = 1 << 18

  /// The greatest number of lines in a block: the facts read from them take memory too, however short the lines are.
  private static let linesPerBlock = 1024

  /// Opens a feed.
  ///
  /// - Parameters:
  ///   - isFile: Whether it must be a regular file, as one that is read twice.
  ///   - onBytes: Called with the bytes of the file as they are read.
  ///   - onContent: Called with the bytes of its lines.
  init(
    _ source: FeedSource, isFile: Bool = false, onProgress: ((_ lineCount: Int) -> Void)? = nil,
    onBytes: ((UnsafeRawBufferPointer) -> Void)? = nil, onContent: ((UnsafeRawBufferPointer) -> Void)? = nil,
    isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    file = try FeedFile(
      source, isFile: isFile,
      advice: "Nothing was changed. Name a feed: a file with one JSON object per line, or - for standard input.",
      onBytes: onBytes, isCancelled: isCancelled)
    (self.onProgress, self.onContent) = (onProgress, onContent)
  }

  var name: String { file.name }

  /// A sentence about what was read and what was not, where that is not plain.
  var note: String? { file.note }

  /// Blank lines are counted, and passed over.
  func nextLine() throws(MigrationError) -> UnsafeRawBufferPointer? {
    while true {
      if let (block, count) = taken, count < block.lineCount {
        taken = (block, count + 1)
        lineNumber += 1
        if let line = block.line(at: count) { return line }
      } else {
        taken = nil
        guard let block = try nextBlock() else { return nil }
        taken = (block, 0)
      }
    }
  }

  func nextBlock() throws(MigrationError) -> FeedBlock? {
    var searched = start
    while true {
      var ends = lineEnds(from: searched)
      // The last line may lack its end.
      if ends.isEmpty, isAtEnd, start < end { ends = [end] }
      if let last = ends.last {
        let block = FeedBlock(buffer, from: start, lineEnds: ends, firstLine: lineCount + 1)
        start = min(last + 1, end)
        lineCount += ends.count
        onProgress?(lineCount)
        return block
      }
      if isAtEnd { return nil }
      searched = end - start
      try refill()
    }
  }

  /// Returns the ends of the next lines.
  private func lineEnds(from start: Int) -> [Int] {
    var (ends, place): ([Int], Int) = ([], start)
    guard let base = buffer.bytes.baseAddress else { return ends }
    while ends.count < Self.linesPerBlock, place < end, let newline = memchr(base + place, 0x0A, end - place) {
      let lineEnd = UnsafeRawPointer(newline) - UnsafeRawPointer(base)
      ends.append(lineEnd)
      place = lineEnd + 1
    }
    return ends
  }

  /// Fills a new buffer, which begins with what is left of the last one.
  private func refill() throws(MigrationError) {
    if let failure { throw failure }
    let rest = UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<end])
    guard rest.count < FeedFormat.longestLine else {
      var error = MigrationError(
        .unusableFeed, path: name, detail: "line \(lineCount + 1) is longer than 512 MiB")
      error.advice =
        "Nothing was changed. If it is a JSON list, say so with \(.feedFormat); otherwise shorten the line."
      throw error
    }
    var size = Self.bufferSize
    while size < 2 * rest.count, size < FeedFormat.longestLine { size *= 2 }
    let larger = FeedBuffer(byteCount: size)
    larger.bytes.copyMemory(from: rest)
    (buffer, start, end) = (larger, 0, rest.count)
    do throws(MigrationError) {
      while end < size, !isAtEnd {
        let room = UnsafeMutableRawBufferPointer(rebasing: larger.bytes[end...])
        let count = try file.read(into: room)
        onContent?(UnsafeRawBufferPointer(rebasing: room[..<count]))
        end += count
        isAtEnd = count == 0
      }
    } catch {
      // The lines before count first.
      failure = error
    }
  }
}

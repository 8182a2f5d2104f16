internal import JSONPresets
internal import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import SystemC

/// Reads the lines of a file, a pipe or standard input, unpacked if they are packed by gzip.
///
/// Memory is bounded by the longest line, and by the blocks that are in use.
final class FeedReader: TrackFeed {
  let name: String
  private(set) var lineNumber = 0
  private let isStandardInput: Bool
  private let descriptor: Int32
  private let cancellation: () -> Bool
  private let onProgress: ((_ lineCount: Int) -> Void)?
  /// Called with the bytes of the file as they are read, and with those that they are when unpacked.
  private let (onBytes, onContent): (((UnsafeRawBufferPointer) -> Void)?, ((UnsafeRawBufferPointer) -> Void)?)
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  /// Unpacked bytes up to `end`, of which those before `start` belong to blocks.
  private var buffer = FeedBuffer(byteCount: FeedReader.bufferSize)
  private var (start, end) = (0, 0)
  private var isAtEnd = false
  /// The reason why nothing more can be read, once there are no whole lines left.
  private var failure: MigrationError?
  private var gzip: GzipStream?
  /// The number of lines in the blocks so far.
  private var lineCount = 0
  /// The block of which lines are taken one by one, and how many were.
  private var taken: (block: FeedBlock, count: Int)?

  /// Large enough that handing over a block costs nothing, small enough for the processor's cache.
  private static let bufferSize = 1 << 18

  /// The greatest number of lines in a block: the facts read from them take memory too, however short the lines are.
  private static let linesPerBlock = 1024

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter isFile: Whether it must be a regular file, as one that is read twice.
  init(
    path: String, isFile: Bool = false, onProgress: ((_ lineCount: Int) -> Void)? = nil,
    onBytes: ((UnsafeRawBufferPointer) -> Void)? = nil, onContent: ((UnsafeRawBufferPointer) -> Void)? = nil,
    isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    isStandardInput = path == "-"
    name = isStandardInput ? "standard input" : path
    (cancellation, self.onProgress, self.onBytes, self.onContent) = (isCancelled, onProgress, onBytes, onContent)
    if isFile {
      descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    } else {
      descriptor = isStandardInput ? dup(STDIN_FILENO) : try Self.open(path, isCancelled)
    }
    guard descriptor >= 0 else { throw failureOfCall() }
    // Throwing from here on runs `deinit`, which closes the file.
    while end < 2 {
      let step = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[end...]))
      if step == 0 { break }
      end += step
    }
    guard end >= 2, buffer.bytes[0] == 0x1F, buffer.bytes[1] == 0x8B else {
      onContent?(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]))
      return
    }
    let stream = try GzipStream(name)
    input.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]))
    stream.take(UnsafeMutableRawBufferPointer(rebasing: input[..<end]))
    (gzip, end) = (stream, 0)
  }

  /// Opens a file, or waits for a program that writes into a pipe.
  private static func open(_ path: String, _ isCancelled: () -> Bool) throws(MigrationError) -> Int32 {
    while true {
      let descriptor = SystemC.open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor < 0, errno == EINTR else { return descriptor }
      if isCancelled() { throw MigrationError(.interrupted, path: path) }
    }
  }

  deinit {
    close(descriptor)
    input.deallocate()
  }

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
      error.advice = "Nothing was changed. Write one JSON object per line, for instance with: jq -c '.[]'"
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
        let count = if let gzip { try unpack(gzip, into: room) } else { try read(into: room) }
        onContent?(UnsafeRawBufferPointer(rebasing: room[..<count]))
        end += count
        isAtEnd = count == 0
      }
    } catch {
      // The lines before count first.
      failure = error
    }
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
      guard errno == EINTR else { throw failureOfCall() }
      if cancellation() { throw MigrationError(.interrupted, path: name) }
    }
  }
}

extension FeedReader {
  /// Returns the error of the last system call.
  private func failureOfCall() -> MigrationError {
    guard !isStandardInput else { return FileSystem.standardInputFailure() }
    let number = errno
    var error = FileSystem.failure(number == ENOENT ? .missing : .unreadable, name, number: number)
    if [ENOENT, EISDIR, notARegularFile].contains(number) {
      error.advice = "Nothing was changed. Name a feed: a file with one JSON object per line, or - for standard input."
    }
    return error
  }
}

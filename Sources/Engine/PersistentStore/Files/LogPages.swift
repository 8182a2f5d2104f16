package import MigrationDiagnostics
internal import SystemC

/// The pages that a write-ahead log holds beside the file of its store, for a reader that does without SQLite.
///
/// SQLite reads a log up to the first frame that is not valid. Here each frame is judged by itself, with the sums in the
/// header of the frame before it, so that a damaged one loses its own page only.
package struct LogPages: Sendable {
  /// The size of the pages.
  package let pageSize: Int
  /// The places in the log of the newest committed images, by page.
  package private(set) var offsets: [Int: Int64] = [:]
  /// The number of pages of the store after the last transaction; `nil` if none is complete.
  package private(set) var pageCount: Int?
  /// The pages whose newest image was in a damaged frame: all other images are older than what was committed.
  package private(set) var outdatedPages: Set<Int> = []
  /// The number of frames after the last complete transaction: one that never ended, or of which the end is cut off.
  package private(set) var openFrameCount = 0
  /// The number of damaged frames of committed transactions of which it is not known which page they held.
  package private(set) var unknownFrameCount = 0

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - path: The log. If there is none, or something else, that is no error.
  ///   - pageSize: The size of the store's pages, if it is known: it serves where the log's header is damaged.
  /// - Returns: `nil` if there is no log with frames.
  /// - Throws: `MigrationError` if it cannot be read, or a signal ends the work.
  package init?(ofLogAt path: String, pageSize: Int?) throws(MigrationError) {
    let descriptor = openRegularFile(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let file = LogFrames(descriptor: descriptor, path: path)
    guard var log = try file.beginning(pageSize: pageSize) else { return nil }
    self.pageSize = log.log.pageSize
    // The frames of the transaction that is read: a page with its place, or without one if it is damaged.
    var frames: [(page: Int?, offset: Int64?)] = log.unchecked.map { ($0, nil) }
    while let (offset, frame) = try file.frame(from: &log.offset, pageSize: self.pageSize) {
      let isValid = log.log.isCurrent(frame) && log.log.continues(with: frame)
      log.log.resume(after: frame)
      let page = Int(WriteAheadLog.page(frame))
      guard isValid else {
        frames.append((log.log.isCurrent(frame) && page > 0 ? page : nil, nil))
        continue
      }
      frames.append((page, offset + Int64(WriteAheadLog.frameHeaderSize)))
      openFrameCount += 1
      let size = Int(WriteAheadLog.databaseSize(frame))
      guard size > 0 else { continue }
      commit(frames)
      (frames, pageCount, openFrameCount) = ([], size, 0)
    }
  }

  /// Takes over a transaction that is complete: everything before its last frame was committed, too.
  private mutating func commit(_ frames: [(page: Int?, offset: Int64?)]) {
    for (page, offset) in frames {
      guard let page else {
        unknownFrameCount += 1
        continue
      }
      if let offset {
        offsets[page] = offset
        outdatedPages.remove(page)
      } else {
        outdatedPages.insert(page)
      }
    }
  }
}

/// The frames of a log, one after the other.
private struct LogFrames {
  let descriptor: Int32
  let path: String

  /// More frames than that are not tried where the header is damaged.
  private static let triedCount = 16
  private static let pageSizes = (9...16).map { 1 << $0 }

  /// Finds out how the frames are checked, and where they begin; `nil` if no frame is valid.
  ///
  /// - Returns: Beside the place of the first frame that can be checked, the pages of those before it.
  func beginning(
    pageSize: Int?
  ) throws(MigrationError) -> (log: WriteAheadLog, offset: Int64, unchecked: [Int?])? {
    guard let header = try read(WriteAheadLog.headerSize, at: 0) else { return nil }
    let start = Int64(WriteAheadLog.headerSize)
    if let log = WriteAheadLog(header) { return (log, start, []) }
    // Two frames of which the second continues the sums of the first say what the header would.
    for size in pageSize.map({ [$0] }) ?? Self.pageSizes {
      var unchecked: [Int?] = []
      for place in 0..<Self.triedCount {
        let offset = start + Int64(place * (WriteAheadLog.frameHeaderSize + size))
        var next = offset
        guard let (_, first) = try frame(from: &next, pageSize: size) else { break }
        let page = Int(WriteAheadLog.page(first))
        unchecked.append(page > 0 ? page : nil)
        var after = next
        guard let (_, second) = try frame(from: &after, pageSize: size) else { break }
        for isBigEndian in [false, true] {
          let log = WriteAheadLog(lastFrame: first, pageSize: size, isBigEndian: isBigEndian)
          var trial = log
          if log.isCurrent(second), trial.continues(with: second) { return (log, next, unchecked) }
        }
      }
    }
    return nil
  }

  /// Reads the frame at an offset and moves on behind it; `nil` at the end.
  ///
  /// Holes are skipped: the file may be larger than any disk.
  func frame(from offset: inout Int64, pageSize: Int) throws(MigrationError) -> (Int64, [UInt8])? {
    if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
    let size = Int64(WriteAheadLog.frameHeaderSize + pageSize)
    let data = Int64(FileSystem.nextData(descriptor, from: off_t(offset)))
    if data < 0, errno == ENXIO { return nil }
    if data > offset { offset += (data - offset) / size * size }
    guard let bytes = try read(Int(size), at: offset) else { return nil }
    defer { offset += size }
    return (offset, bytes)
  }

  private func read(_ count: Int, at offset: Int64) throws(MigrationError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard let found = FileSystem.read(descriptor, into: &bytes, at: off_t(offset)) else {
      throw FileSystem.failure(.inputOutput, path)
    }
    return found == count ? bytes : nil
  }
}

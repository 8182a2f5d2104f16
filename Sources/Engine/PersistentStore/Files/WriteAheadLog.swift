internal import Foundation
internal import MigrationDiagnostics
internal import SystemC

/// Checks that SQLite reads every committed transaction in a write-ahead log.
///
/// SQLite reads a log up to the first frame that is not valid, without an error, and ignores what follows, and deletes it with
/// the log: https://www.sqlite.org/fileformat.html#walformat. In a healthy log, that is nothing: frames of an earlier use of
/// the log follow, with other salts, or frames of a transaction that was not committed. If a disk or a copy has changed a
/// byte, however, committed transactions follow. They are recognized by the log's own salts, and by their checksums, which do
/// not depend on the salts. If it has lost or added bytes, they follow in other places, so the salts are looked for in all.
///
/// After a power loss, a log may look the same if its program did not wait for the disk at each commit
/// (`PRAGMA synchronous = NORMAL`) and the disk has written a later frame before an earlier one. Nothing in the log tells
/// the two apart, so it is refused too, rather than left out.
struct WriteAheadLog {
  static let (headerSize, frameHeaderSize) = (32, 24)

  /// The sums over everything before.
  private var sums: (UInt32, UInt32) = (0, 0)
  private let isBigEndian: Bool
  private let header: [UInt8]
  /// The size of the pages.
  let pageSize: Int

  /// Checks the log of a store, if there is one.
  ///
  /// - Throws: `MigrationError` with `unreadableWriteAheadLog` if committed transactions would be left out.
  static func requireWhole(_ file: StoreFile) throws(MigrationError) {
    guard file.writeAheadLogSize > headerSize else { return }
    // A program that writes to the log meanwhile may be seen in the middle of it, but not twice in the same place.
    var last: Damage?
    for _ in 1...maximumAttempts {
      guard let damage = try LogFile(file.resolvedPath + "-wal")?.damage() else { return }
      guard damage == last else {
        last = damage
        usleep(50_000)
        continue
      }
      var error = MigrationError(.unreadableWriteAheadLog, path: file.path, detail: damage.description)
      error.advice =
        "Nothing was changed. Restore the library and its '-wal' from a backup. The app leaves these changes out and deletes "
        + "them. If there is no backup, get the rows of both files before you open it there, with: \(.salvage(file.path))"
      throw error
    }
  }

  private static let maximumAttempts = 20

  private struct Damage: Equatable, CustomStringConvertible {
    /// The first 32 bytes, which change when the log is used again from its beginning.
    let header: [UInt8]
    /// The number of the first frame that SQLite does not read; `nil` for the header.
    let frame: Int?

    var description: String {
      frame.map { "its frame \($0) is damaged, and SQLite would ignore it and the committed changes after it" }
        ?? "its header is damaged, so that SQLite would ignore all changes in it"
    }
  }

  /// A log that is open for reading.
  private final class LogFile {
    private let path: String
    private let descriptor: Int32

    /// `nil` if it cannot be opened: SQLite will say why.
    init?(_ path: String) {
      self.path = path
      descriptor = openRegularFile(path, O_RDONLY)
      guard descriptor >= 0 else { return nil }
    }

    // SQLite's locks are on other files.
    deinit { close(descriptor) }

    func damage() throws(MigrationError) -> Damage? {
      guard let header = try read(headerSize, at: 0) else { return nil }
      guard var log = WriteAheadLog(header) else {
        // Room that was never written to has nothing behind it either.
        guard header.allSatisfy({ $0 == 0 }), try isEmpty(from: headerSize) else {
          return Damage(header: header, frame: nil)
        }
        return nil
      }
      let frameSize = frameHeaderSize + log.pageSize
      var (offset, number, damaged): (Int, Int, Int?) = (headerSize, 1, nil)
      while let frame = try read(frameSize, at: offset), log.continues(with: frame) {
        // The checksum was made for this place in this log, so the salt has changed since.
        if !log.isCurrent(frame) { damaged = damaged ?? number }
        if let damaged, isCommit(frame[...]) { return Damage(header: header, frame: damaged) }
        (offset, number) = (offset + frameSize, number + 1)
      }
      return try hasCommit(of: log, behind: offset, frameSize) ? Damage(header: header, frame: damaged ?? number) : nil
    }

    /// Whether a frame with the log's own salts that ends a transaction begins behind a place.
    ///
    /// The frame in that place itself may be of a transaction that was cut off. A frame in any of the following places
    /// counts; elsewhere, only one that is whole and not in the page of such a frame: what a transaction that was cut off or
    /// rolled back has left may hold anything.
    ///
    /// - Parameter end: The offset at which the first frame begins that SQLite does not read.
    private func hasCommit(of log: WriteAheadLog, behind end: Int, _ frameSize: Int) throws(MigrationError) -> Bool {
      let lastPlace = (FileStatus(descriptor: descriptor)?.size).map { Int($0) - frameSize } ?? .max
      // Numbers of pages begin with zeros, which may have taken the place of lost ones at the end of the page before.
      var (offset, ownFrame): (Int, Int?) = (end - 3, nil)
      var block = [UInt8](repeating: 0, count: Self.blockSize)
      while let place = nextData(from: offset) {
        // A header may begin in a hole, which is zeros.
        offset = max(offset, place - frameHeaderSize + 1)
        let count = try read(into: &block, at: offset)
        guard count >= frameHeaderSize else { return false }
        for start in log.placesOfFrames(in: block[..<count]) where offset + start != end {
          let (frame, place) = (block[start..<start + frameHeaderSize], offset + start)
          let isMoved = !(place - end).isMultiple(of: frameSize)
          if !isMoved { ownFrame = place }
          let isContent = ownFrame.map { place - $0 < frameSize } ?? false
          guard isCommit(frame), !isMoved || !isContent && namesPage(frame) && place <= lastPlace else { continue }
          return true
        }
        offset += count - frameHeaderSize + 1
      }
      return false
    }

    private static let blockSize = 1 << 18

    /// The bytes at an offset; `nil` if the file ends before.
    private func read(_ count: Int, at offset: Int) throws(MigrationError) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      return try read(into: &bytes, at: offset) == count ? bytes : nil
    }

    /// Reads as much as there is.
    private func read(into bytes: inout [UInt8], at offset: Int) throws(MigrationError) -> Int {
      guard let count = FileSystem.read(descriptor, into: &bytes, at: off_t(offset)) else {
        throw FileSystem.failure(.inputOutput, path)
      }
      return count
    }

    /// The next offset that is not in a hole of the file, which may be larger than any disk; `nil` at its end.
    private func nextData(from offset: Int) -> Int? {
      let place = FileSystem.nextData(descriptor, from: off_t(offset))
      // Without such an answer, all of it counts as data.
      return place >= 0 ? Int(place) : errno == ENXIO ? nil : offset
    }

    private func isEmpty(from offset: Int) throws(MigrationError) -> Bool {
      var offset = offset
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      while let place = nextData(from: offset) {
        let count = try read(into: &bytes, at: place)
        guard count > 0 else { return true }
        guard bytes.prefix(count).allSatisfy({ $0 == 0 }) else { return false }
        offset = place + count
      }
      return true
    }

    /// Whether a frame is the last of its transaction: it has the size of the database.
    private func isCommit(_ frame: ArraySlice<UInt8>) -> Bool { WriteAheadLog.databaseSize(frame) != 0 }

    /// Whether a frame that ends a transaction has a page of the database.
    private func namesPage(_ frame: ArraySlice<UInt8>) -> Bool {
      let page = WriteAheadLog.word(frame, 0)
      return 0 < page && page <= WriteAheadLog.word(frame, 4)
    }
  }

  /// `nil` if SQLite would not accept the header.
  init?(_ header: [UInt8]) {
    self.header = header
    let magic = Self.word(header, 0)
    guard magic & ~1 == 0x377f_0682 else { return nil }
    isBigEndian = magic & 1 == 1
    pageSize = Int(Self.word(header, 8))
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    add(header[0..<24])
    guard sums == (Self.word(header, 24), Self.word(header, 28)) else { return nil }
  }

  /// Takes the place of a lost header: frames are then checked from the one after this on.
  init(lastFrame: [UInt8], pageSize: Int, isBigEndian: Bool) {
    (self.pageSize, self.isBigEndian) = (pageSize, isBigEndian)
    header = [UInt8](repeating: 0, count: 16) + lastFrame[8..<16] + [UInt8](repeating: 0, count: 8)
    resume(after: lastFrame)
  }

  /// Goes on behind a frame, whatever it holds: its header has the sums that the next frame's begin with.
  mutating func resume(after frame: [UInt8]) { sums = (Self.word(frame, 16), Self.word(frame, 20)) }

  /// The page that a frame holds.
  static func page(_ frame: some Collection<UInt8>) -> UInt32 { word(frame, 0) }

  /// The size of the database in pages after a frame that ends a transaction; 0 for all others.
  static func databaseSize(_ frame: some Collection<UInt8>) -> UInt32 { word(frame, 4) }

  /// Whether the checksum of a frame continues those before it.
  mutating func continues(with frame: [UInt8]) -> Bool {
    guard Self.word(frame, 0) != 0 else { return false }
    add(frame[0..<8])
    add(frame[Self.frameHeaderSize...])
    return sums == (Self.word(frame, 16), Self.word(frame, 20))
  }

  /// Whether a frame was written since the log was last restarted.
  func isCurrent(_ frame: [UInt8]) -> Bool { frame[8..<16] == header[16..<24] }

  /// The places in bytes at which the header of a frame with the log's own salts may begin, in their order.
  private func placesOfFrames(in bytes: ArraySlice<UInt8>) -> [Int] {
    // Compared as numbers, a whole log takes no longer than to add up its checksums.
    let salts = header[16..<24].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    return bytes.withUnsafeBytes { bytes in
      (0..<max(0, bytes.count - Self.frameHeaderSize + 1)).filter {
        bytes.loadUnaligned(fromByteOffset: $0 + 8, as: UInt64.self) == salts
      }
    }
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    let isSwapped = isBigEndian != (Int(bigEndian: 1) == 1)
    var (first, second) = sums
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        let words = (
          bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
          bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        )
        first &+= (isSwapped ? words.0.byteSwapped : words.0) &+ second
        second &+= (isSwapped ? words.1.byteSwapped : words.1) &+ first
      }
    }
    sums = (first, second)
  }

  private static func word(_ bytes: some Collection<UInt8>, _ offset: Int) -> UInt32 {
    bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

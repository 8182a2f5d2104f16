internal import Foundation
internal import MigrationDiagnostics
internal import SystemC

/// Checks that SQLite reads every committed transaction in a write-ahead log.
///
/// SQLite reads a log up to the first invalid frame, without an error: frames of an earlier use of the log follow it, or a
/// transaction that was never committed. If a disk or a copy has changed a byte, however, committed transactions follow it.
/// SQLite ignores them, and deletes them with the log: https://www.sqlite.org/fileformat.html#walformat
struct WriteAheadLog {
  private static let (headerSize, frameHeaderSize) = (32, 24)

  /// The sums over everything before.
  private var sums: (UInt32, UInt32) = (0, 0)
  private let isBigEndian: Bool
  private let header: [UInt8]
  private let pageSize: Int

  /// Checks the log of a store, if there is one.
  ///
  /// - Throws: `MigrationError` with `unreadableWriteAheadLog` if committed transactions would be left out.
  static func requireWhole(_ file: StoreFile) throws(MigrationError) {
    guard file.writeAheadLogSize > headerSize else { return }
    // A program that is writing may have written a part of a frame.
    for attempt in 1...3 {
      guard let problem = try problem(file) else { return }
      if attempt < 3 {
        usleep(50_000)
        continue
      }
      var error = MigrationError(.unreadableWriteAheadLog, path: file.path, detail: problem)
      error.advice =
        "Nothing was changed. Restore the library and its '-wal' from a backup. If there is none, open it in the app, which "
        + "leaves these changes out, quit the app, and run this again."
      throw error
    }
  }

  private static func problem(_ file: StoreFile) throws(MigrationError) -> String? {
    let path = file.resolvedPath + "-wal"
    let descriptor = openRegularFile(path, O_RDONLY)
    // SQLite will say why.
    guard descriptor >= 0 else { return nil }
    // SQLite's locks are on other files.
    defer { close(descriptor) }
    func read(_ count: Int, at offset: Int) throws(MigrationError) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      guard let found = FileSystem.read(descriptor, into: &bytes, at: off_t(offset)) else {
        throw FileSystem.failure(.inputOutput, path)
      }
      return found == count ? bytes : nil
    }
    guard let header = try read(headerSize, at: 0) else { return nil }
    guard var log = WriteAheadLog(header) else {
      // Room that was never written to.
      return header.allSatisfy { $0 == 0 }
        ? nil : "its header is damaged, so that SQLite would ignore all changes in it"
    }
    let frameSize = frameHeaderSize + log.pageSize
    var (offset, number, damaged): (Int, Int, Int?) = (headerSize, 0, nil)
    while let frame = try read(damaged == nil ? frameSize : frameHeaderSize, at: offset) {
      (offset, number) = (offset + frameSize, number + 1)
      if damaged == nil {
        if log.accepts(frame) { continue }
        damaged = number
      }
      guard log.isCurrent(frame) else { return nil }
      if let damaged, damaged < number, frame[4..<8].contains(where: { $0 != 0 }) {
        return "its frame \(damaged) is damaged, and SQLite would ignore it and the committed changes after it"
      }
    }
    return nil
  }

  /// `nil` if SQLite would not accept the header.
  private init?(_ header: [UInt8]) {
    self.header = header
    let magic = Self.word(header, 0)
    guard magic & ~1 == 0x377f_0682 else { return nil }
    isBigEndian = magic & 1 == 1
    pageSize = Int(Self.word(header, 8))
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    add(header[0..<24])
    guard sums == (Self.word(header, 24), Self.word(header, 28)) else { return nil }
  }

  /// Whether a frame is valid after those before it.
  private mutating func accepts(_ frame: [UInt8]) -> Bool {
    guard isCurrent(frame), Self.word(frame, 0) != 0 else { return false }
    add(frame[0..<8])
    add(frame[Self.frameHeaderSize...])
    return sums == (Self.word(frame, 16), Self.word(frame, 20))
  }

  /// Whether a frame was written since the log was last restarted.
  private func isCurrent(_ frame: [UInt8]) -> Bool { frame[8..<16] == header[16..<24] }

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

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

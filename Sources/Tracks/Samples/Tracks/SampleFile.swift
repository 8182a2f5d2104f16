internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import TrackLibrary

/// A file whose bytes are read and changed without SQLite.
final class SampleFile {
  private let path: String
  private let descriptor: Int32

  /// Opens a file for reading.
  convenience init(reading path: String) throws(MigrationError) {
    self.init(path, try FileSystem.openFile(path, O_RDONLY, orThrow: .cannotCreate))
  }

  /// Opens a file for changing it.
  convenience init(updating path: String) throws(MigrationError) {
    self.init(path, try FileSystem.openFile(path, O_RDWR, orThrow: .cannotCreate))
  }

  /// Creates a file, replacing what a killed run left behind.
  convenience init(creating path: String) throws(MigrationError) {
    self.init(path, try FileSystem.createFile(path))
  }

  private init(_ path: String, _ descriptor: Int32) {
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit {
    close(descriptor)
  }

  /// The size in bytes.
  var size: Int64 { FileStatus(descriptor: descriptor)?.size ?? 0 }

  /// Reads bytes at an offset, fewer at the end of the file.
  func read(_ count: Int, at offset: Int64) throws(MigrationError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
    guard length >= 0 else { throw FileSystem.failure(.inputOutput, path) }
    bytes.removeSubrange(length...)
    return bytes
  }

  /// Appends bytes to what was written so far, starting at the beginning of the file.
  func write(_ bytes: [UInt8]) throws(MigrationError) {
    try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: path)
  }
}

extension NewStoreFile {
  /// Sets the parts of the file that depend on the SQLite version that wrote it.
  func settleHeader(usesWriteAheadLog: Bool = false) throws(MigrationError) {
    try SampleFile(updating: stagedPath).settleHeader(usesWriteAheadLog: usesWriteAheadLog)
  }
}

extension SampleFile {
  /// The SQLite version recorded in the file, 3.40.1, so that the bytes do not depend on the SQLite that is used.
  private static let libraryVersion: UInt32 = 3_040_001

  /// Sets the parts of a database's header that its contents do not determine (sqlite.org/fileformat.html, 1.3).
  ///
  /// Bytes 18 and 19 record whether the database uses a write-ahead log (2) or not (1). Bytes 96 to 99 are the version
  /// of the library that wrote last. Bytes 92 to 95 record the change for which that version is valid; they follow from
  /// the contents.
  func settleHeader(usesWriteAheadLog: Bool) throws(MigrationError) {
    var header = try read(100, at: 0)
    guard header.count == 100 else { throw MigrationError(.inputOutput) }
    header[18] = usesWriteAheadLog ? 2 : 1
    header[19] = header[18]
    header.replaceSubrange(96..<100, with: Self.libraryVersion.bigEndianBytes)
    try write(header)
  }
}

extension UInt32 {
  /// The four bytes, most significant first, as in SQLite's files.
  var bigEndianBytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

/// Writes a write-ahead log that leads from one state of a database to another (sqlite.org/fileformat.html, chapter 4).
///
/// SQLite takes the salts of its logs from the system's randomness, so it cannot write the same log twice. This log is
/// created from two files: it contains every page that differs in the later one, as one transaction.
struct SampleWriteAheadLog {
  private static let pageSize = 4096
  /// The number of frames written at once.
  private static let batch = 256

  private let salts: [UInt8]
  private var checksum = SampleChecksum()

  /// Creates a log with a salt, which every frame repeats, so that frames of an older log are never valid.
  init(salt: UInt64) {
    salts = UInt32(truncatingIfNeeded: salt >> 32).bigEndianBytes + UInt32(truncatingIfNeeded: salt).bigEndianBytes
  }

  /// Writes the log that turns the first database into the second.
  consuming func write(to path: String, from first: SampleFile, to second: SampleFile) throws(MigrationError) {
    let log = try SampleFile(creating: path)
    var bytes = header()
    let pageCount = Int(second.size) / Self.pageSize
    // The frame that ends the transaction must be the last one. Page 1 is part of every log, so it can always be that
    // frame.
    for index in stride(from: 1, to: pageCount, by: 1) {
      let page = try Self.page(index, of: second)
      guard try page != Self.page(index, of: first) else { continue }
      append(frame(number: index + 1, sizeAfterCommit: 0, page), page, to: &bytes)
      guard bytes.count > Self.batch * Self.pageSize else { continue }
      try log.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    let page = try Self.page(0, of: second)
    append(frame(number: 1, sizeAfterCommit: pageCount, page), page, to: &bytes)
    try log.write(bytes)
  }

  private static func page(_ index: Int, of file: SampleFile) throws(MigrationError) -> [UInt8] {
    try file.read(pageSize, at: Int64(index) * Int64(pageSize))
  }

  /// The log's header: a magic number that also says that checksums read words as little-endian, the version of the
  /// format, the page size, the number of checkpoints so far, the salts, and the checksum of all of these.
  private mutating func header() -> [UInt8] {
    let fields: [UInt32] = [0x377F_0682, 3_007_000, UInt32(Self.pageSize), 0]
    let header = fields.flatMap(\.bigEndianBytes) + salts
    checksum.add(header[...])
    return header + checksum.bytes
  }

  /// A frame's header: the page number, the size of the database in pages if the transaction ends here, the salts, and
  /// the checksum of the log up to here, which excludes the salts.
  private mutating func frame(number: Int, sizeAfterCommit: Int, _ page: [UInt8]) -> [UInt8] {
    let header = UInt32(number).bigEndianBytes + UInt32(sizeAfterCommit).bigEndianBytes
    checksum.add(header[...])
    checksum.add(page[...])
    return header + salts + checksum.bytes
  }

  private func append(_ frame: [UInt8], _ page: [UInt8], to bytes: inout [UInt8]) {
    bytes += frame
    bytes += page
  }
}

/// Composes text in a reusable buffer.
extension [UInt8] {
  mutating func append(text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends a number in decimal digits, with leading zeros up to a width.
  mutating func append(decimal number: Int, width: Int = 1) {
    var divisor = 1
    for _ in 1..<Swift.max(width, 1) { divisor *= 10 }
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends the lowest digits of a number in hexadecimal.
  mutating func append(hexadecimal number: UInt64, digits: Int) {
    for digit in (0..<digits).reversed() {
      let value = UInt8(truncatingIfNeeded: number >> (4 * UInt64(digit))) & 15
      append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value)
    }
  }

  /// Appends an identifier like those that servers assign: 22 hexadecimal digits.
  mutating func appendIdentifier(_ random: inout SplitMix64) {
    append(hexadecimal: random.next(), digits: 16)
    append(hexadecimal: random.next(), digits: 6)
  }

  /// Appends a copy of a range of the buffer's own bytes.
  mutating func append(copyOf range: Range<Int>) {
    for index in range { append(self[index]) }
  }
}

/// The running checksum of a write-ahead log (sqlite.org/fileformat.html, 4.2), over little-endian words.
private struct SampleChecksum {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  /// Adds bytes, a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
      first &+= Self.word(bytes, index) &+ second
      second &+= Self.word(bytes, index + 4) &+ first
    }
  }

  /// The checksum as stored in the file, which is big-endian regardless of the byte order of the words.
  var bytes: [UInt8] { first.bigEndianBytes + second.bigEndianBytes }

  private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt32 {
    UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
      | UInt32(bytes[index + 3]) << 24
  }
}

internal import Diagnostics

/// Writes a write-ahead log that leads from one state of a database to another (sqlite.org/fileformat.html, chapter 4).
///
/// SQLite takes the salts of its logs from the system's randomness, so it cannot write the same log twice. Here the log
/// is made from two files: it holds every page in which the later one differs, as one transaction.
struct SampleWriteAheadLog {
  private static let pageSize = 4096
  /// How many frames are written at once.
  private static let batch = 256

  private let salts: [UInt8]
  private var checksum = SampleChecksum()

  /// Creates a log with a salt, which every frame repeats, so that frames of an older log never count.
  init(salt: UInt64) {
    salts = UInt32(truncatingIfNeeded: salt >> 32).bigEndianBytes + UInt32(truncatingIfNeeded: salt).bigEndianBytes
  }

  /// Writes the log that makes the first database the second.
  consuming func write(to path: String, from first: SampleFile, to second: SampleFile) throws(MigrationError) {
    let log = try SampleFile(creating: path)
    var bytes = header()
    let pageCount = Int(second.size) / Self.pageSize
    // The frame that ends the transaction must be the last one; page 1 is part of every log, so it may well be that.
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
  /// format, the size of a page, the number of checkpoints so far, the salts, and the checksum of all that.
  private mutating func header() -> [UInt8] {
    let fields: [UInt32] = [0x377F_0682, 3_007_000, UInt32(Self.pageSize), 0]
    let header = fields.flatMap(\.bigEndianBytes) + salts
    checksum.add(header[...])
    return header + checksum.bytes
  }

  /// A frame's header: the page number, the size of the database in pages if the transaction ends here, the salts, and
  /// the checksum of the log up to here, which leaves out the salts.
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

package import MigrationDiagnostics
internal import SystemC

/// The pages that a rollback journal holds of an unfinished transaction, as they were before it, for a reader that does
/// without SQLite (sqlite.org/fileformat.html#the_rollback_journal).
package struct JournalPages: Sendable {
  /// The size of the pages.
  package let pageSize: Int
  /// The places in the journal of the pages, by their numbers.
  package private(set) var offsets: [Int: Int64] = [:]
  /// The number of pages of the store before the transaction.
  package let pageCount: Int

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let headerSize = 28

  /// Reads a journal up to the first record that is not valid, as SQLite does.
  ///
  /// - Parameter path: The journal. If there is none, or something else, that is no error.
  /// - Returns: `nil` if there is no journal that would be rolled back.
  /// - Throws: `MigrationError` if it cannot be read, or a signal ends the work.
  package init?(ofJournalAt path: String) throws(MigrationError) {
    let descriptor = openRegularFile(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    func read(_ count: Int, at offset: Int64) throws(MigrationError) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      guard let found = FileSystem.read(descriptor, into: &bytes, at: off_t(offset)) else {
        throw FileSystem.failure(.inputOutput, path)
      }
      return found == count ? bytes : nil
    }
    guard let first = try read(Self.headerSize, at: 0), first.starts(with: Self.magic) else { return nil }
    let (pageCount, sectorSize, pageSize) = (Self.word(first, 16), Self.word(first, 20), Self.word(first, 24))
    guard Self.isSize(pageSize, from: 512), Self.isSize(sectorSize, from: 32) else { return nil }
    (self.pageSize, self.pageCount) = (Int(pageSize), Int(pageCount))
    let size = FileStatus(descriptor: descriptor)?.size ?? 0
    var offset: Int64 = 0
    while let header = try read(Self.headerSize, at: offset), header.starts(with: Self.magic) {
      let nonce = Self.word(header, 12)
      offset += Int64(sectorSize)
      let recordSize = Int64(pageSize) + 8
      // Before a journal is synced, its count is 0: then nothing was written to the store yet.
      let said = Self.word(header, 8)
      let count = said == .max ? max(0, (size - offset) / recordSize) : Int64(said)
      var place: Int64 = 0
      while place < count, let record = try read(Int(recordSize), at: offset) {
        if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
        let page = Int(Self.word(record, 0))
        guard page > 0, Self.sum(record[4..<4 + self.pageSize], nonce) == Self.word(record, 4 + self.pageSize) else {
          return
        }
        // The first image is the one from before the transaction.
        if offsets[page] == nil { offsets[page] = offset + 4 }
        (offset, place) = (offset + recordSize, place + 1)
      }
      guard place == count else { return }
      offset = (offset + Int64(sectorSize) - 1) / Int64(sectorSize) * Int64(sectorSize)
    }
  }

  private static func isSize(_ size: UInt32, from least: UInt32) -> Bool {
    (least...65536).contains(size) && size.nonzeroBitCount == 1
  }

  /// Only every two hundredth byte counts, from the end on.
  private static func sum(_ page: ArraySlice<UInt8>, _ nonce: UInt32) -> UInt32 {
    var (sum, place) = (nonce, page.count - 200)
    while place > 0 {
      sum &+= UInt32(page[page.startIndex + place])
      place -= 200
    }
    return sum
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

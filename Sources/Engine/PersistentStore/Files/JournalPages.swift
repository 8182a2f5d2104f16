package import MigrationDiagnostics
internal import SystemC

/// The pages that a rollback journal holds of an unfinished transaction, as they were before it, for a reader that does
/// without SQLite (sqlite.org/fileformat.html#the_rollback_journal).
package struct JournalPages: Sendable {
  /// The size of the pages; `nil` if the header does not say it.
  package let pageSize: Int?
  /// The places in the journal of the pages, by their numbers.
  package private(set) var offsets: [Int: Int64] = [:]
  /// The number of pages of the store before the transaction; `nil` if the header does not say it.
  package let pageCount: Int?
  /// The pages whose images are damaged, as far as their numbers are known.
  package private(set) var damagedPages: Set<Int> = []
  /// The reason why SQLite would delete the journal without rolling all of the transaction back; `nil` if it would not.
  package private(set) var damage: String?
  /// The first bytes, which are others in each transaction.
  private let header: [UInt8]

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let headerSize = 28
  private static let maximumAttempts = 20

  /// Reads a journal, and what is whole of a damaged one.
  ///
  /// SQLite ends at the first record that is not valid, without an error. It syncs the records before it writes their number,
  /// so all of those that are counted are valid in a journal that is not damaged. It clears the first bytes of a journal that
  /// it has finished; other bytes are neither a journal nor a finished one.
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
    func size() -> Int64 { FileStatus(descriptor: descriptor)?.size ?? 0 }
    guard let start = try read(Int(min(size(), Int64(Self.headerSize))), at: 0), let byte = start.first, byte != 0
    else {
      return nil
    }
    header = start
    let isCut = start.count < Self.headerSize
    let first = isCut ? [UInt8](repeating: 0, count: Self.headerSize) : start
    let (pageCount, sectorSize, pageSize) = (Self.word(first, 16), Self.word(first, 20), Self.word(first, 24))
    let hasSizes = Self.isSize(pageSize, from: 512) && Self.isSize(sectorSize, from: 32)
    if !start.starts(with: Self.magic) || !hasSizes {
      damage = "its header is damaged, so that SQLite would roll nothing back"
    }
    guard hasSizes else {
      (self.pageSize, self.pageCount) = (nil, nil)
      return
    }
    (self.pageSize, self.pageCount) = (Int(pageSize), Int(pageCount))
    let recordSize = Int64(pageSize) + 8
    var offset: Int64 = 0
    while let header = try read(Self.headerSize, at: offset), offset == 0 || header.starts(with: Self.magic) {
      let nonce = Self.word(header, 12)
      offset += Int64(sectorSize)
      // Before a journal is synced, its count is 0: then nothing was written to the store yet. The size is read after the
      // count: a program that writes the journal now writes records first.
      let (said, room) = (Self.word(header, 8), max(0, (size() - offset) / recordSize))
      for place in 0..<(said == .max ? room : min(Int64(said), room)) {
        if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
        guard let record = try read(Int(recordSize), at: offset) else { break }
        let page = Int(Self.word(record, 0))
        let (image, sum) = (record[4..<4 + Int(pageSize)], Self.word(record, 4 + Int(pageSize)))
        let isValid = page > 0 && Self.sum(image, nonce) == sum
        if !isValid, said == .max { return }
        if !isValid {
          damage = damage ?? "its record \(place + 1) is damaged, and SQLite would ignore it and those after it"
          if page > 0 { damagedPages.insert(page) }
        } else if offsets[page] == nil {
          // The first image is the one from before the transaction.
          offsets[page] = offset + 4
        }
        offset += recordSize
      }
      guard said != .max, Int64(said) <= room else {
        if said != .max { damage = damage ?? "it is cut off, and SQLite would roll back a part of its transaction" }
        break
      }
      offset = (offset + Int64(sectorSize) - 1) / Int64(sectorSize) * Int64(sectorSize)
    }
    damagedPages.subtract(offsets.keys)
  }

  /// Makes sure that SQLite can roll back all of a store's unfinished transaction, if there is one.
  ///
  /// - Throws: `MigrationError` with `unfinishedTransaction` if it would leave changes that were never committed.
  static func requireWhole(_ file: StoreFile) throws(MigrationError) {
    // A program may end its transaction meanwhile, and begin the next one.
    var last: (damage: String, header: [UInt8])?
    for _ in 1...maximumAttempts {
      guard let journal = try JournalPages(ofJournalAt: file.resolvedPath + "-journal"), let damage = journal.damage,
        try file.mayHaveHotJournal()
      else { return }
      guard let known = last, known == (damage, journal.header) else {
        last = (damage, journal.header)
        usleep(50_000)
        continue
      }
      var error = MigrationError(.unfinishedTransaction, path: file.path, detail: damage)
      error.advice =
        "Nothing was changed. Restore the library and its '-journal' from a backup. The app takes changes that were never "
        + "completed for saved ones, and deletes the journal. If there is no backup, get the rows of both files before you "
        + "open it there, with: \(.salvage(file.path))"
      throw error
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

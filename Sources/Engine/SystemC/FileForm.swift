/// The format of a file that is not what was expected, as far as its bytes show it.
///
/// Each place that refuses files has an advice of its own for a form; this is the one place that recognizes it.
package enum FileForm: Sendable, Hashable, CaseIterable {
  case sqlite
  /// A database's write-ahead log, the index of one, or a rollback journal.
  case sqliteLog, sqliteLogIndex, sqliteJournal
  /// A store of Core Data that is not a SQLite database.
  case coreDataXML, coreDataBinary
  case realm
  case gitLFSPointer
  case zip, gzip, zstd, xz, bzip2, sevenZip, rar, tar
  case binaryPropertyList
  case pdf
  case officeDocument
  case media
  case utf16
  /// Bytes without any pattern.
  case encrypted

  /// The number of first bytes by which all formats are recognized.
  package static let headSize = 64 << 10

  /// Recognizes a format; `nil` if it is none of these.
  ///
  /// - Parameters:
  ///   - head: The beginning of the file: 512 bytes are enough for most formats, and ``headSize`` for all.
  ///   - size: The size of the file; `nil` if it is not known, as of a pipe.
  package init?(_ head: some RandomAccessCollection<UInt8>, size: Int64? = nil) {
    let head = Array(head)
    if let known = Self.signatures.first(where: { head.dropFirst($0.offset).starts(with: $0.bytes) }) {
      // Letters alone may begin a text.
      guard known.form != .media || head.prefix(16).contains(where: { $0 < 0x09 || $0 >= 0x80 }) else { return nil }
      self = known.form
      return
    }
    if Self.isCoreDataXML(head) {
      self = .coreDataXML
    } else if head.starts(with: "bplist".utf8) {
      let isStore = Self.storeWords.contains { head.firstRange(of: $0) != nil }
      self = isStore ? .coreDataBinary : .binaryPropertyList
    } else if let size, size >= 1024, Self.isNoise(head) {
      self = .encrypted
    } else {
      return nil
    }
  }

  /// The first bytes of formats, the surest first.
  private static let signatures: [(bytes: [UInt8], offset: Int, form: FileForm)] =
    [
      (Array("SQLite format 3\0".utf8), 0, .sqlite),
      ([0x37, 0x7F, 0x06, 0x82], 0, .sqliteLog), ([0x37, 0x7F, 0x06, 0x83], 0, .sqliteLog),
      ([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], 0, .sqliteJournal),
      // Version 3007000 of the index, in the order of the machine's bytes.
      ([0x18, 0xE2, 0x2D, 0x00], 0, .sqliteLogIndex), ([0x00, 0x2D, 0xE2, 0x18], 0, .sqliteLogIndex),
      (Array("T-DB".utf8), 16, .realm),
      (Array("version https://git-lfs.github.com/spec/".utf8), 0, .gitLFSPointer),
      (Array("PK\u{3}\u{4}".utf8), 0, .zip), ([0x1F, 0x8B], 0, .gzip), ([0x28, 0xB5, 0x2F, 0xFD], 0, .zstd),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A], 0, .xz), (Array("BZh".utf8), 0, .bzip2),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], 0, .sevenZip), (Array("Rar!".utf8), 0, .rar),
      (Array("ustar".utf8), 257, .tar), (Array("%PDF".utf8), 0, .pdf), ([0xD0, 0xCF, 0x11, 0xE0], 0, .officeDocument),
      ([0x89, 0x50, 0x4E, 0x47], 0, .media), ([0xFF, 0xD8, 0xFF], 0, .media), (Array("GIF8".utf8), 0, .media),
      (Array("RIFF".utf8), 0, .media), (Array("ftyp".utf8), 4, .media), (Array("ID3".utf8), 0, .media),
    ]
    + [[0xFF, 0xFE], [0xFE, 0xFF], [0x7B, 0], [0x5B, 0], [0, 0x7B], [0, 0x5B]].map { ($0, 0, .utf16) }

  /// Keys of a store's metadata, which a binary store begins with.
  private static let storeWords = ["NSStoreType", "NSStoreModelVersion", "NSPersistenceFrameworkVersion"].map {
    Array($0.utf8)
  }

  private static func isCoreDataXML(_ head: [UInt8]) -> Bool {
    let text = head.prefix(4096).drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    guard text.first == UInt8(ascii: "<") else { return false }
    return ["<!DOCTYPE database", "<databaseInfo"].contains { text.firstRange(of: Array($0.utf8)) != nil }
  }

  /// Whether bytes have no pattern: of eight bits each, they need nearly all.
  package static func isNoise(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
    guard bytes.count >= 512 else { return false }
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let total = Double(bytes.count)
    let entropy = counts.reduce(0.0) { sum, count in
      guard count > 0 else { return sum }
      let share = Double(count) / total
      return sum - share * log2(share)
    }
    // So few bytes cannot have each value as often as the others: Miller's correction, (256 - 1) / (2 n ln 2).
    return entropy + 255 / (2 * total * M_LN2) > 7.95
  }

  /// The name of the format, as a clause.
  package var words: String {
    switch self {
    case .sqlite: "it is an SQLite database"
    case .sqliteLog: "it is a database's write-ahead log ('-wal'), which has the latest changes only"
    case .sqliteLogIndex: "it is the index of a write-ahead log ('-shm'), which has no rows"
    case .sqliteJournal: "it is a database's rollback journal ('-journal'), which has no rows of its own"
    case .coreDataXML: "it is an XML store of Core Data"
    case .coreDataBinary: "it is a binary store of Core Data"
    case .realm: "it is a Realm database"
    case .gitLFSPointer: "it is a Git LFS pointer, and not the file itself"
    case .zip: "it is a zip archive"
    case .gzip: "it is compressed with gzip"
    case .zstd: "it is compressed with zstd"
    case .xz: "it is compressed with xz"
    case .bzip2: "it is compressed with bzip2"
    case .sevenZip: "it is a 7z archive"
    case .rar: "it is a RAR archive"
    case .tar: "it is a tar archive"
    case .binaryPropertyList: "it is a binary property list"
    case .pdf: "it is a PDF"
    case .officeDocument: "it is a document of an older office program"
    case .media: "it is a picture, a recording or a film"
    case .utf16: "it is UTF-16"
    case .encrypted: "it may be encrypted with a key, since its bytes have no pattern"
    }
  }

  /// The line of the first mark that a version control system left where two changes of a text file met; `nil` if there is
  /// none.
  package static func conflictLine(in bytes: [UInt8]) -> Int? {
    guard !bytes.starts(with: "bplist".utf8), bytes.firstRange(of: Array("<<<<<<< ".utf8)) != nil else { return nil }
    var (line, start): (Int, Int?) = (1, nil)
    for text in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if start == nil, text.starts(with: "<<<<<<< ".utf8) { start = line }
      if text.starts(with: ">>>>>>> ".utf8), let start { return start }
      line += 1
    }
    return nil
  }
}

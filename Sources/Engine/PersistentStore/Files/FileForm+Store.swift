internal import MigrationDiagnostics
internal import SystemC

extension FileForm {
  /// The way to a store for a person who has named such a file as one; `nil` if there is no better one than the usual.
  func advice(forStoreAt path: String) -> Advice? {
    let file = ErrorMessage.shellPath(path)
    switch self {
    case .sqliteLog: return Self.database(path, "-wal", "with the log beside it")
    case .sqliteLogIndex: return Self.database(path, "-shm", "with its log beside it")
    case .sqliteJournal: return Self.database(path, "-journal", "with the journal beside it")
    case .coreDataXML, .coreDataBinary:
      return
        "Only SQLite stores can be read. On a Mac, convert it with NSPersistentStoreCoordinator's "
        + "migratePersistentStore(_:to:type:)."
    case .realm: return "Only Core Data's SQLite stores can be read. Export its objects with the app or Realm Studio."
    case .encrypted:
      return
        "Encrypted stores cannot be read: decrypt a copy in the app, or with the key and the program 'sqlcipher' "
        + "(sqlcipher_export), and use that. If it should not be encrypted, restore it from a backup."
    case .gitLFSPointer: return "Get the file itself with: git lfs pull"
    case .zip: return "Unpack it first: unzip \(file)"
    case .gzip: return Self.unpacking("gzip", file)
    case .zstd: return Self.unpacking("zstd", file)
    case .xz: return Self.unpacking("xz", file)
    case .bzip2: return Self.unpacking("bzip2", file)
    case .sevenZip: return "Unpack it first: 7z x \(file)"
    case .rar: return "Unpack it first: unrar x \(file)"
    case .tar: return "Unpack it first: tar -xf \(file)"
    case .sqlite, .binaryPropertyList, .pdf, .officeDocument, .media, .utf16: return nil
    }
  }

  private static func unpacking(_ program: String, _ file: String) -> Advice {
    "Unpack it first: \(program) -dc \(file) > Unpacked.sqlite"
  }

  /// The database beside which such a file belongs.
  private static func database(_ path: String, _ suffix: String, _ place: String) -> Advice {
    guard path.hasSuffix(suffix), path.utf8.count > suffix.utf8.count else {
      return "Name the database that it belongs to, \(place)."
    }
    return "Name the database that it belongs to, '\(String(path.dropLast(suffix.count)))', \(place)."
  }
}

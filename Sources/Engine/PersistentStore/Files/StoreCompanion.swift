internal import SystemC

/// The end of a backup's name: `v1-backup` of `Library.sqlite.v1-backup`, or `Notes-2-backup-3`.
///
/// It has no dot, so no file can be the backup of two libraries.
package struct BackupName: Sendable, Hashable {
  /// The version that the library had.
  package let version: String
  /// The number among the backups of that version, starting with 1.
  package let number: Int

  /// Reads what follows the library's name and a dot; `nil` for other files.
  init?(_ suffix: some StringProtocol) {
    let mark = "-backup"
    if suffix.hasSuffix(mark) {
      (version, number) = (String(suffix.dropLast(mark.count)), 1)
    } else {
      guard let dash = suffix.lastIndex(of: "-"), let number = Int(suffix[suffix.index(after: dash)...]), number > 1,
        suffix[..<dash].hasSuffix(mark)
      else { return nil }
      (version, self.number) = (String(suffix[..<dash].dropLast(mark.count)), number)
    }
    guard !version.isEmpty else { return nil }
  }
}

/// The role of a file beside the library whose name its own begins with, such as its backup or its log.
package struct StoreCompanion: Sendable, Hashable {
  /// The roles of such files.
  package enum Role: Sendable, Hashable {
    case backup, replacedLibrary, log, statistics, rejects, page, temporaryFile, externalData
  }

  /// The role of the file.
  package let role: Role
  /// The library; `nil` if the name does not say which.
  package let library: String?

  /// Reads a file's name; `nil` if it is that of a library.
  package init?(ofFileAt path: String) {
    guard let (role, name) = Self.read(path) else { return nil }
    (self.role, library) = (role, name.map { FileSystem.sibling(of: path, named: $0) })
  }

  /// Returns the role of a file beside a library that exists, or that is one of those in question.
  ///
  /// Without its library, `Library.sqlite.v1-backup` is a library like any other.
  ///
  /// - Parameter isNamed: Whether a path is one of the libraries in question.
  package static func find(_ path: String, isNamed: (String) -> Bool) -> StoreCompanion? {
    if let companion = companion(path, of: isNamed) { return companion }
    // A link to a backup leads to the backup, unless it has the library's own name.
    guard let resolved = FileSystem.resolved(path), !FileSystem.areSame(resolved, path) else { return nil }
    let file = FileStatus(resolved)
    return companion(resolved) { _ in false }.flatMap { companion in
      guard let file, let library = companion.library.flatMap({ FileStatus($0) }) else { return companion }
      return library.isSameFile(as: file) ? nil : companion
    }
  }

  private static func companion(_ path: String, of isNamed: (String) -> Bool) -> StoreCompanion? {
    guard let companion = StoreCompanion(ofFileAt: path) else { return nil }
    guard var library = companion.library else { return companion }
    // What lies beside a backup belongs to the backup's library.
    while true {
      if isNamed(library) || FileStatus(library).map({ $0.kind == .regular }) ?? false { return companion }
      guard let next = StoreCompanion(ofFileAt: library)?.library else { return nil }
      library = next
    }
  }

  /// The role of a file, and the name of its library.
  private static func read(_ path: String) -> (Role, String?)? {
    let (folder, name) = FileSystem.split(path)
    if folder.utf8.split(separator: UInt8(ascii: "/")).contains(where: { isDataFolder(Substring($0)) }) {
      return (.externalData, nil)
    }
    if StoreFileNames.isTemporary(path) { return (.temporaryFile, nil) }
    for (end, role) in ends where name.hasSuffix(end) && name.utf8.count > end.utf8.count {
      return (role, String(decoding: name.utf8.dropLast(end.utf8.count), as: UTF8.self))
    }
    guard let (before, last) = parts(name) else { return nil }
    if BackupName(last) != nil { return (.backup, before) }
    if isNumbered(last, "replaced") { return (.replacedLibrary, before) }
    if last == "ndjson", let (before, last) = parts(before), isNumbered(last, "rejects") { return (.rejects, before) }
    return nil
  }

  /// What follows a library's path in that of its statistics.
  package static let statisticsSuffix = ".migration.json"

  /// The end of the name of a store's rejects: `.rejects.ndjson`, or `.rejects-2.ndjson`.
  static func rejectsSuffix(of name: String) -> String? {
    guard let companion = StoreCompanion(ofFileAt: name), companion.role == .rejects, let store = companion.library
    else { return nil }
    return FileSystem.suffix(of: name, after: store).map(String.init)
  }

  /// Returns the rejects that statistics name, and that are beside the store, whatever they say.
  ///
  /// The statistics of a store that had another name, before its backup took it, still say that name.
  package static func rejectsPath(named name: String, besideStoreAt path: String) -> String {
    let name = FileSystem.split(name).name
    if let suffix = rejectsSuffix(of: name), FileSystem.exists(path + suffix) { return path + suffix }
    return FileSystem.sibling(of: path, named: name)
  }

  private static let ends: [(String, Role)] = [
    ("-wal", .log), ("-shm", .log), ("-journal", .log), (statisticsSuffix, .statistics), (".report.html", .page),
  ]

  /// Splits a name at its last dot.
  private static func parts(_ name: String) -> (String, String)? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
    return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
  }

  private static func isNumbered(_ text: String, _ word: String) -> Bool {
    guard text.hasPrefix(word) else { return false }
    let rest = text.dropFirst(word.count)
    return rest.isEmpty || rest.first == "-" && (Int(rest.dropFirst()) ?? 0) > 1
  }

  private static func isDataFolder(_ name: Substring) -> Bool { name.hasPrefix(".") && name.hasSuffix("_SUPPORT") }
}

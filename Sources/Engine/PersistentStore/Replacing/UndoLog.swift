internal import MigrationDiagnostics
internal import SystemC

/// A hidden file that lists what a run is about to publish next to a library.
///
/// A run that is killed just before it replaces the library leaves a hard link to it, and rejects and statistics of a
/// migration that never happened. The next run that may change the library removes them first, even if it fails
/// afterwards. If the new library is in place by then, they belong to it, and only the files that they have replaced are
/// removed.
///
/// A name does not identify a file, so a file is removed only if it is the listed one, with the same inode, size and
/// modification time. A hard link is removed only while the library is the same file. The log itself is used only if it
/// belongs to this user, because it lists files to remove.
package struct UndoLog {
  /// Something that will be published.
  enum Entry {
    /// A hard link to the library.
    case backup(String)
    /// A file of the run, if there is one, and the hidden name of the file that it replaces, if any.
    case file(FileStatus?, path: String, earlierPath: String?)
    /// Hard links in one external data folder to files of another.
    case values([String], in: ExternalDataFolder, of: ExternalDataFolder)
  }

  private let path: String

  init(_ staging: StagingFile) {
    path = Self.path(for: staging)
  }

  private static func path(for staging: StagingFile) -> String { staging.companion("undo") }

  // MARK: - Writing

  /// Writes the list to the disk.
  ///
  /// - Parameter library: The current library; `nil` for none.
  func begin(_ library: FileStatus?, _ entries: [Entry]) throws(MigrationError) {
    let descriptor = try FileSystem.createFile(path)
    defer { close(descriptor) }
    do throws(MigrationError) {
      try Self.write([Self.mark, "\(library?.fileNumber ?? 0)"] + entries.flatMap(Self.fields), to: descriptor, path)
      try FileSystem.synchronizeFolder(of: path)
    } catch {
      discard()
      throw error
    }
  }

  /// Adds an entry, if there is a list: a backup that is a copy is not known before it is made.
  func add(_ entry: Entry) throws(MigrationError) {
    guard try FileSystem.isThere(path) else { return }
    let descriptor = try FileSystem.openFile(path, O_WRONLY | O_APPEND, orThrow: .inputOutput)
    defer { close(descriptor) }
    try Self.write(Self.fields(entry), to: descriptor, path)
  }

  /// Removes the list: nothing will be undone any more.
  func discard() { FileSystem.remove(path) }

  private static func write(_ fields: [String], to descriptor: Int32, _ path: String) throws(MigrationError) {
    // No path contains a zero.
    let bytes: [UInt8] = fields.flatMap { Array($0.utf8) + [0] }
    try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: path)
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, path) }
  }

  private static let mark = "tracks-migrate undo 1"

  private static func fields(_ entry: Entry) -> [String] {
    switch entry {
    case .backup(let path): return ["backup", path]
    case .file(let file, let path, let earlierPath): return ["file", identity(file), path, earlierPath ?? ""]
    case .values(let names, let folder, let source):
      return names.flatMap { ["value", $0, folder.path, source.path] }
    }
  }

  /// The properties of a file that do not change with its name, owner or mode.
  private static func identity(_ file: FileStatus?) -> String {
    file.map { "\($0.fileNumber) \($0.size) \($0.modificationTime)" } ?? ""
  }

  // MARK: - Taking back

  /// Undoes what a run has left that was interrupted before its result was in place, and removes its list.
  ///
  /// No other run can be active: this one has the staging file.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the library.
  ///   - name: The library as the user named it, for messages.
  /// - Throws: `MigrationError` if something cannot be undone; then the next run tries again.
  func recover(_ target: String, named name: String) throws(MigrationError) {
    do throws(MigrationError) {
      guard try FileSystem.isThere(path) else { return }
    } catch {
      // It is unknown whether an earlier run has left anything.
      throw error.about(name)
    }
    do throws(MigrationError) {
      try recover(target)
    } catch {
      var failure = error.about(name)
      if let path = error.subject.path, error.code != .cannotCreate {
        let reason = error.detail.map { " (\($0))" } ?? ""
        failure.detail = "'\(path)', which an earlier run has left, cannot be taken back\(reason)"
      }
      throw failure
    }
  }

  private func recover(_ target: String) throws(MigrationError) {
    guard let log = FileStatus(unresolved: path), log.kind == .regular, log.userID == geteuid(), log.linkCount == 1
    else { return try FileSystem.removeLeftover(path) }
    var fields = try FileSystem.contents(of: path).split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }[...]
    // Anything after the last zero was not written completely, so it was not acted on.
    fields.removeLast()
    let library = try FileSystem.isThere(target) ? FileStatus(unresolved: target) : nil
    if fields.popFirst() == Self.mark, let number = fields.popFirst() {
      try takeBack(&fields, library, isReplaced: number != "\(library?.fileNumber ?? 0)")
      try FileSystem.synchronizeFolder(of: target)
    }
    discard()
  }

  private func takeBack(
    _ fields: inout ArraySlice<String>, _ library: FileStatus?, isReplaced: Bool
  ) throws(MigrationError) {
    let counts = ["backup": 1, "file": 3, "value": 3]
    while let kind = fields.popFirst(), let count = counts[kind], fields.count >= count {
      let parts = Array(fields.prefix(count))
      fields.removeFirst(count)
      switch kind {
      case "backup":
        guard !isReplaced, let library, let found = FileStatus(unresolved: parts[0]), found.isSameFile(as: library)
        else { continue }
        try FileSystem.remove(parts[0], orThrow: .cannotReplace)
      case "file":
        let earlierPath = parts[2].isEmpty ? nil : parts[2]
        if isReplaced {
          if let earlierPath { try FileSystem.removeLeftover(earlierPath) }
        } else {
          try Self.takeBack(parts[0], at: parts[1], earlierPath)
        }
      default:
        guard !isReplaced else { continue }
        let (folder, source) = (ExternalDataFolder(at: parts[1]), ExternalDataFolder(at: parts[2]))
        ExternalDataLinks.takeBack([parts[0]], in: folder, of: source)
      }
    }
  }

  private static func takeBack(_ identity: String, at path: String, _ earlierPath: String?) throws(MigrationError) {
    let found = try FileSystem.isThere(path) ? FileStatus(unresolved: path) : nil
    let isOurs = found.map { $0.kind == .regular && Self.identity($0) == identity } ?? false
    if let earlierPath, FileStatus(unresolved: earlierPath)?.kind == .regular {
      // Otherwise the file has never lost its name, or another program has put one there.
      guard isOurs || found == nil else { return try FileSystem.removeLeftover(earlierPath) }
      try FileSystem.move(earlierPath, replacing: path)
      try FileSystem.synchronizeFolder(of: path)
    } else if isOurs {
      try FileSystem.remove(path, orThrow: .cannotReplace)
    }
  }

  /// Does the same for a library without starting a migration, if no other run is active.
  ///
  /// - Parameter target: The resolved path of the library.
  package static func recover(libraryAt target: String) {
    guard FileSystem.exists(StagingFile.path(for: target) + ".undo"),
      let staging = try? StagingFile(for: target, named: target)
    else { return }
    // A run that changes the library will try again.
    try? UndoLog(staging).recover(target, named: target)
    staging.discard()
  }
}

extension UndoLog.Entry {
  /// The hard link that a library gets, unless it already has it.
  static func backup(of library: FileStatus, at path: String?) -> [Self] {
    guard let path, FileStatus(unresolved: path)?.isSameFile(as: library) != true else { return [] }
    return [.backup(path)]
  }

  /// The files that appear together with a library.
  static func companions(_ companions: [StoreReplacement.Companion]) throws(MigrationError) -> [Self] {
    var entries: [Self] = []
    for companion in companions {
      if companion.isRemoval {
        entries.append(.file(nil, path: companion.path, earlierPath: companion.earlierPath))
        continue
      }
      guard let staged = FileStatus(unresolved: companion.stagedPath) else {
        throw FileSystem.failure(.inputOutput, companion.stagedPath)
      }
      let isReplacing = companion.mayReplace ? try FileSystem.isThere(companion.path) : false
      entries.append(.file(staged, path: companion.path, earlierPath: isReplacing ? companion.earlierPath : nil))
    }
    return entries
  }

  /// The hard links to a store's external data files that another store gets.
  static func values(of store: String, withStoreAt other: String?) throws(MigrationError) -> [Self] {
    guard let other else { return [] }
    let (source, folder) = (ExternalDataFolder(ofStoreAt: store), ExternalDataFolder(ofStoreAt: other))
    guard !FileSystem.areSame(folder.path, source.path) else { return [] }
    var names: [String] = []
    for name in try source.names() {
      if try !folder.contains(name) { names.append(name) }
    }
    return names.isEmpty ? [] : [.values(names, in: folder, of: source)]
  }
}

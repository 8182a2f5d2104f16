internal import MigrationDiagnostics
internal import SystemC

/// A hidden file that lists what a run is about to publish next to a library.
///
/// A run that is killed just before it replaces the library leaves a hard link to it, and rejects and statistics of a
/// migration that never happened. The next run that may change the library removes them first, even if it fails
/// afterwards. If the new library is in place by then, they belong to it, and only the files that they have replaced are
/// removed.
///
/// Of a restoration, it also lists what is left to do once the backup is the library. It is there until all is done, so
/// that the same restoration is not taken for another one when it is repeated.
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
    /// The backup that becomes the library.
    case restoration(Restoration, of: FileStatus)
    /// A file that moves once the backup is the library.
    case move(Move)
  }

  /// A backup that becomes the library, and the name that the library gets instead, if it is kept.
  struct Restoration {
    let backupPath: String
    let replacedPath: String?
  }

  /// A file that gets another name, or is removed.
  struct Move {
    let path: String
    let newPath: String?
    fileprivate let identity: String

    /// Prepares to move a file; `nil` if there is none.
    init?(_ path: String, to newPath: String?) {
      guard let file = FileStatus(unresolved: path) else { return nil }
      (self.path, self.newPath, identity) = (path, newPath, UndoLog.identity(file))
    }

    fileprivate init(_ parts: [String]) {
      (identity, path, newPath) = (parts[0], parts[1], parts[2].isEmpty ? nil : parts[2])
    }
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

  /// Removes the list after the staging file, so that nothing but the list is left of a run that is killed meanwhile.
  func discard(after staging: StagingFile) {
    let own = FileStatus(unresolved: path)
    staging.discard()
    // Another run may have begun, and have a list of its own.
    if own == FileStatus(unresolved: path) { discard() }
  }

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
    case .restoration(let restoration, let file):
      return ["restoration", identity(file), restoration.backupPath, restoration.replacedPath ?? ""]
    case .move(let move): return ["move", move.identity, move.path, move.newPath ?? ""]
    }
  }

  /// The properties of a file that do not change with its name, owner or mode.
  private static func identity(_ file: FileStatus?) -> String {
    file.map { "\($0.fileNumber) \($0.size) \($0.modificationTime)" } ?? ""
  }

  // MARK: - Reading

  /// A list, as it was written.
  private struct Contents {
    /// The number of the library's file.
    let library: String
    let entries: [(kind: String, parts: [String])]

    /// The restoration whose backup is the library by now.
    func restoration(in library: FileStatus?) -> Restoration? {
      guard let library, let parts = entries.first(where: { $0.kind == "restoration" })?.parts,
        parts[0] == UndoLog.identity(library)
      else { return nil }
      return Restoration(backupPath: parts[1], replacedPath: parts[2].isEmpty ? nil : parts[2])
    }
  }

  /// Reads a list; `nil` if there is none of this user.
  private static func contents(_ path: String) throws(MigrationError) -> Contents? {
    guard let log = FileStatus(unresolved: path), log.kind == .regular, log.userID == geteuid(), log.linkCount == 1
    else { return nil }
    var fields = try FileSystem.contents(of: path).split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }[...]
    // Anything after the last zero was not written completely, so it was not acted on.
    fields.removeLast()
    guard fields.popFirst() == mark, let number = fields.popFirst() else { return nil }
    let counts = ["backup": 1, "file": 3, "value": 3, "restoration": 3, "move": 3]
    var entries: [(kind: String, parts: [String])] = []
    while let kind = fields.popFirst(), let count = counts[kind], fields.count >= count {
      entries.append((kind, Array(fields.prefix(count))))
      fields.removeFirst(count)
    }
    return Contents(library: number, entries: entries)
  }

  /// Returns the restoration that has made a library what it is, if its run was killed before its end.
  static func finishedRestoration(of target: String) throws(MigrationError) -> Restoration? {
    try contents(StagingFile.path(for: target) + ".undo")?.restoration(in: FileStatus(unresolved: target))
  }

  // MARK: - Taking back

  /// Undoes what a run has left that was interrupted before its result was in place, and removes its list.
  ///
  /// No other run can be active: this one has the staging file.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the library.
  ///   - name: The library as the user named it, for messages.
  ///   - keepsList: Whether the list stays, because it is needed until its end.
  /// - Throws: `MigrationError` if something cannot be undone; then the next run tries again.
  func recover(_ target: String, named name: String, keepsList: Bool = false) throws(MigrationError) {
    do throws(MigrationError) {
      guard try FileSystem.isThere(path) else { return }
    } catch {
      // It is unknown whether an earlier run has left anything.
      throw error.about(name)
    }
    do throws(MigrationError) {
      try recover(target, keepsList: keepsList)
    } catch {
      var failure = error.about(name)
      if let path = error.subject.path, error.code != .cannotCreate {
        let reason = error.detail.map { " (\($0))" } ?? ""
        failure.detail = "'\(path)', which an earlier run has left, cannot be taken back\(reason)"
      }
      throw failure
    }
  }

  private func recover(_ target: String, keepsList: Bool) throws(MigrationError) {
    guard let list = try Self.contents(path) else { return try FileSystem.removeLeftover(path) }
    let library = try FileSystem.isThere(target) ? FileStatus(unresolved: target) : nil
    try takeBack(list, library, isReplaced: list.library != "\(library?.fileNumber ?? 0)")
    if list.restoration(in: library) != nil {
      // The library is restored even if something is in the way of these.
      try? Self.perform(list.entries.filter { $0.kind == "move" }.map { Move($0.parts) })
    }
    try FileSystem.synchronizeFolder(of: target)
    if !keepsList { discard() }
  }

  private func takeBack(_ list: Contents, _ library: FileStatus?, isReplaced: Bool) throws(MigrationError) {
    for (kind, parts) in list.entries {
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
      case "value" where !isReplaced:
        let (folder, source) = (ExternalDataFolder(at: parts[1]), ExternalDataFolder(at: parts[2]))
        ExternalDataLinks.takeBack([parts[0]], in: folder, of: source)
      default: continue
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

  // MARK: - Moving

  /// Moves files, as far as that is not done.
  static func perform(_ moves: [Move]) throws(MigrationError) {
    for move in moves {
      guard let file = FileStatus(unresolved: move.path), identity(file) == move.identity else { continue }
      guard file.kind == .regular else {
        throw MigrationError(.cannotReplace, path: move.path, detail: "it is not a regular file")
      }
      // A run that was killed between the two steps of a move has left both names.
      guard let newPath = move.newPath, FileStatus(unresolved: newPath)?.isSameFile(as: file) != true else {
        try FileSystem.remove(move.path, orThrow: .cannotReplace)
        continue
      }
      guard try FileSystem.moveWithoutReplacing(move.path, to: newPath) else {
        throw MigrationError(.outputExists, path: newPath)
      }
    }
    // Before the list goes; without it, no run finishes this.
    if let path = moves.first?.path { _ = FileSystem.unsynchronized(path, path) }
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

internal import MigrationDiagnostics
internal import SystemC

/// What a run is about to make visible beside a library, noted in a hidden file before it does.
///
/// A run that is killed just before it replaces the library leaves a second name of it, and rejects and statistics of a
/// migration that has never been. The next run that may change the library takes them back before it does anything else,
/// even if it fails afterwards. If the new library is in place by then, all of them belong to it, and only what they have
/// replaced is let go.
///
/// Names tell nothing about whose files have them. So a file is taken back only where it is the one that was noted: by its
/// number, its size and the time when it was last written. A second name is removed only while the library is the same
/// file. The log itself counts only if this user has written it: it names files to remove.
package struct UndoLog {
  /// Something that becomes visible.
  enum Entry {
    /// A second name of the library.
    case backup(String)
    /// A file of the run's own, and the hidden name of what it replaces, if it replaces anything.
    case file(FileStatus, path: String, earlierPath: String?)
    /// Names in one folder of large values for files of another.
    case values([String], in: ExternalDataFolder, of: ExternalDataFolder)
  }

  private let path: String

  init(_ staging: StagingFile) {
    path = Self.path(for: staging)
  }

  private static func path(for staging: StagingFile) -> String { staging.companion("undo") }

  // MARK: - Writing

  /// Notes what will be made, and makes sure that this is on the disk.
  ///
  /// - Parameter library: What the path leads to; `nil` for nothing.
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

  /// Notes one thing more, if anything has been noted: a backup that has to be a copy is not known before it is made.
  func add(_ entry: Entry) throws(MigrationError) {
    guard try FileSystem.isThere(path) else { return }
    let descriptor = try FileSystem.openFile(path, O_WRONLY | O_APPEND, orThrow: .inputOutput)
    defer { close(descriptor) }
    try Self.write(Self.fields(entry), to: descriptor, path)
  }

  /// Forgets it all: nothing is to be taken back any more.
  func discard() { FileSystem.remove(path) }

  private static func write(_ fields: [String], to descriptor: Int32, _ path: String) throws(MigrationError) {
    // No path has a zero in it.
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

  /// What stays the same when a file gets another name, owner or mode.
  private static func identity(_ file: FileStatus) -> String {
    "\(file.fileNumber) \(file.size) \(file.modificationTime)"
  }

  // MARK: - Taking back

  /// Takes back what a run has left that died before its result was in place, and forgets what it has noted.
  ///
  /// No other run can be at work: this one has the staging file.
  ///
  /// - Parameters:
  ///   - target: The resolved path of the library.
  ///   - name: The library as the user named it, for messages.
  /// - Throws: `MigrationError` when something cannot be taken back; then the next run tries again.
  func recover(_ target: String, named name: String) throws(MigrationError) {
    do throws(MigrationError) {
      guard try FileSystem.isThere(path) else { return }
    } catch {
      // Nobody knows yet whether an earlier run has left anything.
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
    // What follows the last zero has not been written to its end, so nothing has come of it.
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
      // Otherwise the file has never lost its name, or somebody has put another one there since.
      guard isOurs || found == nil else { return try FileSystem.removeLeftover(earlierPath) }
      try FileSystem.move(earlierPath, replacing: path)
      try FileSystem.synchronizeFolder(of: path)
    } else if isOurs {
      try FileSystem.remove(path, orThrow: .cannotReplace)
    }
  }

  /// Does the same for a library of which nothing else is wanted, if no other run is at work.
  ///
  /// - Parameter target: The resolved path of the library.
  package static func recover(libraryAt target: String) {
    guard FileSystem.exists(StagingFile.path(for: target) + ".undo"),
      let staging = try? StagingFile(for: target, named: target)
    else { return }
    // What cannot be taken back now is for a run that changes the library.
    try? UndoLog(staging).recover(target, named: target)
    staging.discard()
  }
}

extension UndoLog.Entry {
  /// The second name that a library gets, unless it has that already.
  static func backup(of library: FileStatus, at path: String?) -> [Self] {
    guard let path, FileStatus(unresolved: path)?.isSameFile(as: library) != true else { return [] }
    return [.backup(path)]
  }

  /// The files that appear together with a library.
  static func companions(_ companions: [StoreReplacement.Companion]) throws(MigrationError) -> [Self] {
    var entries: [Self] = []
    for companion in companions {
      guard let staged = FileStatus(unresolved: companion.stagedPath) else {
        throw FileSystem.failure(.inputOutput, companion.stagedPath)
      }
      let isReplacing = companion.mayReplace ? try FileSystem.isThere(companion.path) : false
      entries.append(.file(staged, path: companion.path, earlierPath: isReplacing ? companion.earlierPath : nil))
    }
    return entries
  }

  /// The names that the large values of a store get beside another.
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

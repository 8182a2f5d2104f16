internal import Diagnostics
internal import SystemC

/// Where a library is or was, and what lies beside it.
struct RestorationPlace {
  /// The library, as the user named it.
  let path: String
  /// The resolved path of the library, whether it is there or not.
  let target: String

  init(_ path: String) throws(MigrationError) {
    self.path = path
    if let resolved = FileSystem.resolved(path) {
      target = resolved
      return
    }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileSystem.failure(.unreadable, path) }
    let (folder, name) = FileSystem.split(path)
    guard let resolvedFolder = FileSystem.resolved(folder), !name.isEmpty, !FileSystem.exists(path) else {
      throw MigrationError(.missing, path: path)
    }
    target = FileSystem.sibling(of: resolvedFolder + "/x", named: name)
  }

  /// A backup that was chosen, by its resolved path, and those that were not.
  struct Choice {
    let path: String
    let others: [String]
  }

  /// The library itself; `nil` when it is missing.
  func library() throws(MigrationError) -> StoreFile? {
    guard try FileSystem.isThere(target) else {
      // The restored library would take it for its own.
      for suffix in ["-wal", "-journal"] {
        guard try FileSystem.isThere(target + suffix) else { continue }
        var error = MigrationError(.outputExists, path: path + suffix)
        error.advice = "It belongs to a library that is gone. Move it away, then run the command again."
        throw error
      }
      return nil
    }
    do throws(MigrationError) {
      return try StoreFile(path)
    } catch let error where error.code == .notADatabase {
      var error = error
      error.advice = "Move it away, with its '-wal', then run the command again: the backup can take a free name."
      throw error
    }
  }

  /// The backup that the user has named.
  func choice(named backup: String) throws(MigrationError) -> Choice {
    let file = try StoreFile(backup)
    guard FileStatus(target)?.isSameFile(as: file.status) != true else {
      throw MigrationError(.cannotReplace, path: path, detail: "'\(backup)' is the library itself")
    }
    guard FileSystem.areSame(FileSystem.split(file.resolvedPath).folder, FileSystem.split(target).folder) else {
      var error = MigrationError(.cannotReplace, path: path, detail: "'\(backup)' is in another folder")
      error.advice = "Nothing was changed. Copy it beside the library first: it takes the library's name."
      throw error
    }
    return Choice(
      path: file.resolvedPath,
      others: try BackupSearch(besideLibraryAt: target).paths.filter { !FileSystem.areSame($0, file.resolvedPath) })
  }

  /// The latest backup of this library: one that has its name and, as far as both tell it, its UUID.
  func latestChoice(_ waiting: Waiting) throws(MigrationError) -> Choice {
    let search = try BackupSearch(besideLibraryAt: target)
    var found: [(path: String, uuid: String?)] = []
    for path in search.paths {
      let uuid = try Self.uuid(unless: Self.wrongBackup) { () throws(MigrationError) in try waiting.open(path) }
      found.append((path, uuid))
    }
    let uuid = try Self.uuid(unless: Self.wrongStore.union([.missing])) { () throws(MigrationError) in
      try waiting.open(target)
    }
    if let uuid {
      found.removeAll { $0.uuid != nil && $0.uuid != uuid }
    } else if Set(found.compactMap(\.uuid)).count > 1 {
      var error = MigrationError(
        .cannotReplace, path: path, detail: "its backups have different UUIDs, and it does not say which is its own")
      error.advice = "Nothing was changed. Name the one that is meant with --backup."
      throw error
    }
    guard let latest = found.first else { throw noBackup(search) }
    return Choice(path: latest.path, others: found.dropFirst().map(\.path))
  }

  private func noBackup(_ search: BackupSearch) -> MigrationError {
    var error = MigrationError(.noBackup, path: path)
    if let name = search.othersNames.last {
      error.advice = "By its name, '\(name)' belongs to another file. If it is the right one, name it with --backup."
    }
    return error
  }

  /// Makes sure that a backup that nobody has named is one of this library, now that both are locked.
  func requireSameStore(
    _ backup: StoreMetadata, as library: StoreFile?, _ waiting: Waiting
  ) throws(MigrationError) {
    guard let library else { return }
    let uuid = try Self.uuid(unless: Self.wrongStore) { () throws(MigrationError) in try waiting.open(library) }
    guard let uuid, uuid != backup.uuid else { return }
    throw noBackup(try BackupSearch(besideLibraryAt: target))
  }

  /// The UUID of a store; `nil` where it does not tell one.
  ///
  /// - Parameter codes: The errors for which that is so.
  private static func uuid(
    unless codes: Set<MigrationError.Code>, _ open: () throws(MigrationError) -> StoreReader
  ) throws(MigrationError) -> String? {
    do throws(MigrationError) {
      let reader = try open()
      let uuid = reader.metadata.uuid
      try reader.close()
      return uuid.isEmpty ? nil : uuid
    } catch let error where codes.contains(error.code) {
      return nil
    }
  }

  /// What is wrong with a library that does not tell its UUID.
  ///
  /// A disk that cannot be read, or a program that is in the way, is another matter.
  private static let wrongStore: Set<MigrationError.Code> = [
    .damaged, .notADatabase, .notACoreDataStore, .unfinishedTransaction, .unreadableWriteAheadLog,
  ]
  /// A backup that is chosen is looked at again under its lock; the others do not matter.
  private static let wrongBackup = wrongStore.union([
    .missing, .unreadable, .inputOutput, .noLocks, .locked, .openElsewhere, .changedMeanwhile,
  ])

  /// A path beside the library in the form in which the user named the library, where no link is between.
  func shown(_ file: String) -> String { FileSystem.shown(file, beside: target, named: path) }
}

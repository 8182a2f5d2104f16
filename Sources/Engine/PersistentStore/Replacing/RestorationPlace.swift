internal import MigrationDiagnostics
internal import SystemC

/// The place of a library, which may be gone, and its backups.
struct RestorationPlace {
  /// The library, as the user named it.
  let path: String
  /// The resolved path of the library, whether it exists or not.
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

  /// The resolved path of the chosen backup, and those of the others.
  struct Choice {
    let path: String
    let others: [String]
  }

  /// The library itself; `nil` if it is missing.
  func library() throws(MigrationError) -> StoreFile? {
    guard try FileSystem.isThere(target) else {
      // SQLite would use it for the restored library.
      for suffix in ["-wal", "-journal"] {
        guard try FileSystem.isThere(target + suffix) else { continue }
        var error = MigrationError(.outputExists, path: path + suffix)
        error.advice = "It belongs to a library that is gone. Move it away and run this again."
        throw error
      }
      return nil
    }
    do throws(MigrationError) {
      return try StoreFile(path)
    } catch let error where error.code == .notADatabase {
      var error = error
      error.advice = "Move it and its '-wal' away and run this again; the backup can then take the free name."
      throw error
    }
  }

  /// Checks that SQLite reads all of the library's log and journal, which are folded into the library before it is moved.
  ///
  /// A library that is not a store is replaced too, so that nothing else need have opened it.
  func requireWholeLog(of library: StoreFile?) throws(MigrationError) {
    guard let library else { return }
    func explain(_ error: MigrationError, _ suffix: String) -> MigrationError {
      var error = error
      error.advice =
        "Nothing was changed. Move the library and its '\(suffix)' away together and run this again; the backup can then "
        + "take the free name."
      return error
    }
    do throws(MigrationError) {
      try WriteAheadLog.requireWhole(library)
      try JournalPages.requireWhole(library)
    } catch let error where error.code == .unreadableWriteAheadLog {
      throw explain(error, "-wal")
    } catch let error where error.code == .unfinishedTransaction {
      throw explain(error, "-journal")
    }
  }

  /// The choice of a backup that the user has named.
  func choice(named backup: String) throws(MigrationError) -> Choice {
    // Before it is opened: whatever it holds, it is not a backup.
    if let status = FileStatus(backup), FileStatus(target)?.isSameFile(as: status) == true {
      var error = MigrationError(.cannotReplace, path: path, detail: "'\(backup)' is the library itself")
      error.advice = "Nothing was changed. Name another backup with \(.backup)."
      throw error
    }
    let file = try StoreFile(backup)
    guard FileSystem.areSame(FileSystem.split(file.resolvedPath).folder, FileSystem.split(target).folder) else {
      var error = MigrationError(.cannotReplace, path: path, detail: "'\(backup)' is in another folder")
      error.advice = "Nothing was changed. Copy it beside the library first: it takes the library's name."
      throw error
    }
    return Choice(
      path: file.resolvedPath,
      others: try BackupSearch(besideLibraryAt: target).paths.filter { !FileSystem.areSame($0, file.resolvedPath) })
  }

  /// The choice of the latest backup with this library's name and, if both are known, its UUID.
  ///
  /// - Parameter isOfMigration: Whether it must be the source of a migration: one of another version, since a repair and
  ///   an import keep the library as it was, too.
  func latestChoice(_ waiting: LockRetry, isOfMigration: Bool = false) throws(MigrationError) -> Choice {
    let search = try BackupSearch(besideLibraryAt: target)
    var found: [(path: String, metadata: StoreMetadata?)] = []
    for path in search.paths {
      let metadata = try Self.metadata(unless: Self.wrongBackup) { () throws(MigrationError) in try waiting.open(path) }
      found.append((path, metadata))
    }
    let library = try Self.metadata(unless: Self.wrongStore.union([.missing])) { () throws(MigrationError) in
      try waiting.open(target)
    }
    if isOfMigration {
      found.removeAll { backup in
        backupName(of: backup.path)?.version == Backup.unrepaired
          || backup.metadata != nil && backup.metadata?.versionHashes == library?.versionHashes
      }
    }
    if let uuid = library?.knownUUID {
      found.removeAll { $0.metadata?.knownUUID.map { $0 != uuid } ?? false }
    } else if Set(found.compactMap(\.metadata?.knownUUID)).count > 1 {
      var error = MigrationError(
        .cannotReplace, path: path, detail: "its backups have different UUIDs, and it does not say which is its own")
      error.advice = "Nothing was changed. Name one with \(.backup)."
      throw error
    }
    guard let latest = found.first else { throw noBackup(search) }
    return Choice(path: latest.path, others: found.dropFirst().map(\.path))
  }

  private func noBackup(_ search: BackupSearch) -> MigrationError {
    var error = MigrationError(.noBackup, path: path)
    if let name = search.linkNames.last {
      error.advice = "'\(name)' is a symbolic link. Name the file that it leads to with \(.backup)."
    } else if let name = search.othersNames.last {
      error.advice = "By its name, '\(name)' belongs to another file. If it is the right one, name it with \(.backup)."
    }
    return error
  }

  /// Checks that a backup that the user has not named belongs to this library, now that both are locked.
  func requireSameStore(_ backup: StoreMetadata, as library: StoreMetadata) throws(MigrationError) {
    guard !library.uuid.isEmpty, library.uuid != backup.uuid else { return }
    throw noBackup(try BackupSearch(besideLibraryAt: target))
  }

  /// The name of a backup of the library; `nil` if the file has another name.
  func backupName(of path: String) -> BackupName? {
    FileSystem.suffix(of: path, after: target + ".").flatMap { BackupName($0) }
  }

  /// Reads the library; `nil` if it is not a store.
  static func ifStore<Value>(_ read: () throws(MigrationError) -> Value) throws(MigrationError) -> Value? {
    do throws(MigrationError) {
      return try read()
    } catch let error where wrongStore.contains(error.code) {
      return nil
    }
  }

  /// The metadata of a store; `nil` if they cannot be read.
  ///
  /// - Parameter codes: The errors that count as no metadata.
  private static func metadata(
    unless codes: Set<MigrationError.Code>, _ open: () throws(MigrationError) -> StoreReader
  ) throws(MigrationError) -> StoreMetadata? {
    do throws(MigrationError) {
      let reader = try open()
      let metadata = reader.metadata
      try reader.close()
      return metadata
    } catch let error where codes.contains(error.code) {
      return nil
    }
  }

  /// The errors of a library without metadata.
  ///
  /// A disk that cannot be read, or a program in the way, is not among them.
  private static let wrongStore: Set<MigrationError.Code> = [
    .damaged, .notADatabase, .notACoreDataStore, .unfinishedTransaction, .unreadableWriteAheadLog,
  ]
  /// A chosen backup is checked again under its lock; the others do not matter.
  private static let wrongBackup = wrongStore.union([
    .missing, .unreadable, .inputOutput, .noLocks, .locked, .openElsewhere, .changedMeanwhile,
  ])

  /// A path next to the library, spelled like the user's path of the library unless there is a link in between.
  func displayPath(_ file: String) -> String { FileSystem.displayPath(file, beside: target, named: path) }
}

extension StoreMetadata {
  /// The UUID; `nil` if there is none.
  fileprivate var knownUUID: String? { uuid.isEmpty ? nil : uuid }
}

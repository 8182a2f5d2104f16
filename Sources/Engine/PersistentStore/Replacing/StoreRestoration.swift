public import MigrationDiagnostics
internal import SystemC

/// Undoes a migration: the backup gets the library's name again, and the migrated library another name.
///
/// It is as careful as a migration. Both files are locked, so that no other program has them open, and have no separate
/// log; the backup is checked; and at all times, the library's path leads to one of the two.
public struct StoreRestoration {
  /// The library, as the user named it; it may be missing.
  public var path: String
  /// The backup, which must be next to the library; nil takes the latest backup of this library.
  public var backupPath: String?
  /// Whether the current library is kept, as `<library>.replaced`.
  public var keepsReplaced = true
  /// The time to wait for other programs.
  public var waiting = WaitPolicy()
  /// Recognizes the version of a store, which has a place among the versions; `nil` if that is not known.
  package var version: (StoreReader) -> (name: String, place: Int)? = { _ in nil }
  /// Called with the result while a run that is killed is still known to have done its work.
  package var onResult: (Result) -> Void = { _ in }

  /// Prepares the restoration of a library.
  public init(path: String) {
    self.path = path
  }

  /// The result of a restoration, or its plan.
  public struct Result: Sendable {
    /// The backup that takes the library's name.
    public let backupPath: String
    /// The other backups, latest first.
    public let otherBackupPaths: [String]
    /// The new path of the replaced library; `nil` if there was none, or it is not kept.
    public let replacedPath: String?
    /// The number of other hard links to the replaced library.
    public let otherNamesCount: Int
    /// The metadata of the backup.
    package let metadata: StoreMetadata
    /// The size of the backup in bytes.
    public let size: Int64
    /// The problem that SQLite finds in the backup, which is restored nevertheless; `nil` if there is none.
    public let damage: String?
    /// The number of values of the backup in external data files that are missing.
    public let missingFilesCount: Int
    /// Warnings about steps after the restoration that failed.
    public let warnings: [MigrationError]
    /// Whether an earlier run had restored the library, which was killed before its end.
    package var isRepeated = false
  }

  /// Finds and checks the backup, and changes nothing.
  ///
  /// - Throws: `MigrationError`, with `noBackup` if there is none.
  public func plan() throws(MigrationError) -> Result {
    let place = try RestorationPlace(path)
    let waiting = LockRetry(self.waiting)
    if let result = try finishedBefore(in: place, waiting) { return result }
    let choice = try choose(in: place, waiting)
    let (backup, checked) = try Self.advising { () throws(MigrationError) in
      let backup = try StoreFile(choice.path)
      return (backup, try check(backup, in: place, waiting))
    }
    let library = try place.library()
    try place.requireWholeLog(of: library)
    try requireOlder(choice, checked, than: library, in: place, waiting)
    let replacedPath = try replacedPath(library)
    return result(
      choice, backup, checked, in: place, replacedPath: replacedPath,
      otherNamesCount: library?.hardLinkCount(besides: replacedPath))
  }

  /// Finds the latest backup that a migration of the library has left, whose contents are not checked.
  ///
  /// - Throws: `MigrationError`, with `noBackup` if there is none.
  package func latestMigratedPath() throws(MigrationError) -> String {
    let place = try RestorationPlace(path)
    return place.displayPath(try place.latestChoice(LockRetry(waiting), isOfMigration: true).path)
  }

  /// Checks without writing that the library could be replaced: what a dry run has to say at its end.
  package func requireWritable() throws(MigrationError) {
    let place = try RestorationPlace(path)
    guard try place.library() == nil else { return try ReplacementSession.requireWritable(path: path) }
    guard access(FileSystem.split(place.target).folder, W_OK | X_OK) != 0 else { return }
    throw FileSystem.failure(.cannotReplace, path)
  }

  /// Replaces the library with the backup.
  ///
  /// - Throws: `MigrationError`. Then the library and the backup are where they were.
  public func run() throws(MigrationError) -> Result {
    let place = try RestorationPlace(path)
    let waiting = LockRetry(self.waiting)
    let staging: StagingFile
    do throws(MigrationError) {
      staging = try waiting.stagingFile(for: place.target, named: path)
    } catch let error where error.code == .cannotCreate {
      var error = error.about(path, as: .cannotReplace)
      error.advice = error.advice ?? "Nothing was changed. Check the permissions of its folder."
      throw error
    }
    // Left by an interrupted run, and by this one.
    ExternalDataFolder(stagedBy: staging).discard()
    let undoLog = UndoLog(staging)
    var isDone = false
    defer {
      ExternalDataFolder(stagedBy: staging).discard()
      if isDone { undoLog.discard(after: staging) } else { staging.discard() }
    }
    let finished = try finishedBefore(in: place, waiting)
    try undoLog.recover(place.target, named: path, keepsList: finished != nil)
    if let finished {
      isDone = true
      onResult(finished)
      return finished
    }
    let choice = try choose(in: place, waiting)
    let (backup, backupGuard, checked) = try Self.advising { () throws(MigrationError) in
      let backup = try StoreFile(choice.path)
      // Locked before the check, so that exactly what was checked is restored.
      let backupGuard = try waiting.writeLock(backup)
      return (backup, backupGuard, try check(backup, in: place, waiting))
    }
    let library = try place.library()
    let libraryGuard = try library.map { library throws(MigrationError) in try waiting.writeLock(library) }
    // Before anything is folded in: SQLite would delete what follows the damage.
    try place.requireWholeLog(of: library)
    try requireOlder(choice, checked, than: library, in: place, waiting)
    waiting.renew()
    do throws(MigrationError) {
      try waiting.takeOver(backup, backupGuard)
      if let library, let libraryGuard { try waiting.takeOver(library, libraryGuard) }
      let replacedPath = try replacedPath(library)
      let otherNamesCount = library?.hardLinkCount(besides: replacedPath)
      let moves = RestoredCompanions(
        backup: backup.resolvedPath, library: place.target, replaced: replacedPath, hasLibrary: library != nil
      ).moves
      let warnings = try BackupSwap(
        place: place, backup: backup, backupGuard: backupGuard, library: library, libraryGuard: libraryGuard,
        replacedPath: replacedPath, staging: staging, moves: moves
      ).run()
      isDone = true
      let result = result(
        choice, backup, checked, in: place, replacedPath: replacedPath, otherNamesCount: otherNamesCount,
        warnings: warnings + RestoredCompanions.perform(moves))
      onResult(result)
      return result
    } catch {
      guard backupGuard.hasFoldedLog || libraryGuard?.hasFoldedLog == true else { throw error }
      throw error.afterFolding
    }
  }

  /// The library that an earlier restoration has replaced, if nothing was written to this one since.
  ///
  /// A run that was killed once its work was done is repeated like any other. Then there may be no backup any more,
  /// because it has the library's name.
  ///
  /// - Returns: Its path; `nil` if there is none, or if the library was made or written later.
  package func replacedBefore(isDryRun: Bool) throws(MigrationError) -> String? {
    let place = try RestorationPlace(path)
    guard let library = try place.library() else { return nil }
    let waiting = LockRetry(self.waiting)
    let folder = FileSystem.split(place.target).folder
    if let backupPath {
      // A name that no migration gives a backup of this library is a mistake.
      let sibling = FileSystem.sibling(of: place.target, named: FileSystem.split(backupPath).name)
      guard place.backupName(of: sibling) != nil, try !FileSystem.isThere(sibling) else { return nil }
    }
    var latest: (path: String, time: Int64)?
    for name in FileSystem.names(in: folder) ?? [] {
      let path = FileSystem.sibling(of: place.target, named: name)
      guard let companion = StoreCompanion(ofFileAt: path), companion.role == .replacedLibrary,
        companion.library == place.target, let status = FileStatus(unresolved: path), status.kind == .regular,
        // When it lost the library's name.
        status.changeTime > max(library.status.modificationTime, latest?.time ?? 0)
      else { continue }
      latest = (path, status.changeTime)
    }
    guard let latest, try !FileSystem.isThere(place.target + "-wal") else { return nil }
    let stores = try RestorationPlace.ifStore { () throws(MigrationError) in
      let (store, replaced) = (try waiting.open(library), try waiting.open(latest.path))
      defer {
        try? store.close()
        try? replaced.close()
      }
      return (store.metadata.uuid, replaced.metadata.uuid)
    }
    guard let stores, stores.0 == stores.1, !stores.0.isEmpty else { return nil }
    if !isDryRun { finishStatistics(in: place, latest.path) }
    return place.displayPath(latest.path)
  }

  /// Moves the statistics that a killed run has left beside the name of a backup that is the library now.
  private func finishStatistics(in place: RestorationPlace, _ replaced: String) {
    let suffix = StoreCompanion.statisticsSuffix
    let left = (FileSystem.names(in: FileSystem.split(place.target).folder) ?? []).compactMap { name -> String? in
      let path = FileSystem.sibling(of: place.target, named: name)
      guard path.hasSuffix(suffix) else { return nil }
      let backup = String(path.dropLast(suffix.count))
      return place.backupName(of: backup) != nil && !FileSystem.exists(backup) ? backup : nil
    }
    guard left.count == 1, !FileSystem.exists(replaced + suffix) else { return }
    try? UndoLog.perform(RestoredCompanions(backup: left[0], library: place.target, replaced: replaced).moves)
  }

  /// The result of an earlier run that was killed once the library was restored, if this one is to do the same.
  ///
  /// A run that names no backup wants what that one did: otherwise it would take the next older backup.
  private func finishedBefore(
    in place: RestorationPlace, _ waiting: LockRetry
  ) throws(MigrationError) -> Result? {
    // What is wrong with a list that cannot be read is said when it is acted on.
    guard let finished = try? UndoLog.finishedRestoration(of: place.target) else { return nil }
    if let backupPath {
      let named = FileSystem.sibling(of: place.target, named: FileSystem.split(backupPath).name)
      guard FileSystem.areSame(named, finished.backupPath), try !FileSystem.isThere(named) else { return nil }
    }
    let library = try StoreFile(path)
    let store = try waiting.open(library)
    defer { try? store.close() }
    let others = try BackupSearch(besideLibraryAt: place.target).paths
    return Result(
      backupPath: place.displayPath(finished.backupPath), otherBackupPaths: others.map(place.displayPath),
      replacedPath: finished.replacedPath.map(place.displayPath), otherNamesCount: 0, metadata: store.metadata,
      size: library.size, damage: nil, missingFilesCount: 0, warnings: [], isRepeated: true)
  }

  private func replacedPath(_ library: StoreFile?) throws(MigrationError) -> String? {
    guard keepsReplaced, let library else { return nil }
    return try Backup.freePath(for: library, suffix: "replaced")
  }

  private func result(
    _ choice: RestorationPlace.Choice, _ backup: StoreFile, _ checked: Checked, in place: RestorationPlace,
    replacedPath: String?, otherNamesCount: Int?, warnings: [MigrationError] = []
  ) -> Result {
    Result(
      backupPath: place.displayPath(choice.path), otherBackupPaths: choice.others.map(place.displayPath),
      replacedPath: replacedPath.map(place.displayPath), otherNamesCount: otherNamesCount ?? 0,
      metadata: checked.metadata, size: backup.size, damage: checked.damage,
      missingFilesCount: checked.missingFilesCount, warnings: warnings)
  }

  private func choose(
    in place: RestorationPlace, _ waiting: LockRetry
  ) throws(MigrationError) -> RestorationPlace.Choice {
    if let backupPath {
      return try Self.advising { () throws(MigrationError) in try place.choice(named: backupPath) }
    }
    return try place.latestChoice(waiting)
  }

  /// The result of checking a backup.
  private struct Checked {
    let metadata: StoreMetadata
    let version: (name: String, place: Int)?
    let damage: String?
    let missingFilesCount: Int
  }

  /// Makes sure that a backup belongs to the library and holds what its name says: the version before the library's.
  ///
  /// A backup that was migrated itself, as a library of its own, would bring back what is to be undone.
  private func requireOlder(
    _ choice: RestorationPlace.Choice, _ backup: Checked, than library: StoreFile?, in place: RestorationPlace,
    _ waiting: LockRetry
  ) throws(MigrationError) {
    guard let library else { return }
    let current = try RestorationPlace.ifStore { () throws(MigrationError) in
      let store = try waiting.open(library)
      defer { try? store.close() }
      return (metadata: store.metadata, version: version(store))
    }
    guard let current else { return }
    let isSame = backup.metadata.versionHashes == current.metadata.versionHashes
    if backupPath == nil { try place.requireSameStore(backup.metadata, as: current.metadata) }
    // A file with any other name was chosen by a person, such as the library that an earlier restoration replaced.
    guard let name = place.backupName(of: choice.path) else { return }
    let isPromised = backup.version?.name == name.version || name.version == Backup.unrepaired
    let isNewer = backup.version.flatMap { old in current.version.map { old.place > $0.place } } ?? false
    guard isNewer && (backupPath == nil || !isPromised) || isSame && !isPromised else { return }
    let found =
      backup.version.map { "version \($0.name), not \(isPromised ? "an older one" : name.version)" }
      ?? "the same version as the library"
    var error = MigrationError(
      .cannotReplace, path: path,
      detail: "its backup '\(place.displayPath(choice.path))' holds \(found)"
        + (isPromised ? "" : ", so it was migrated itself"))
    let older = choice.path + ".\(name.version)-backup"
    error.advice =
      FileSystem.exists(older)
      ? "Nothing was changed. The old library may be '\(place.displayPath(older))': name it with \(.backup)."
      : "Nothing was changed. Name another backup with \(.backup)."
    throw error
  }

  /// Checks that a backup is a Core Data store whose rows can all be reached.
  ///
  /// If the current library is kept, other damage is accepted: a migration does not look for it either, and it must
  /// always be possible to undo a migration.
  private func check(
    _ backup: StoreFile, in place: RestorationPlace, _ waiting: LockRetry
  ) throws(MigrationError) -> Checked {
    let store = try waiting.open(backup)
    guard !store.metadata.versionHashes.isEmpty else {
      throw MigrationError(.notACoreDataStore, path: backup.path, detail: "it names no entities")
    }
    let problem = try store.integrityProblem(isCancelled: self.waiting.isCancelled)
    if let problem {
      let isReadable = try store.hasReadableTables(isCancelled: self.waiting.isCancelled)
      guard isReadable, keepsReplaced else {
        var error = MigrationError(.damaged, path: backup.path, detail: problem)
        if isReadable { error.advice = "Nothing was changed. Run this again without \(.noBackup)." }
        throw error
      }
    }
    let (missing, version) = (try missingFiles(of: store, in: place), version(store))
    if let file = missing.first, !keepsReplaced {
      var error = MigrationError(
        .missingExternalFile,
        MigrationError.Subject(
          path: backup.path, entity: file.entityName, property: file.attributeName, row: file.primaryKey),
        detail: "its data is in the file '\(file.fileName)', which is missing, and the current library may have it")
      error.advice =
        "Nothing was changed. Put the hidden folder '.…_SUPPORT' back, or run this again without \(.noBackup)."
      throw error
    }
    try store.close()
    return Checked(metadata: store.metadata, version: version, damage: problem, missingFilesCount: missing.count)
  }

  /// The values of the backup whose files are not beside the library, as far as the backup's own model tells.
  private func missingFiles(
    of store: StoreReader, in place: RestorationPlace
  ) throws(MigrationError) -> [StoreReader.ExternalFile] {
    guard let model = try? store.cachedModel(), model.isCompatible(withVersionHashes: store.metadata.versionHashes)
    else { return [] }
    let folder = ExternalDataFolder(ofStoreAt: place.target)
    // The backup has its own folder, if the migration could make one.
    var missing: [StoreReader.ExternalFile] = []
    for file in try store.missingExternalFiles(in: StoreSchema(model, introspecting: store))
    where try !folder.contains(file.fileName) { missing.append(file) }
    return missing
  }

  /// Does work on the backup, and advises to use another one if it is bad.
  private static func advising<Result>(_ work: () throws(MigrationError) -> Result) throws(MigrationError) -> Result {
    do throws(MigrationError) {
      return try work()
    } catch {
      var error = error
      if [.damaged, .notACoreDataStore, .notADatabase].contains(error.code) {
        error.advice = error.advice ?? "Nothing was changed. Name another backup with \(.backup)."
      }
      throw error
    }
  }
}

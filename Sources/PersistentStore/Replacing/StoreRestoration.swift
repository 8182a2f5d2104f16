public import Diagnostics

/// Takes a migration back: the backup gets the library's name again, and the migrated library one of its own.
///
/// It is done as carefully as the migration was. Both files are locked, so that nobody else has them open, and whole by
/// themselves; the backup is checked; and at every instant the library's path leads to one of the two.
public struct StoreRestoration {
  /// The library, as the user named it; it may be missing.
  public var path: String
  /// The backup, which must lie beside the library; without one the latest that a migration of this library has left.
  public var backupPath: String?
  /// Whether what the library is now is kept, as `<library>.replaced`.
  public var keepsReplaced = true
  /// How long to wait for other programs.
  public var patience = Patience()

  /// Prepares the restoration of a library.
  public init(path: String) {
    self.path = path
  }

  /// What was done, or would be.
  public struct Result: Sendable {
    /// The backup that takes the library's name.
    public let backupPath: String
    /// The backups that are left alone, the latest first.
    public let otherBackupPaths: [String]
    /// Where the library is kept that was there before; `nil` when there was none, or it is not kept.
    public let replacedPath: String?
    /// How many other names (hard links) that library has, which lead to it still.
    public let otherNamesCount: Int
    /// What the backup says about itself.
    public let metadata: StoreMetadata
    /// The size of the backup in bytes.
    public let size: Int64
    /// What SQLite finds wrong with the backup, which is brought back all the same; `nil` when it is sound.
    public let damage: String?
    /// What could not be made sure of once the backup had the library's name.
    public let warnings: [MigrationError]
  }

  /// Finds and checks the backup, and changes nothing.
  ///
  /// - Throws: `MigrationError`, with `noBackup` when there is none.
  public func plan() throws(MigrationError) -> Result {
    let place = try RestorationPlace(path)
    let waiting = Waiting(patience)
    let choice = try choose(in: place, waiting)
    let backup = try StoreFile(choice.path)
    let checked = try check(backup, waiting)
    let library = try place.library()
    if backupPath == nil { try place.requireSameStore(checked.metadata, as: library, waiting) }
    let replacedPath = try replacedPath(library)
    return result(
      choice, backup, checked, in: place, replacedPath: replacedPath,
      otherNamesCount: library?.otherNamesCount(besides: replacedPath))
  }

  /// Puts the backup in the library's place.
  ///
  /// - Throws: `MigrationError`. Then the path leads to what it led to, and the backup is where it was.
  public func run() throws(MigrationError) -> Result {
    let place = try RestorationPlace(path)
    let waiting = Waiting(patience)
    let staging: StagingFile
    do throws(MigrationError) {
      staging = try waiting.stagingFile(for: place.target, named: path)
    } catch let error where error.code == .cannotCreate {
      var error = error.about(path, as: .cannotReplace)
      error.advice = error.advice ?? "Nothing was changed. Check the permissions of its folder."
      throw error
    }
    // What a run that died has left, and what this one leaves.
    SupportFolder(stagedBy: staging).discard()
    defer {
      SupportFolder(stagedBy: staging).discard()
      staging.discard()
    }
    let choice = try choose(in: place, waiting)
    let backup = try StoreFile(choice.path)
    // Taken before the backup is checked: what is checked is what will be there.
    let backupGuard = try waiting.sourceGuard(backup)
    let checked = try check(backup, waiting)
    let library = try place.library()
    let libraryGuard = try library.map { library throws(MigrationError) in try waiting.sourceGuard(library) }
    if backupPath == nil { try place.requireSameStore(checked.metadata, as: library, waiting) }
    waiting.renew()
    try waiting.takeOver(backup, backupGuard)
    if let library, let libraryGuard { try waiting.takeOver(library, libraryGuard) }
    let replacedPath = try replacedPath(library)
    let otherNamesCount = library?.otherNamesCount(besides: replacedPath)
    let warnings = try StoreExchange(
      place: place, backup: backup, backupGuard: backupGuard, library: library, libraryGuard: libraryGuard,
      replacedPath: replacedPath, staging: staging
    ).run()
    return result(
      choice, backup, checked, in: place, replacedPath: replacedPath, otherNamesCount: otherNamesCount,
      warnings: warnings)
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
      backupPath: place.shown(choice.path), otherBackupPaths: choice.others.map(place.shown),
      replacedPath: replacedPath.map(place.shown), otherNamesCount: otherNamesCount ?? 0,
      metadata: checked.metadata, size: backup.size, damage: checked.damage, warnings: warnings)
  }

  private func choose(
    in place: RestorationPlace, _ waiting: Waiting
  ) throws(MigrationError) -> RestorationPlace.Choice {
    if let backupPath { return try place.choice(named: backupPath) }
    return try place.latestChoice(waiting)
  }

  /// What was found in a backup.
  private typealias Checked = (metadata: StoreMetadata, damage: String?)

  /// Makes sure that a backup is a Core Data store with a way to all of its rows.
  ///
  /// More is not asked for where what the library is now is kept: a migration does not look for other damage either, and
  /// what it has taken from an app must be had back.
  private func check(_ backup: StoreFile, _ waiting: Waiting) throws(MigrationError) -> Checked {
    do throws(MigrationError) {
      let store = try waiting.open(backup)
      guard !store.metadata.versionHashes.isEmpty else {
        throw MigrationError(.notACoreDataStore, path: backup.path, detail: "it names no entities")
      }
      let problem = try store.integrityProblem(isCancelled: patience.isCancelled)
      if let problem {
        let isReadable = try store.hasReadableTables(isCancelled: patience.isCancelled)
        guard isReadable, keepsReplaced else {
          var error = MigrationError(.damaged, path: backup.path, detail: problem)
          if isReadable { error.advice = "Nothing was changed. Run the command again without --no-backup." }
          throw error
        }
      }
      try store.close()
      return (store.metadata, problem)
    } catch {
      var error = error
      if [.damaged, .notACoreDataStore, .notADatabase].contains(error.code) {
        error.advice = error.advice ?? "Nothing was changed. Name another backup with --backup."
      }
      throw error
    }
  }
}

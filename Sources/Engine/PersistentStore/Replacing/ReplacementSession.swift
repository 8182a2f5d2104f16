package import MigrationDiagnostics
internal import SystemC

/// An attempt to replace a store with a new one, or to write the new one to another file.
///
/// The steps are always the same: take the hidden staging file, lock the store against writers, read it, build the new
/// one, and publish it with its companion files. After any failure, `discard` leaves nothing behind.
package struct ReplacementSession {
  /// The store, as the user named it.
  package let path: String
  /// The new file for the result, as the user named it; `nil` replaces the store.
  package let outputPath: String?
  /// The resolved path of the result.
  package let target: String
  /// The file in which the result is built.
  package let staging: StagingFile
  private let waiting: LockRetry
  /// The folder for the staging file of a dry run that cannot be next to the store.
  private let elsewhere: ScratchFolder?
  private let newFileAccess: NewFileAccess

  /// Takes the staging file, and undoes what an interrupted run has left, unless the store must not change.
  ///
  /// - Parameter access: Limits the permissions of new files, besides those of the store.
  /// - Throws: `MigrationError` if the result cannot be created there, or another run is active.
  package init(
    path: String, outputPath: String?, target: String, isDryRun: Bool = false, waiting: LockRetry = LockRetry(),
    access: NewFileAccess = NewFileAccess(from: [])
  ) throws(MigrationError) {
    self.newFileAccess = access
    self.path = path
    self.outputPath = outputPath
    self.target = target
    self.waiting = waiting
    do throws(MigrationError) {
      staging = try waiting.stagingFile(for: target, named: outputPath ?? path)
      elsewhere = nil
    } catch let error
      where error.code == .cannotCreate && isDryRun && SystemC.access(FileSystem.split(target).folder, W_OK | X_OK) != 0
    {
      // It is removed anyway. What a real run would say of the folder is for `requireWritable`.
      let folder = try ScratchFolder()
      staging = try waiting.stagingFile(for: folder.path(FileSystem.split(target).name), named: outputPath ?? path)
      elsewhere = folder
    } catch let error where error.code == .cannotCreate && outputPath == nil {
      throw error.about(path, as: .cannotReplace)
    }
    // Left by an interrupted run.
    ExternalDataFolder(stagedBy: staging).discard()
    guard outputPath == nil, !isDryRun else { return }
    do throws(MigrationError) {
      try UndoLog(staging).recover(target, named: path)
    } catch {
      staging.discard()
      throw error
    }
  }

  /// The resolved path of the result.
  ///
  /// - Throws: `MigrationError` if a new file cannot have that name, because it exists or belongs to the store.
  package static func target(path: String, outputPath: String?) throws(MigrationError) -> String {
    guard let outputPath else { return try StoreFile(path).resolvedPath }
    let (folder, name) = FileSystem.split(outputPath)
    let resolved = try FileSystem.resolvedFolder(of: outputPath, else: .cannotCreate)
    guard !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: outputPath, detail: "there is no folder '\(folder)'")
    }
    let target = FileSystem.sibling(of: resolved + "/x", named: name)
    var files = RunFiles()
    files.add(path, as: .argument("library"), .readsStore)
    files.add(outputPath, as: .argument("output"), .createsStore)
    try files.requireNoClash()
    StagingFile.removeSecondName(ofResultAt: target)
    // SQLite would use the log or journal of an earlier file with this name for the new one.
    for suffix in ["", "-wal", "-shm", "-journal"] {
      guard try FileSystem.isThere(target + suffix) else { continue }
      var error = MigrationError(.outputExists, path: outputPath + suffix)
      switch FileStatus(target + suffix)?.kind {
      case .directory: error.advice = "It is a folder: name a new file, such as one in it."
      case .pipe: error.advice = "It is a pipe, and a library needs a file: choose another name."
      case .other: error.advice = "It is a device, and a library needs a file: choose another name."
      default: break
      }
      throw error
    }
    return target
  }

  /// Checks without writing that a result could be written: what a dry run has to say at its end.
  ///
  /// - Throws: `MigrationError`, as a real run does before any work.
  package static func requireWritable(path: String, outputPath: String? = nil) throws(MigrationError) {
    let target = try target(path: path, outputPath: outputPath)
    guard access(FileSystem.split(target).folder, W_OK | X_OK) == 0 else {
      throw FileSystem.failure(outputPath == nil ? .cannotReplace : .cannotCreate, outputPath ?? path)
    }
    guard outputPath == nil, access(target, W_OK) != 0 else { return }
    let reason = String(cString: strerror(errno))
    throw try StoreFile(path).refusedWriting(reason)
  }

  /// A store that no other program writes to.
  package struct LockedStore {
    /// The store, open for reading.
    package let reader: StoreReader
    /// The file.
    package let file: StoreFile
    fileprivate let writeLock: StoreWriteLock?
    /// A lock held while the store is read.
    fileprivate let sourceLock: StoreWriteLock?
    /// Whether the backup will be a copy instead of a hard link.
    var isCopiedForBackup: Bool { writeLock?.givesLease == false }
  }

  /// Opens the store, and keeps other programs from writing to it if it is to be replaced.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether the result will not be published, so that no lock is needed.
  ///   - locksSource: Whether to keep others from writing even if the store is not replaced, because the result would lack
  ///     their changes. Others may have it open, and a read-only store needs no lock.
  ///   - reader: The store, if it is already open; it must not be open if it has to be locked.
  package func open(
    isDryRun: Bool = false, locksSource: Bool = false, _ reader: StoreReader? = nil
  ) throws(MigrationError) -> LockedStore {
    if let reader { return LockedStore(reader: reader, file: reader.file, writeLock: nil, sourceLock: nil) }
    let file = try StoreFile(path)
    let isReplaced = outputPath == nil && !isDryRun
    if isReplaced, file.isReadOnlyFormat {
      var error = MigrationError(
        .damaged, path: path, detail: "its header has a format for writing that SQLite does not know (byte 18)")
      error.advice = "Nothing was changed. Read its rows into a new store with: \(.salvage(path))"
      throw error
    }
    let writeLock = isReplaced ? try waiting.writeLock(file) : nil
    let sourceLock = locksSource && !isReplaced ? try waiting.lockAgainstWriters(file) : nil
    return LockedStore(reader: try waiting.open(file), file: file, writeLock: writeLock, sourceLock: sourceLock)
  }

  /// Publishes the result with its companions.
  ///
  /// The store must be closed by now.
  ///
  /// - Parameter backupPath: A free name for the old store, or `nil` to keep none.
  /// - Returns: Warnings about steps after the publication that failed.
  @discardableResult
  package func publish(
    _ store: LockedStore, companions: [StoreReplacement.Companion], backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    let replacement = StoreReplacement(staging: staging, companions: companions, access: newFileAccess)
    if let writeLock = store.writeLock {
      waiting.renew()
      try waiting.takeOver(store.file, writeLock)
      return try replacement.replace(store.file, heldBy: writeLock, backupPath: backupPath)
    } else {
      return try replacement.publish(as: target, like: store.file)
    }
  }

  /// Removes the store itself, which must be closed by now.
  func remove(_ store: LockedStore) throws(MigrationError) {
    guard let writeLock = store.writeLock else { return }
    waiting.renew()
    try waiting.takeOver(store.file, writeLock)
    defer { writeLock.letGo() }
    // Locks belong to files, not to names: another program may have put a file in the store's place.
    try writeLock.wholeFile().requireAlone()
    try FileSystem.remove(store.file.resolvedPath, orThrow: .cannotReplace)
    try FileSystem.synchronizeFolder(of: store.file.resolvedPath)
  }

  /// Removes everything built so far.
  package func discard() {
    ExternalDataFolder(stagedBy: staging).discard()
    staging.discard()
  }

  /// A name for the rejects that is free, or that the same rejects of an interrupted run already have.
  ///
  /// - Returns: The name, and whether the file already exists.
  package func rejectsPath(contents: String) throws(MigrationError) -> (path: String, isThere: Bool) {
    try StagingFile.rejectsPath(ofStoreAt: target, contents: contents, isOwn: isOwn)
  }

  /// The name that statistics of the result have unless a person chose another.
  package var statisticsPath: String { target + StoreCompanion.statisticsSuffix }

  /// Returns what becomes of the statistics that have that name, which tell how the store was made before.
  ///
  /// - Parameters:
  ///   - backupPath: The backup that they go along with; `nil` for none.
  ///   - stay: Whether they also stay where they are, or are replaced there.
  package func earlierStatistics(
    besideBackup backupPath: String?, stay: Bool
  ) throws(MigrationError) -> [StoreReplacement.Companion] {
    guard FileStatus(unresolved: statisticsPath)?.kind == .regular,
      try ResultOrigin.recorded(inStatisticsAt: statisticsPath) != nil
    else { return [] }
    var companions: [StoreReplacement.Companion] = []
    if let backupPath {
      let path = staging.companion("report")
      try FileSystem.write(try FileSystem.contents(of: statisticsPath), toNewFileAt: path)
      companions.append(
        StoreReplacement.Companion(
          stagedPath: path, path: backupPath + StoreCompanion.statisticsSuffix, mayReplace: false))
    }
    if !stay { companions.append(.removal(of: statisticsPath, keptAs: staging.companion("statistics"))) }
    return companions
  }

  /// Whether a file belongs to this user or to the store's owner: any other user could change it later.
  private func isOwn(_ file: String) -> Bool {
    let owner = FileStatus(unresolved: file)?.userID
    return owner == geteuid() || owner == FileStatus(path)?.userID
  }

  /// Converts an error about a hidden file to one about a file that the user knows: a file that cannot be written is the
  /// result, and a damaged one can only be the store, because the result was written a moment ago.
  package func inUserTerms(_ error: MigrationError) -> MigrationError {
    guard let subject = error.subject.path, FileSystem.suffix(of: subject, after: staging.path) != nil else {
      return error
    }
    var error = error
    error.subject.path = Self.codesAboutStore.contains(error.code) ? path : outputPath ?? path
    return error
  }

  private static let codesAboutStore: Set<MigrationError.Code> = [
    .damaged, .notADatabase, .unreadable, .interrupted, .validationFailed, .policyFailed, .migrationFailed,
    .invalidMappingModel, .missingPolicy, .changedMeanwhile,
  ]

  /// The path of a file next to the result, spelled like the user's path of the result unless there is a link in between.
  package func displayPath(_ file: String) -> String {
    FileSystem.displayPath(file, beside: target, named: outputPath ?? path)
  }
}

extension ReplacementSession {
  /// Publishes the result with its companions and its external data files.
  ///
  /// A store that is replaced keeps its name, and therefore its external data folder. Those files are never modified, so the
  /// old and the new store can share them. A backup or a new output file has another name, and gets a folder of its own
  /// before it appears.
  ///
  /// - Parameter schema: The layout of the result, which matters if that gets a new name.
  /// - Returns: Warnings about steps after the publication that failed.
  package func publish(
    _ store: LockedStore, filesOf schema: StoreSchema?, companions: [StoreReplacement.Companion], backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    let undoLog = UndoLog(staging)
    if store.writeLock != nil {
      try undoLog.begin(
        store.file.status,
        UndoLog.Entry.backup(of: store.file.status, at: backupPath) + UndoLog.Entry.companions(companions)
          + UndoLog.Entry.values(of: store.file.resolvedPath, withStoreAt: backupPath))
    }
    defer { undoLog.discard() }
    let shared = try shareFiles(
      of: ExternalDataFolder(ofStoreAt: store.file.resolvedPath), schema, backupPath: backupPath)
    do throws(MigrationError) {
      return try publish(store, companions: companions, backupPath: backupPath)
    } catch {
      shared?.takeBack()
      guard store.writeLock?.hasFoldedLog == true else { throw error }
      throw error.afterFolding
    }
  }

  /// Publishes companions of a store that stays as it is.
  ///
  /// A run that is killed meanwhile is undone like any other: the store has not been replaced.
  package func publish(
    _ companions: [StoreReplacement.Companion], besideUnchanged store: LockedStore
  ) throws(MigrationError) {
    let undoLog = UndoLog(staging)
    try undoLog.begin(store.file.status, UndoLog.Entry.companions(companions))
    defer { undoLog.discard() }
    try StoreReplacement(staging: staging, companions: companions, access: newFileAccess)
      .publishCompanions(of: store.file)
  }

  private func shareFiles(
    of folder: ExternalDataFolder, _ schema: StoreSchema?, backupPath: String?
  ) throws(MigrationError) -> ExternalDataLinks? {
    do throws(MigrationError) {
      guard try folder.isThere() else { return nil }
      if outputPath != nil {
        let names = if let schema { try externalFiles(schema) } else { try folder.names() }
        return try ExternalDataLinks(names, of: folder, withStoreAt: target, by: staging)
      }
      return try backupPath.map { path throws(MigrationError) in
        try ExternalDataLinks(folder.names(), of: folder, withStoreAt: path, by: staging)
      }
    } catch {
      var error = error
      // An error about a taken name is about that name; all others are about the store.
      if error.code != .outputExists { error.subject.path = outputPath ?? path }
      throw error
    }
  }

  /// The external data files of the new store.
  private func externalFiles(_ schema: StoreSchema) throws(MigrationError) -> [String] {
    let store = try StoreReader(path: staging.path)
    let names = try store.externalFiles(in: schema).map(\.fileName)
    try store.close()
    return names
  }

  // MARK: - Space

  /// Checks before any work that there is enough space for the result and its publication.
  ///
  /// - Parameters:
  ///   - greatestSize: The maximum size of the result and of intermediate files.
  ///   - size: Estimates that size; called only if there is no room for the maximum.
  ///   - keepsBackup: Whether the old store is kept.
  /// - Throws: `MigrationError` with `notEnoughSpace`, which says how much is needed and how much is free, and where.
  package func requireSpace(
    atMost greatestSize: Int64, _ size: () -> Int64, for store: LockedStore, keepsBackup: Bool
  ) throws(MigrationError) {
    let folder = FileSystem.split(target).folder
    guard let free = DiskSpace(ofFolder: folder)?.free else { return }
    // The log is moved into the old store before it is replaced.
    let log = outputPath == nil ? store.file.writeAheadLogSize : 0
    var copies = Sum(try ExternalDataFolder(ofStoreAt: store.file.resolvedPath).size())
    if outputPath == nil { copies.add(store.file.size, log) }
    guard free < Sum(greatestSize, log).adding(copies) else { return }
    var needed = Sum(size(), log)
    // Hard links take no space; whether they are supported is tested only if it matters.
    let isCopying = outputPath != nil || keepsBackup
    if isCopying, free >= needed.value, free < needed.adding(copies), !canShareFiles(of: store) {
      needed.add(copies.value)
    }
    // Without a lease the backup is a copy, and only external data files are hard links.
    if keepsBackup, store.isCopiedForBackup, canShareFiles(of: store) { needed.add(store.file.size, log) }
    guard free < needed.value else { return }
    throw MigrationError(
      .notEnoughSpace, path: outputPath ?? path,
      detail: "it takes about \(DiskSpace.text(needed.value)), and \(DiskSpace.text(free)) are free in '\(folder)'")
  }

  /// Whether hard links to files of the store can be created in the folder of the result.
  private func canShareFiles(of store: LockedStore) -> Bool {
    guard FileStatus(staging.path)?.device == store.file.status.device else { return false }
    let name = staging.companion("backup")
    defer { FileSystem.remove(name) }
    return (try? FileSystem.addLink(to: staging.path, named: name)) == true
  }
}

/// A sum of sizes that cannot overflow.
private struct Sum {
  private(set) var value: Int64 = 0

  init(_ sizes: Int64...) { for size in sizes { add(size) } }

  mutating func add(_ sizes: Int64...) {
    for size in sizes {
      let (sum, overflow) = value.addingReportingOverflow(max(0, size))
      value = overflow ? .max : sum
    }
  }

  func adding(_ other: Sum) -> Int64 {
    var sum = self
    sum.add(other.value)
    return sum.value
  }
}

extension StoreReader {
  /// The size in bytes of the store's rows and indexes, including its log but not the free pages.
  package var usedSize: Int64 {
    let pages = (try? connection.integer("PRAGMA page_count")) ?? nil
    let free = (try? connection.integer("PRAGMA freelist_count")) ?? nil
    guard let pages else { return file.size }
    // A damaged header may contain any number.
    let used = min(max(0, pages - (free ?? 0)), file.sizeWithLog / max(1, layout.pageSize) + 1)
    return used * layout.pageSize
  }
}

/// The space on the file system that a folder is on.
private struct DiskSpace {
  /// The bytes that this process may still write.
  let free: Int64

  /// Asks the file system; `nil` if the space is unknown.
  init?(ofFolder folder: String) {
    var status = statvfs()
    guard statvfs(folder, &status) == 0, status.f_blocks > 0, status.f_frsize > 0 else { return nil }
    // Reserved blocks are for root.
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    free = overflow ? .max : Int64(clamping: bytes)
  }

  /// A number of bytes for people: "512 bytes", "1.5 MiB".
  static func text(_ count: Int64) -> String {
    guard count >= 1024 else { return "\(count) bytes" }
    var (value, unit) = (Double(count) / 1024, "KiB")
    for next in ["MiB", "GiB", "TiB"] where value >= 1024 { (value, unit) = (value / 1024, next) }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}

package import Diagnostics
internal import SystemC

/// One attempt at replacing a store by a new one, or at writing the new one beside it: who may do it, where it is built,
/// and how it appears.
///
/// The steps are always the same: take the hidden staging file, lock the store against writers, read it, build the new
/// one, and let it appear together with what belongs to it. Whatever fails, `discard` leaves nothing behind.
package struct StoreRewrite {
  /// The store, as the user named it.
  package let path: String
  /// The new file for the result, as the user named it; without one the store is replaced.
  package let outputPath: String?
  /// The resolved path of the result.
  package let target: String
  /// Where the result is built.
  package let staging: StagingFile
  private let waiting: Waiting

  /// Takes the staging file.
  ///
  /// - Throws: `MigrationError` when the result cannot be there, or another run is at work.
  package init(
    path: String, outputPath: String?, target: String, waiting: Waiting = Waiting()
  ) throws(MigrationError) {
    self.path = path
    self.outputPath = outputPath
    self.target = target
    self.waiting = waiting
    do throws(MigrationError) {
      staging = try waiting.stagingFile(for: target, named: outputPath ?? path)
    } catch let error where error.code == .cannotCreate && outputPath == nil {
      throw error.about(path, as: .cannotReplace)
    }
    // What a run that died has left.
    SupportFolder(stagedBy: staging).discard()
  }

  /// The resolved path that the result will have.
  ///
  /// - Throws: `MigrationError` when there is something already, or the name belongs to the store.
  package static func target(path: String, outputPath: String?) throws(MigrationError) -> String {
    guard let outputPath else { return try StoreFile(path).resolvedPath }
    let (folder, name) = FileSystem.split(outputPath)
    let resolved = try FileSystem.resolvedFolder(of: outputPath, else: .cannotCreate)
    guard !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: outputPath, detail: "there is no folder '\(folder)'")
    }
    let target = FileSystem.sibling(of: resolved + "/x", named: name)
    let belongs =
      LibraryFiles.isPart(target, of: FileSystem.resolved(path) ?? path) && !FileSystem.areSame(target, path)
    guard !belongs || FileSystem.exists(target), !LibraryFiles.isTemporary(target) else {
      throw MigrationError(.cannotCreate, path: outputPath, detail: "this name belongs to the library")
    }
    StagingFile.removeSecondName(ofResultAt: target)
    // A log or journal of an earlier file of this name would be taken for the new one's.
    for suffix in ["", "-wal", "-shm", "-journal"] {
      guard try !FileSystem.isThere(target + suffix) else {
        throw MigrationError(.outputExists, path: outputPath + suffix)
      }
    }
    return target
  }

  /// A store that nobody else writes to.
  package struct LockedStore {
    /// The store, open for reading.
    package let reader: StoreReader
    /// The file.
    package let file: StoreFile
    fileprivate let sourceGuard: SourceGuard?
    /// Whether the backup will be a file of its own, and not a second name of the store.
    var isCopiedForBackup: Bool { sourceGuard?.givesLease == false }
  }

  /// Opens the store, and keeps other programs from writing to it if it is to be replaced.
  ///
  /// - Parameters:
  ///   - isRehearsal: Whether the result will not appear, so that nobody needs to be kept from anything.
  ///   - reader: The store, if it is open already, which it must not be where it has to be locked before it is read.
  package func open(
    isRehearsal: Bool = false, _ reader: StoreReader? = nil
  ) throws(MigrationError) -> LockedStore {
    if let reader { return LockedStore(reader: reader, file: reader.file, sourceGuard: nil) }
    let file = try StoreFile(path)
    let sourceGuard = outputPath == nil && !isRehearsal ? try waiting.sourceGuard(file) : nil
    return LockedStore(reader: try waiting.open(file), file: file, sourceGuard: sourceGuard)
  }

  /// Lets the result appear, with its companions.
  ///
  /// The store must be closed by now.
  ///
  /// - Parameter backupPath: A free name for the old store, or `nil` to keep none.
  /// - Returns: What could not be made sure of afterwards.
  @discardableResult
  package func publish(
    _ store: LockedStore, companions: [StoreReplacement.Companion], backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    let replacement = StoreReplacement(staging: staging, companions: companions)
    if let sourceGuard = store.sourceGuard {
      waiting.renew()
      try waiting.takeOver(store.file, sourceGuard)
      return try replacement.replace(store.file, heldBy: sourceGuard, backupPath: backupPath)
    } else {
      return try replacement.publish(as: target, like: store.file)
    }
  }

  /// Removes all that was built so far.
  package func discard() {
    SupportFolder(stagedBy: staging).discard()
    staging.discard()
  }

  /// A name for the rejects that nothing has yet, or that the same rejects have already: an earlier run, which was
  /// stopped before it was done, has left them.
  ///
  /// - Returns: The name, and whether the rejects are there.
  package func rejectsPath(contents: String) throws(MigrationError) -> (path: String, isThere: Bool) {
    let base = "\(target).rejects"
    var path = "\(base).ndjson"
    var number = 2
    while try FileSystem.isThere(path) {
      if isOwn(path), FileContents.areEqual(contents, path) { return (path, true) }
      path = "\(base)-\(number).ndjson"
      number += 1
    }
    return (path, false)
  }

  /// Whether a file belongs to this user or to the store's: anybody else could change it later.
  private func isOwn(_ file: String) -> Bool {
    let owner = FileStatus(unresolved: file)?.userID
    return owner == geteuid() || owner == FileStatus(path)?.userID
  }

  /// What an error about the hidden files means for the files that the user knows: what cannot be written is the
  /// result, and what is damaged can only be the store, for the result was written a moment ago.
  package func explained(_ error: MigrationError) -> MigrationError {
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

  /// The path of a file beside the result in the form in which the user named the result, where no link is between.
  package func shown(_ file: String) -> String { FileSystem.shown(file, beside: target, named: outputPath ?? path) }
}

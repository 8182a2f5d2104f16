package import MigrationDiagnostics

/// A path that a whole store is copied to or removed from, with the files of its large values.
///
/// As in a migration, no program can write to a store while it is replaced or removed, and at all times the path leads
/// to the complete old or the complete new store.
package struct StorePlace {
  private let path: String
  private let waiting: LockRetry

  /// The place of a store, which need not be there.
  package init(_ path: String, waiting: LockRetry = LockRetry()) {
    (self.path, self.waiting) = (path, waiting)
  }

  /// Puts a copy of a store here: of what is committed, including its log.
  ///
  /// A store that is here already is replaced.
  ///
  /// - Throws: `MigrationError` with `openElsewhere` if another program, or this one, has the store open that is to be
  ///   replaced. Then it is what it was.
  package func put(copyOf source: String) throws(MigrationError) {
    guard try FileSystem.isThere(path) else {
      let session = try session(of: source, outputPath: path)
      return try ending(session) { () throws(MigrationError) in
        let store = try session.open(locksSource: true)
        try copy(store.reader, in: session)
        try store.reader.close()
        let folder = ExternalDataFolder(ofStoreAt: store.file.resolvedPath)
        let files = try ExternalDataLinks(folder.names(), of: folder, withStoreAt: session.target, by: session.staging)
        try publish(store, files, in: session)
      }
    }
    guard !FileSystem.areSame(path, source) else { return }
    let session = try session(of: path)
    try ending(session) { () throws(MigrationError) in
      let (store, copied) = (try session.open(), try StoreFile(source))
      let lock = try waiting.lockAgainstWriters(copied)
      let reader = try waiting.open(copied)
      try copy(reader, in: session)
      try reader.close()
      try store.reader.close()
      let (own, other) = (externalFolder(of: store), ExternalDataFolder(ofStoreAt: copied.resolvedPath))
      let old = try own.names()
      let undoLog = UndoLog(session.staging)
      try undoLog.begin(
        store.file.status, UndoLog.Entry.values(of: copied.resolvedPath, withStoreAt: store.file.resolvedPath))
      defer { undoLog.discard() }
      let new = try other.names()
      let files = try ExternalDataLinks(new, of: other, withStoreAt: store.file.resolvedPath, by: session.staging)
      try publish(store, files, in: session)
      lock?.letGo()
      // Nothing refers to them any more.
      for name in Set(old).subtracting(new) { FileSystem.remove(own.filePath(name)) }
      own.removeIfEmpty()
    }
  }

  /// Removes the store that is here; if there is none, nothing is done.
  ///
  /// - Throws: `MigrationError` with `notACoreDataStore` for a file of another kind, which is left alone, and with
  ///   `openElsewhere` if another program, or this one, has the store open.
  package func clear() throws(MigrationError) {
    guard try FileSystem.isThere(path) else { return }
    let session = try session(of: path)
    try ending(session) { () throws(MigrationError) in
      let store = try session.open()
      try store.reader.close()
      try session.remove(store)
      externalFolder(of: store).discard()
      session.discard()
    }
  }

  private func session(of store: String, outputPath: String? = nil) throws(MigrationError) -> ReplacementSession {
    let target = try ReplacementSession.target(path: store, outputPath: outputPath)
    return try ReplacementSession(path: store, outputPath: outputPath, target: target, waiting: waiting)
  }

  private func ending(
    _ session: ReplacementSession, _ work: () throws(MigrationError) -> Void
  ) throws(MigrationError) {
    do throws(MigrationError) {
      try work()
    } catch {
      session.discard()
      throw session.inUserTerms(error)
    }
  }

  private func copy(_ reader: StoreReader, in session: ReplacementSession) throws(MigrationError) {
    try reporting(path: reader.file.path) { try reader.connection.copy(toFile: session.staging.path) }
  }

  private func publish(
    _ store: ReplacementSession.LockedStore, _ files: ExternalDataLinks, in session: ReplacementSession
  ) throws(MigrationError) {
    do throws(MigrationError) {
      try session.publish(store, companions: [], backupPath: nil)
    } catch {
      files.takeBack()
      throw error
    }
  }

  private func externalFolder(of store: ReplacementSession.LockedStore) -> ExternalDataFolder {
    ExternalDataFolder(ofStoreAt: store.file.resolvedPath)
  }
}

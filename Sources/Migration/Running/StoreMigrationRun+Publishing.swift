internal import DataModel
internal import Diagnostics
internal import PersistentStore

extension StoreMigrationRun {
  /// Lets the new store appear, with its rejects and with the files of its large values.
  ///
  /// A store that is replaced keeps its name, and with it the folder of those files: nothing in there is ever written to
  /// again, so old and new store can share them. The backup and the new file of an output have other names, and get
  /// folders of their own, which are there before they are.
  func publish(
    _ locked: StoreRewrite.LockedStore, _ model: ManagedObjectModel, rejects: (staged: String, path: String?),
    backupPath: String?
  ) throws(MigrationError) {
    var companions: [StoreReplacement.Companion] = []
    if let path = rejects.path, !FileSystem.exists(path) {
      companions.append(StoreReplacement.Companion(stagedPath: rejects.staged, path: path, mayReplace: false))
    }
    let folder = SupportFolder(ofStoreAt: locked.file.resolvedPath)
    let shared = try shareFiles(of: folder, model, backupPath: backupPath)
    do throws(MigrationError) {
      try rewrite.publish(locked, companions: companions, backupPath: backupPath)
    } catch {
      shared?.takeBack()
      throw error
    }
    FileSystem.remove(rejects.staged)
  }

  private func shareFiles(
    of folder: SupportFolder, _ model: ManagedObjectModel, backupPath: String?
  ) throws(MigrationError) -> SharedFiles? {
    guard folder.exists else { return nil }
    do throws(MigrationError) {
      if migration.outputPath != nil {
        return try SharedFiles(try externalFiles(model), of: folder, withStoreAt: rewrite.target, by: rewrite.staging)
      }
      return try backupPath.map { path throws(MigrationError) in
        try SharedFiles(folder.names, of: folder, withStoreAt: path, by: rewrite.staging)
      }
    } catch {
      var error = error
      // A name that is taken is about that name; everything else is about the store.
      if error.code != .outputExists { error.subject.path = migration.outputPath ?? migration.path }
      throw error
    }
  }

  /// The files that the new store names.
  private func externalFiles(_ model: ManagedObjectModel) throws(MigrationError) -> [String] {
    let store = try StoreReader(path: rewrite.staging.path)
    let names = try store.externalFiles(in: StoreSchema(model)).map(\.fileName)
    try store.close()
    return names
  }
}

/// Files of large values that another store is given second names for, before it appears itself.
private struct SharedFiles {
  private let folder: SupportFolder
  /// What is to be removed if the store does not appear; `nil` where that is the whole folder.
  private var added: [String]?

  init(
    _ names: [String], of source: SupportFolder, withStoreAt path: String, by staging: StagingFile
  ) throws(MigrationError) {
    folder = SupportFolder(ofStoreAt: path)
    guard folder.path != source.path else {
      added = []
      return
    }
    guard folder.exists else {
      let staged = SupportFolder(stagedBy: staging)
      try staged.add(names, from: source)
      added = staged.exists ? nil : []
      guard staged.exists else { return }
      do throws(MigrationError) {
        try staged.publish(as: folder)
      } catch {
        // It may have its new name already.
        if !staged.exists { folder.discard() }
        throw error
      }
      return
    }
    // A run that died here has left the folder, or a store of that name has gone without its hidden folder. The files are
    // named by UUIDs, so what is there already is the same file, or somebody has put it there.
    for name in names where folder.contains(name) {
      guard FileContents.areEqual(folder.filePath(name), source.filePath(name)) else {
        throw MigrationError(.outputExists, path: folder.filePath(name))
      }
    }
    added = names.filter { !folder.contains($0) }
    do throws(MigrationError) {
      try folder.add(added ?? [], from: source)
    } catch {
      takeBack()
      throw error
    }
  }

  func takeBack() {
    guard let added else { return folder.discard() }
    for name in added { FileSystem.remove(folder.filePath(name)) }
  }
}

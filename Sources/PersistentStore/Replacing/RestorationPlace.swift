internal import Diagnostics

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
    guard FileSystem.exists(target) else {
      // The restored library would take it for its own.
      for suffix in ["-wal", "-journal"] where FileSystem.exists(target + suffix) {
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
    guard FileSystem.split(file.resolvedPath).folder == FileSystem.split(target).folder else {
      var error = MigrationError(.cannotReplace, path: path, detail: "'\(backup)' is in another folder")
      error.advice = "Nothing was changed. Copy it beside the library first: it takes the library's name."
      throw error
    }
    return Choice(
      path: file.resolvedPath,
      others: try BackupSearch(besideLibraryAt: target).paths.filter { $0 != file.resolvedPath })
  }

  /// The latest backup of this library.
  ///
  /// A library whose name is longer can have backups whose names begin like those of this one. So only a store of the
  /// same identity counts, as far as the library tells its own.
  func latestChoice(_ waiting: Waiting) throws(MigrationError) -> Choice {
    var found = try BackupSearch(besideLibraryAt: target).paths
    if let uuid = uuid(of: target, waiting) {
      found.removeAll { backup in self.uuid(of: backup, waiting).map { $0 != uuid } ?? false }
    }
    guard let latest = found.first else { throw MigrationError(.noBackup, path: path) }
    return Choice(path: latest, others: Array(found.dropFirst()))
  }

  private func uuid(of store: String, _ waiting: Waiting) -> String? {
    guard let reader = try? waiting.open(store) else { return nil }
    let uuid = reader.metadata.uuid
    try? reader.close()
    return uuid.isEmpty ? nil : uuid
  }

  /// A path beside the library in the form in which the user named the library, where no link is between.
  func shown(_ file: String) -> String { FileSystem.shown(file, beside: target, named: path) }
}

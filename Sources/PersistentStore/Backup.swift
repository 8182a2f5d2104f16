internal import Diagnostics

/// The old library under a second name.
package enum Backup {
  /// A name beside the library that nothing has yet: `Library.sqlite.v1-backup`, then `…-2`, `…-3` and so on.
  ///
  /// A name that already leads to the library itself is what an earlier run made before it was stopped; it is used again.
  package static func freePath(for library: StoreFile, version: String) -> String {
    let base = "\(library.resolvedPath).\(version)-backup"
    for number in 1... {
      let path = number == 1 ? base : "\(base)-\(number)"
      if !FileSystem.exists(path) || FileStatus(path)?.isSameFile(as: library.status) == true { return path }
    }
    return base
  }

  /// Makes the backup: a second name for the same file, or a copy where the file system has no second names.
  static func make(of library: String, named backup: String, by staging: StagingFile) throws(MigrationError) {
    if let old = FileStatus(library), let existing = FileStatus(backup), old.isSameFile(as: existing) { return }
    do throws(MigrationError) {
      guard try FileSystem.addLink(to: library, named: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    } catch let error where error.code == .cannotCreate {
      let copy = staging.companion("backup")
      try FileSystem.copy(library, to: copy)
      guard try FileSystem.moveWithoutReplacing(copy, to: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    }
    try FileSystem.synchronizeFolder(of: backup)
  }
}

package import Diagnostics

/// The old library under a second name.
package enum Backup {
  /// A name beside the library that nothing has yet: `Library.sqlite.v1-backup`, then `…-2`, `…-3` and so on.
  ///
  /// A name that already leads to the library itself is what an earlier run made before it was stopped; it is used again.
  package static func freePath(for library: StoreFile, version: String) throws(MigrationError) -> String {
    try freePath(for: library, suffix: "\(version)-backup")
  }

  /// A name of another kind beside the library, chosen in the same way.
  static func freePath(for library: StoreFile, suffix: String) throws(MigrationError) -> String {
    let base = "\(library.resolvedPath).\(suffix)"
    for number in 1... {
      let path = number == 1 ? base : "\(base)-\(number)"
      // A symbolic link to the library is no second name of it: it would lead to the new one afterwards.
      if FileStatus(unresolved: path)?.isSameFile(as: library.status) == true { return path }
      // A log that lost its file would be taken for that of the next file of this name.
      var isFree = true
      for suffix in ["", "-wal", "-journal"] where isFree { isFree = try !FileSystem.isThere(path + suffix) }
      if isFree { return path }
    }
    return base
  }

  /// Makes the backup: a second name for the same file, or a copy where the file system has no second names.
  ///
  /// - Parameters:
  ///   - file: The library, which is held.
  ///   - library: Its path.
  static func make(
    of file: ExclusiveFile, at library: String, named backup: String, by staging: StagingFile
  ) throws(MigrationError) {
    var isCopy = false
    if let old = FileStatus(library), let existing = FileStatus(unresolved: backup), old.isSameFile(as: existing) {
      return
    }
    do throws(MigrationError) {
      guard !file.needsRetiring else { throw MigrationError(.cannotCreate, path: backup) }
      guard try FileSystem.addLink(to: library, named: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    } catch let error where error.code == .cannotCreate {
      let copy = staging.companion("backup")
      try file.copy(to: copy)
      isCopy = true
      guard try FileSystem.moveWithoutReplacing(copy, to: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    }
    let made = FileStatus(unresolved: backup)
    do throws(MigrationError) {
      try FileSystem.synchronizeFolder(of: backup)
      try check(backup, of: library, isCopy: isCopy)
    } catch {
      // What somebody else has put there meanwhile is theirs.
      if let made, FileStatus(unresolved: backup)?.isSameFile(as: made) == true { FileSystem.remove(backup) }
      throw error
    }
  }

  /// Makes sure, just before the library is replaced, that the backup's name leads to the old library, or to the copy
  /// whose bytes were compared with it.
  private static func check(_ backup: String, of library: String, isCopy: Bool) throws(MigrationError) {
    guard let old = FileStatus(library) else { throw FileSystem.failure(.changedMeanwhile, library) }
    guard let kept = FileStatus(unresolved: backup) else { throw FileSystem.failure(.changedMeanwhile, library) }
    guard kept.kind == .regular, isCopy ? kept.size == old.size : kept.isSameFile(as: old) else {
      throw MigrationError(.changedMeanwhile, path: library)
    }
  }
}

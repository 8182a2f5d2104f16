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
  /// - Returns: The file that has the backup's name now.
  static func make(
    of file: ExclusiveFile, at library: String, named backup: String, by staging: StagingFile
  ) throws(MigrationError) -> FileStatus {
    guard var made = file.currentStatus else { throw FileSystem.failure(.inputOutput, library) }
    if let existing = FileStatus(unresolved: backup), made.isSameFile(as: existing) { return made }
    do throws(MigrationError) {
      guard !file.needsRetiring else { throw MigrationError(.cannotCreate, path: backup) }
      guard try FileSystem.addLink(to: library, named: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    } catch let error where error.code == .cannotCreate {
      let copy = staging.companion("backup")
      try file.copy(to: copy)
      guard let status = FileStatus(unresolved: copy) else { throw FileSystem.failure(.inputOutput, copy) }
      made = status
      guard try FileSystem.moveWithoutReplacing(copy, to: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    }
    do throws(MigrationError) {
      try FileSystem.synchronizeFolder(of: backup)
      // Just before the library is replaced: the name leads to the old library, or to the copy whose bytes were compared
      // with it.
      guard try FileSystem.leads(backup, to: made, followingLinks: false) else {
        throw MigrationError(.changedMeanwhile, path: library)
      }
      return made
    } catch {
      // Names are linked, not files: somebody may have put another file in the library's place just before. Its second
      // name is ours to remove.
      if let found = FileStatus(unresolved: backup), let other = FileStatus(unresolved: library),
        found.isSameFile(as: other)
      {
        made = other
      }
      var placed = PlacedFiles()
      placed.add(made, at: backup)
      throw placed.takeBack(after: error)
    }
  }
}

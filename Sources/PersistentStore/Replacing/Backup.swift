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
      // A symbolic link to the library is no second name of it: it would lead to the new one afterwards.
      if !FileSystem.exists(path) || FileStatus(unresolved: path)?.isSameFile(as: library.status) == true {
        return path
      }
    }
    return base
  }

  /// Makes the backup: a second name for the same file, or a copy where the file system has no second names.
  ///
  /// - Returns: What has to be kept until the library is replaced, so that its lock holds until then.
  static func make(
    of library: String, named backup: String, by staging: StagingFile
  ) throws(MigrationError) -> OpenFile? {
    var source: OpenFile?
    if let old = FileStatus(library), let existing = FileStatus(unresolved: backup), old.isSameFile(as: existing) {
      return nil
    }
    do throws(MigrationError) {
      guard try FileSystem.addLink(to: library, named: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    } catch let error where error.code == .cannotCreate {
      let copy = staging.companion("backup")
      source = try FileSystem.copy(library, to: copy)
      guard try FileSystem.moveWithoutReplacing(copy, to: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    }
    do throws(MigrationError) {
      try FileSystem.synchronizeFolder(of: backup)
      return source
    } catch {
      FileSystem.remove(backup)
      throw error
    }
  }
}

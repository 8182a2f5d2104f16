package import MigrationDiagnostics
internal import SystemC

/// The old library under another name.
package enum Backup {
  /// The word in place of the version in the name of a store as it was before a repair, which keeps the version.
  package static let unrepaired = "unrepaired"

  /// A free name next to the library: `Library.sqlite.v1-backup`, then `…-2`, `…-3` and so on.
  ///
  /// A hard link to the library itself was made by a run that was interrupted, and is used again.
  package static func freePath(for library: StoreFile, version: String) throws(MigrationError) -> String {
    try freePath(for: library, suffix: "\(version)-backup")
  }

  /// A free name with another suffix, chosen in the same way.
  static func freePath(for library: StoreFile, suffix: String) throws(MigrationError) -> String {
    let base = "\(library.resolvedPath).\(suffix)"
    for number in 1... {
      let path = number == 1 ? base : "\(base)-\(number)"
      // A symbolic link to the library does not count: it would lead to the new library afterwards.
      if FileStatus(unresolved: path)?.isSameFile(as: library.status) == true { return path }
      // SQLite would use an orphaned log for the next file with this name.
      var isFree = true
      // Statistics and rejects beside a backup are of that backup.
      for suffix in ["", "-wal", "-journal", StoreCompanion.statisticsSuffix, ".rejects.ndjson"] where isFree {
        isFree = try !FileSystem.isThere(path + suffix)
      }
      if isFree { return path }
    }
    return base
  }

  /// Makes the backup: a hard link, or a copy if the file system does not support hard links.
  ///
  /// - Parameters:
  ///   - file: The library, held exclusively.
  ///   - library: Its path.
  /// - Returns: The file with the backup's name.
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
      try file.copy(to: copy) { status throws(MigrationError) in
        try UndoLog(staging).add(.file(status, path: backup, earlierPath: nil))
      }
      guard let status = FileStatus(unresolved: copy) else { throw FileSystem.failure(.inputOutput, copy) }
      made = status
      guard try FileSystem.moveWithoutReplacing(copy, to: backup) else {
        throw MigrationError(.outputExists, path: backup)
      }
    }
    do throws(MigrationError) {
      try FileSystem.synchronizeFolder(of: backup)
      // Checked just before the library is replaced: the name leads to the old library, or to the copy that was compared
      // with it.
      guard try FileSystem.leads(backup, to: made, followingLinks: false) else {
        throw MigrationError(.changedMeanwhile, path: library)
      }
      return made
    } catch {
      // Links are made by name: if another program has just put a file in the library's place, the link leads to that
      // file, and must be removed.
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

/// Finds the backups of a library by name: `Library.sqlite.v1-backup`, `…-2` and so on.
///
/// There is no dot between the library's name and `-backup`, so no file can be the backup of two libraries.
/// `Library.sqlite.test.v1-backup` is a backup of `Library.sqlite.test`, whether that exists or not.
struct BackupSearch {
  /// The files, the latest backup first.
  let paths: [String]
  /// Files whose names start like backups of the library, but belong to another one.
  let othersNames: [String]
  /// Symbolic links with the names of backups, which are not followed.
  let linkNames: [String]

  /// Searches the folder of a library, whether the library exists or not.
  ///
  /// - Parameter library: The resolved path of the library.
  /// - Throws: `MigrationError` if the folder cannot be listed.
  init(besideLibraryAt library: String) throws(MigrationError) {
    let (folder, name) = FileSystem.split(library)
    let status = FileStatus(library)
    guard let names = FileSystem.names(in: folder) else { throw FileSystem.failure(.unreadable, folder) }
    var candidates: [Candidate] = []
    var (others, links): ([String], [String]) = ([], [])
    for file in names {
      guard let suffix = FileSystem.suffix(of: file, after: name + "."), let backup = BackupName(suffix) else {
        continue
      }
      guard !suffix.utf8.contains(UInt8(ascii: ".")) else {
        others.append(file)
        continue
      }
      let path = FileSystem.sibling(of: library, named: file)
      guard let found = FileStatus(unresolved: path) else {
        // It has just been removed.
        if errno == ENOENT { continue }
        throw FileSystem.failure(.unreadable, path)
      }
      if found.kind == .link { links.append(file) }
      guard found.kind == .regular else { continue }
      // A run that was interrupted just before its end has left this hard link to the library.
      guard status?.isSameFile(as: found) != true else { continue }
      candidates.append(Candidate(path: path, time: found.changeTime, number: backup.number))
    }
    // A file's status changes when it loses the library's name, however old its contents are.
    paths = candidates.sorted { ($0.time, $0.number, $0.path) > ($1.time, $1.number, $1.path) }.map(\.path)
    (othersNames, linkNames) = (others.sorted(), links.sorted())
  }

  private struct Candidate {
    let path: String
    let time: Int64
    let number: Int
  }
}

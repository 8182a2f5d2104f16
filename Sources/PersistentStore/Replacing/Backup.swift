package import MigrationDiagnostics
internal import SystemC

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

/// Finds what migrations have kept of a library, by name: `Library.sqlite.v1-backup`, `…-2` and so on.
///
/// Between the library's name and `-backup` there is no dot: so no name can be that of a backup of two libraries.
/// `Library.sqlite.test.v1-backup` is a backup of `Library.sqlite.test`, whether that is there or not.
struct BackupSearch {
  /// The files, the latest backup first.
  let paths: [String]
  /// Files that begin as backups of the library do, and by their names are those of another.
  let othersNames: [String]
  /// Symbolic links with names of backups, which are not followed.
  let linkNames: [String]

  /// Looks beside a library, whether that is there or not.
  ///
  /// - Parameter library: The resolved path of the library.
  /// - Throws: `MigrationError` when the folder cannot be listed.
  init(besideLibraryAt library: String) throws(MigrationError) {
    let (folder, name) = FileSystem.split(library)
    let status = FileStatus(library)
    guard let names = FileSystem.names(in: folder) else { throw FileSystem.failure(.unreadable, folder) }
    var found: [Candidate] = []
    var (others, links): ([String], [String]) = ([], [])
    for file in names {
      guard let suffix = FileSystem.suffix(of: file, after: name + "."), let number = Self.number(ofBackup: suffix)
      else { continue }
      guard !suffix.utf8.contains(UInt8(ascii: ".")) else {
        others.append(file)
        continue
      }
      let path = FileSystem.sibling(of: library, named: file)
      guard let backup = FileStatus(unresolved: path) else {
        // It has just gone.
        if errno == ENOENT { continue }
        throw FileSystem.failure(.unreadable, path)
      }
      if backup.kind == .link { links.append(file) }
      guard backup.kind == .regular else { continue }
      // A run that was stopped just before the end has left this second name of the library.
      guard status?.isSameFile(as: backup) != true else { continue }
      found.append(Candidate(path: path, time: backup.changeTime, number: number))
    }
    // A file's status changes when its library's name is taken from it, whatever age its contents have.
    paths = found.sorted { ($0.time, $0.number, $0.path) > ($1.time, $1.number, $1.path) }.map(\.path)
    (othersNames, linkNames) = (others.sorted(), links.sorted())
  }

  private struct Candidate {
    let path: String
    let time: Int64
    let number: Int
  }

  /// Which backup of its version a file is, from 1 on; `nil` for other files.
  private static func number(ofBackup suffix: Substring) -> Int? {
    let mark = "-backup"
    if suffix.hasSuffix(mark) { return suffix.count > mark.count ? 1 : nil }
    guard let dash = suffix.lastIndex(of: "-"), let number = Int(suffix[suffix.index(after: dash)...]), number > 1,
      suffix[..<dash].hasSuffix(mark), suffix[..<dash].count > mark.count
    else { return nil }
    return number
  }
}

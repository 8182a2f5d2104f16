internal import Diagnostics
internal import SystemC

/// Finds what migrations have kept of a library, by name: `Library.sqlite.v1-backup`, `…-2` and so on.
///
/// Between the library's name and `-backup` there is no dot: so no name can be that of a backup of two libraries.
/// `Library.sqlite.test.v1-backup` is a backup of `Library.sqlite.test`, whether that is there or not.
struct BackupSearch {
  /// The files, the latest backup first.
  let paths: [String]
  /// Files that begin as backups of the library do, and by their names are those of another.
  let othersNames: [String]

  /// Looks beside a library, whether that is there or not.
  ///
  /// - Parameter library: The resolved path of the library.
  /// - Throws: `MigrationError` when the folder cannot be listed.
  init(besideLibraryAt library: String) throws(MigrationError) {
    let (folder, name) = FileSystem.split(library)
    let status = FileStatus(library)
    guard let names = FileSystem.names(in: folder) else { throw FileSystem.failure(.unreadable, folder) }
    var found: [Candidate] = []
    var others: [String] = []
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
      guard backup.kind == .regular else { continue }
      // A run that was stopped just before the end has left this second name of the library.
      guard status?.isSameFile(as: backup) != true else { continue }
      found.append(Candidate(path: path, time: backup.changeTime, number: number))
    }
    // A file's status changes when its library's name is taken from it, whatever age its contents have.
    paths = found.sorted { ($0.time, $0.number, $0.path) > ($1.time, $1.number, $1.path) }.map(\.path)
    othersNames = others.sorted()
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

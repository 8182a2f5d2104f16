/// Tells by their names the files that belong to a library, or that this program makes beside one.
package enum LibraryFiles {
  /// Whether a file is the library, belongs to it, or is what a migration has left of it.
  package static func isPart(_ file: String, of library: String) -> Bool {
    guard let suffix = FileSystem.suffix(of: file, after: library) else { return false }
    return ["", "-wal", "-shm", "-journal"].contains(suffix)
      || [".v1-backup", ".rejects", ".replaced"].contains { suffix.hasPrefix($0) }
  }

  /// Whether a name is one that this program gives its hidden files, which come and go.
  package static func isTemporary(_ path: String) -> Bool {
    let name = FileSystem.split(path).name
    return name.hasPrefix(".") && name.contains(".tracks-migrate")
  }
}

internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

extension StagingFile {
  /// Makes a file or folder under a hidden name, which the next run removes if this one is killed, and then gives it its
  /// own.
  ///
  /// - Parameters:
  ///   - sources: What it is made from, which limits its permissions.
  ///   - replacesCompiled: Whether a compiled model in its place is replaced, a folder as a whole.
  ///   - requireFree: Throws if something is there that is not to be replaced.
  static func publish(
    as path: String, from sources: [String], replacesCompiled: Bool = false,
    requireFree: () throws(MigrationError) -> Void,
    _ make: (_ staging: StagingFile) throws(MigrationError) -> String
  ) throws(MigrationError) {
    let staging = try StagingFile.waiting(for: path)
    let folder = staging.companion("folder")
    defer {
      FileSystem.removeTree(folder)
      staging.discard()
    }
    FileSystem.removeTree(folder)
    // After what a killed run has left is gone, even if that run had published everything.
    try requireFree()
    do throws(MigrationError) {
      let staged = try make(staging)
      let access = NewFileAccess(from: sources)
      for name in FileSystem.names(in: staged) ?? [] { try access.limit("\(staged)/\(name)") }
      try access.limit(staged)
      // A folder without its files would be in the way of the next run.
      if FileStatus(unresolved: staged)?.kind == .directory {
        for name in FileSystem.names(in: staged) ?? [] { try FileSystem.synchronize("\(staged)/\(name)") }
        try FileSystem.synchronizeFolder(of: "\(staged)/.")
      } else {
        try FileSystem.synchronize(staged)
      }
      try requireFree()
      if EndRequest.isMade { throw MigrationError(.interrupted, path: path) }
      guard replacesCompiled else {
        // Another program may have made something of this name a moment ago.
        guard try FileSystem.moveWithoutReplacing(staged, to: path) else {
          throw MigrationError(.outputExists, path: path)
        }
        return
      }
      if FileStatus(unresolved: path)?.kind == .directory { CompiledOutput(path).removeFolder() }
      try FileSystem.move(staged, replacing: path)
    } catch {
      throw error.subject.path?.hasPrefix(staging.path) == true ? error.about(path) : error
    }
  }
}

package import MigrationDiagnostics
internal import SystemC

/// A store where there was none: staged next to its final path, and renamed when it is complete.
package struct NewStoreFile {
  /// The path as the user named it.
  package let path: String
  /// The same path, resolved.
  package let target: String
  /// The staged file.
  package let staging: StagingFile
  /// The permissions that the file gets.
  private let access: NewFileAccess

  /// The path at which the store is written.
  package var stagedPath: String { staging.path }

  /// Reserves a staging path.
  ///
  /// - Parameters:
  ///   - access: The permissions that the file gets.
  ///   - acceptsResult: Whether the name may be taken, by what ``isAlreadyThere()`` then finds to be the result.
  /// - Throws: `outputExists` if the name is taken, or if there is a log or journal that would be mistaken for the new
  ///   file's; `cannotCreate` if the name belongs to something else.
  package init(
    path: String, access: NewFileAccess = NewFileAccess(from: []), acceptsResult: Bool = false
  ) throws(MigrationError) {
    (self.path, self.access) = (path, access)
    var files = RunFiles()
    files.add(path, as: .argument("file"), .createsStore)
    try files.requireNoClash()
    let (folder, name) = FileSystem.split(path)
    guard let resolved = FileSystem.resolved(folder), !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: path, detail: "there is no folder '\(folder)'")
    }
    target = FileSystem.sibling(of: resolved + "/x", named: name)
    for suffix in ["", "-wal", "-shm", "-journal"] {
      guard try FileSystem.isThere(target + suffix) else { continue }
      // A run that was killed just after publishing it has left another name of it.
      StagingFile.removeSecondName(ofResultAt: target)
      if acceptsResult, suffix.isEmpty, FileStatus(unresolved: target)?.kind == .regular { continue }
      throw MigrationError(.outputExists, path: path + suffix)
    }
    staging = try StagingFile(for: target, named: path)
  }

  /// Makes sure that the file is on disk, and readable like other new files, before it is published.
  ///
  /// Staging files are private because they hold people's data.
  package func prepare() throws(MigrationError) { try access.give(toFileAt: staging.path) }

  /// Finds out whether the final name has the bytes of the staged file, as after a run that was killed.
  ///
  /// - Throws: `outputExists` if it has others.
  package func isAlreadyThere() throws(MigrationError) -> Bool {
    guard try FileSystem.isThere(target) else { return false }
    // The sizes come first, because a pipe would be waited for.
    guard let found = FileStatus(unresolved: target), let staged = FileStatus(unresolved: staging.path),
      found.size == staged.size, let digest = try? FileSystem.sha256(of: staging.path),
      let foundDigest = try? FileSystem.sha256(of: target), foundDigest == digest
    else { throw MigrationError(.outputExists, path: path) }
    return true
  }

  /// Renames the prepared file to its final name.
  package func move() throws(MigrationError) {
    guard try FileSystem.moveWithoutReplacing(staging.path, to: target) else {
      throw MigrationError(.outputExists, path: path)
    }
  }

  /// Gives the file its final name.
  ///
  /// - Throws: `notSynchronized` if it is there, and the disk does not confirm that it stays there.
  package func publish() throws(MigrationError) {
    try prepare()
    try move()
    try confirm()
  }

  /// Makes sure that the file keeps its final name after a power failure.
  package func confirm() throws(MigrationError) {
    if let doubt = FileSystem.unsynchronized(target, path) { throw doubt }
  }

  /// Removes the staged file, and converts an error about it into one about the final path.
  package func discard(after error: MigrationError) -> MigrationError {
    staging.discard()
    return error.code == .outputExists ? error : error.about(path)
  }
}

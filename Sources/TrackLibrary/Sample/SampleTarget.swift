package import Diagnostics
internal import PersistentStore

/// The file that a sample becomes: staged beside its place, and given its name when it is complete.
package struct SampleTarget {
  /// The path as the user named it.
  let path: String
  /// The same, resolved.
  let target: String
  let staging: StagingFile

  /// Where the sample is written.
  package var stagedPath: String { staging.path }

  /// Reserves a place.
  ///
  /// - Throws: `outputExists` where there is something of this name, or a log or journal that would be taken for the
  ///   new file's.
  package init(path: String) throws(MigrationError) {
    self.path = path
    let (folder, name) = FileSystem.split(path)
    guard let resolved = FileSystem.resolved(folder), !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: path, detail: "there is no folder '\(folder)'")
    }
    target = FileSystem.sibling(of: resolved + "/x", named: name)
    for suffix in ["", "-wal", "-shm", "-journal"] {
      guard try FileSystem.isThere(target + suffix) else { continue }
      throw MigrationError(.outputExists, path: path + suffix)
    }
    staging = try StagingFile(for: target, named: path)
  }

  /// Sets what of the file depends on the SQLite that wrote it.
  package func settleHeader(usesWriteAheadLog: Bool = false) throws(MigrationError) {
    try SampleFile(updating: staging.path).settleHeader(usesWriteAheadLog: usesWriteAheadLog)
  }

  /// Makes sure that the file is on the disk and readable, before it is published.
  func prepare() throws(MigrationError) {
    try SampleFile(updating: staging.path).becomeReadableByOthers()
    try FileSystem.synchronize(staging.path)
  }

  /// Gives the prepared file its name.
  func move() throws(MigrationError) {
    guard try FileSystem.moveWithoutReplacing(staging.path, to: target) else {
      throw MigrationError(.outputExists, path: path)
    }
  }

  /// Gives the file its name.
  package func publish() throws(MigrationError) {
    try prepare()
    try move()
    try FileSystem.synchronizeFolder(of: target)
  }

  /// Removes what was staged, and turns an error about it into one about the file that it was to become.
  package func discard(after error: MigrationError) -> MigrationError {
    staging.discard()
    return error.code == .outputExists ? error : error.about(path)
  }
}

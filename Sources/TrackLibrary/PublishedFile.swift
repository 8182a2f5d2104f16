public import Diagnostics
internal import PersistentStore

/// A file that a person asked for, and that nobody ever sees half of: it is written under a temporary name first, then
/// renamed.
///
/// What is no file, such as a pipe or a device, is written to as it is: renaming would put a file in its place.
public struct PublishedFile {
  /// The path as the user named it, for messages.
  public let path: String
  /// Where the file will lie, with every symbolic link resolved.
  package let target: String
  /// Where it is written before it appears; `nil` for what is no file.
  package let stagedPath: String?

  /// Finds out where a file goes.
  ///
  /// - Parameters:
  ///   - path: The path as the user named it.
  ///   - libraries: Libraries whose own files, backups among them, must not be replaced by this one.
  ///   - temporarySuffix: What the name of the temporary file ends in.
  /// - Throws: `MigrationError` with `cannotCreate` when the file cannot be there.
  public init(_ path: String, besides libraries: [String], temporarySuffix: String) throws(MigrationError) {
    self.path = path
    let kind = FileStatus(path)?.kind
    guard kind != .directory else { throw MigrationError(.cannotCreate, path: path, detail: "it is a folder") }
    guard kind != .other else {
      (target, stagedPath) = (path, nil)
      return
    }
    let (folder, name) = FileSystem.split(path)
    guard let resolvedFolder = FileSystem.resolved(folder), !name.isEmpty else {
      throw MigrationError(.cannotCreate, path: path, detail: "there is no folder '\(folder)'")
    }
    // A link that leads nowhere has no file to replace, so the link itself is replaced.
    target = FileSystem.resolved(path) ?? FileSystem.sibling(of: resolvedFolder + "/x", named: name)
    stagedPath = FileSystem.sibling(
      of: target, named: ".\(FileSystem.split(target).name).tracks-migrate.\(temporarySuffix)")
    guard !LibraryFiles.isTemporary(target) else {
      throw MigrationError(.cannotCreate, path: path, detail: "this is a name of temporary files")
    }
    for library in libraries where LibraryFiles.isPart(target, of: FileSystem.resolved(library) ?? library) {
      throw MigrationError(.cannotCreate, path: path, detail: "this name belongs to the library")
    }
  }

  /// Finds out whether the file can be written, before there is anything to write.
  func reserve() throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in try FileSystem.write([], to: stagedPath) }
  }

  /// Writes the whole file, which is not to be seen yet.
  public func stage(_ bytes: [UInt8]) throws(MigrationError) {
    try named { () throws(MigrationError) in
      if let stagedPath {
        try FileSystem.write(bytes, to: stagedPath)
        try FileSystem.synchronize(stagedPath)
      } else {
        try FileSystem.writeToDevice(bytes, at: target)
      }
    }
  }

  /// Lets the file appear.
  public func publish() throws(MigrationError) {
    guard let stagedPath else { return }
    try named { () throws(MigrationError) in try FileSystem.move(stagedPath, replacing: target) }
  }

  /// Names the file in errors as the user did.
  private func named(_ work: () throws(MigrationError) -> Void) throws(MigrationError) {
    do throws(MigrationError) {
      try work()
    } catch {
      var error = error
      error.subject.path = path
      throw error
    }
  }

  /// Removes what has not appeared.
  public func discard() {
    if let stagedPath { FileSystem.remove(stagedPath) }
  }
}

package import MigrationDiagnostics
internal import SystemC

/// The hidden folder next to a store with its external data files: `.Library_SUPPORT/_EXTERNAL_DATA`.
///
/// Each file holds one value, is named by a UUID, and is never modified. Two stores can therefore share a file through hard
/// links.
package struct ExternalDataFolder: Sendable, Hashable {
  /// The folder.
  package let path: String

  /// The folder that belongs to a store, whether it exists or not.
  ///
  /// - Parameter store: The resolved path of the store's file.
  package init(ofStoreAt store: String) {
    path = FileSystem.sibling(of: store, named: ".\(Self.baseName(FileSystem.split(store).name))_SUPPORT")
  }

  /// The folder in which the files of a new store are collected, next to the staging file.
  package init(stagedBy staging: StagingFile) {
    path = staging.path + "_SUPPORT"
  }

  /// The folder with this path.
  init(at path: String) {
    self.path = path
  }

  /// Whether the folder exists.
  ///
  /// A symbolic link does not count: it could lead anywhere.
  package var exists: Bool { FileStatus(unresolved: path)?.kind == .directory }

  /// Whether the folder exists, for cases where a wrong answer would lose values.
  ///
  /// - Throws: `MigrationError` if that cannot be determined: a folder that cannot be accessed is not missing.
  package func isThere() throws(MigrationError) -> Bool { try Self.kind(path) == .directory }

  /// The folder with the files themselves.
  var dataPath: String { path + "/_EXTERNAL_DATA" }

  /// Whether a file with this name exists.
  ///
  /// - Throws: `MigrationError` if that cannot be determined.
  package func contains(_ name: String) throws(MigrationError) -> Bool {
    guard try isThere(), try Self.kind(dataPath) == .directory else { return false }
    return try Self.kind(filePath(name)) == .regular
  }

  /// The path of the file with this name.
  package func filePath(_ name: String) -> String { "\(dataPath)/\(name)" }

  /// Returns the names of the files that hold values, sorted.
  ///
  /// - Throws: `MigrationError` if the folder cannot be listed.
  package func names() throws(MigrationError) -> [String] {
    guard try isThere(), try Self.kind(dataPath) == .directory else { return [] }
    guard let names = FileSystem.names(in: dataPath) else { throw FileSystem.failure(.unreadable, dataPath) }
    return names.filter { ExternalValue.isUUID($0.utf8) }.sorted()
  }

  /// Returns the names of other files, which no value can have, sorted; hidden ones are the system's.
  ///
  /// - Throws: `MigrationError` if the folder cannot be listed.
  package func otherNames() throws(MigrationError) -> [String] {
    guard try isThere(), try Self.kind(dataPath) == .directory else { return [] }
    guard let names = FileSystem.names(in: dataPath) else { throw FileSystem.failure(.unreadable, dataPath) }
    return names.filter { !ExternalValue.isUUID($0.utf8) && !$0.hasPrefix(".") }.sorted()
  }

  /// The kind of file at a path; `nil` if there is none.
  private static func kind(_ path: String) throws(MigrationError) -> FileStatus.Kind? {
    if let status = FileStatus(unresolved: path) { return status.kind }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileSystem.failure(.unreadable, path) }
    return nil
  }

  /// The total size of the files in bytes.
  ///
  /// - Throws: `MigrationError` if the folder cannot be listed.
  func size() throws(MigrationError) -> Int64 {
    var size: Int64 = 0
    for name in try names() {
      guard let status = FileStatus(unresolved: filePath(name)) else {
        throw FileSystem.failure(.unreadable, filePath(name))
      }
      let (sum, overflow) = size.addingReportingOverflow(status.size)
      size = overflow ? .max : sum
    }
    return size
  }

  /// The value that a file holds.
  package func contents(of name: String) throws(MigrationError) -> [UInt8] {
    try FileSystem.contents(of: filePath(name))
  }

  /// Adds files of another store's folder to this one: as hard links, or as copies if the file system does not support hard
  /// links.
  ///
  /// The folder is created if necessary, and existing files are not replaced. Everything is on the disk when this returns.
  ///
  /// - Parameter names: The names, as in `ExternalValue`. Names that are not UUIDs are skipped.
  /// - Returns: The names of the files that the other folder does not have, sorted.
  @discardableResult
  package func add(_ names: some Sequence<String>, from other: ExternalDataFolder) throws(MigrationError) -> [String] {
    var missing: Set<String> = []
    var isMade = false
    for name in names where ExternalValue.isUUID(name.utf8) {
      guard try other.contains(name) else {
        missing.insert(name)
        continue
      }
      if !isMade { try make(like: other) }
      isMade = true
      try Self.addFile(other.filePath(name), named: filePath(name))
    }
    if isMade {
      try FileSystem.synchronizeFolder(of: filePath("x"))
      try FileSystem.synchronizeFolder(of: dataPath)
    }
    return missing.sorted()
  }

  /// Renames the folder to the name that belongs to a store.
  ///
  /// - Throws: `MigrationError` with `outputExists` if the name is taken.
  package func publish(as other: ExternalDataFolder) throws(MigrationError) {
    // An empty folder can be replaced without loss.
    if try FileSystem.isThere(other.path), !FileSystem.removeFolder(other.path) {
      throw MigrationError(.outputExists, path: other.path)
    }
    do throws(MigrationError) {
      try FileSystem.move(path, replacing: other.path)
    } catch let error where FileSystem.exists(other.path) {
      throw MigrationError(.outputExists, path: other.path, detail: error.detail)
    }
    try FileSystem.synchronizeFolder(of: other.path)
  }

  /// Removes the folder with the files in it that have names of external data files.
  ///
  /// A folder that contains anything else is left.
  package func discard() {
    guard exists else { return }
    if FileStatus(unresolved: dataPath)?.kind == .directory {
      for name in FileSystem.names(in: dataPath) ?? [] {
        let value = name.hasSuffix(Self.partSuffix) ? name.dropLast(Self.partSuffix.count) : name[...]
        if ExternalValue.isUUID(value.utf8) { FileSystem.remove(filePath(name)) }
      }
    }
    removeIfEmpty()
  }

  /// Removes the folder if it is empty.
  func removeIfEmpty() {
    _ = FileSystem.removeFolder(dataPath)
    _ = FileSystem.removeFolder(path)
  }

  private static let partSuffix = ".part"

  /// Creates the folder, with the permissions of another one.
  package func make(like other: ExternalDataFolder) throws(MigrationError) {
    for (folder, model) in [(path, other.path), (dataPath, other.dataPath)] {
      let attributes = try FileAttributes(of: model)
      if try FileSystem.makeFolder(folder, orOneOf: attributes.userID) { try attributes.give(toFolderAt: folder) }
    }
  }

  private static func addFile(_ file: String, named name: String) throws(MigrationError) {
    do throws(MigrationError) {
      // False if an earlier run, or another row with the same value, has already added it.
      _ = try FileSystem.addLink(to: file, named: name)
    } catch let error where error.code == .cannotCreate {
      // An incomplete copy must not have the name.
      let part = name + partSuffix
      try FileSystem.removeLeftover(part)
      try FileSystem.copy(file, to: part)
      try FileSystem.move(part, replacing: name)
    }
  }

  /// A name without its extension.
  private static func baseName(_ name: String) -> Substring {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
      name.utf8.index(after: dot) != name.endIndex
    else { return name[...] }
    return name[..<dot]
  }
}

/// The hard links to external data files that another store gets before it appears.
package struct ExternalDataLinks {
  private let folder: ExternalDataFolder
  private let source: ExternalDataFolder
  /// The names to remove if the store does not appear.
  private var added: [String] = []
  private var isFolderAdded = false

  /// Adds the links.
  ///
  /// - Parameters:
  ///   - names: The files, as in `ExternalValue`.
  ///   - source: The folder that they are in.
  ///   - path: The resolved path that the store will have.
  /// - Throws: `MigrationError`; then there are none.
  package init(
    _ names: [String], of source: ExternalDataFolder, withStoreAt path: String, by staging: StagingFile
  ) throws(MigrationError) {
    folder = ExternalDataFolder(ofStoreAt: path)
    self.source = source
    guard !FileSystem.areSame(folder.path, source.path) else { return }
    guard try folder.isThere() else {
      let staged = ExternalDataFolder(stagedBy: staging)
      try staged.add(names, from: source)
      // It does not exist if there is nothing to share.
      guard try staged.isThere() else { return }
      (added, isFolderAdded) = (names, true)
      do throws(MigrationError) {
        try staged.publish(as: folder)
      } catch {
        // It may have its new name already, or something else has that name.
        if staged.exists { Self.takeBack(names, in: staged, of: source) } else { takeBack() }
        throw error
      }
      return
    }
    // The folder was left by an interrupted run, or by a store of this name that was removed without it. Files are named by
    // UUIDs, so an existing file is either the same one, or another program has put it there.
    var there: Set<String> = []
    for name in names where try folder.contains(name) {
      there.insert(name)
      guard FileContents.areEqual(folder.filePath(name), source.filePath(name)) else {
        throw MigrationError(.outputExists, path: folder.filePath(name))
      }
    }
    added = names.filter { !there.contains($0) }
    do throws(MigrationError) {
      try folder.add(added, from: source)
    } catch {
      takeBack()
      throw error
    }
  }

  /// Removes the added files, but nothing that another program has put there since.
  package func takeBack() {
    Self.takeBack(added, in: folder, of: source, removesFolder: isFolderAdded)
  }

  static func takeBack(
    _ names: [String], in folder: ExternalDataFolder, of source: ExternalDataFolder, removesFolder: Bool = true
  ) {
    for name in names where FileContents.areEqual(folder.filePath(name), source.filePath(name)) {
      FileSystem.remove(folder.filePath(name))
    }
    if removesFolder { folder.removeIfEmpty() }
  }
}
